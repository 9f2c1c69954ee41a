"""The real hermes-agent 0.19.0, in an environment of its own: a test hands it a script and reads what the script said.

`pytestmark = HERMES` marks a test file, and skips it where `.venv-hermes` is not there. The script runs with a home of its own,
never the developer's; what it hands to `say` comes back as JSON. Without `.venv-hermes`, `.ci/setup-hermes` makes it.
"""

import json
import os
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-hermes/bin/python"
COMMAND = ROOT / ".venv-hermes/bin/hermes"

HERMES = [
    pytest.mark.hermes,
    pytest.mark.skipif(not PYTHON.exists(), reason="hermes-agent is not there: `.ci/setup-hermes` installs it"),
]

_BEFORE = """
import json as _json, sys as _sys
def say(value):
    print("\\x1e" + _json.dumps(value), flush=True)
"""


def hermes_environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a hermes process whose home, and whose profile, lie in `home`; nothing else of ours but the path."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    profile = home / ".hermes"
    profile.mkdir(parents=True, exist_ok=True)
    of_hermes = {
        "HOME": str(home),
        "HERMES_HOME": str(profile),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return {**kept, **of_hermes, **(extra or {})}


def start_in_hermes(script: str, home: Path, extra: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """A script, under way in hermes's environment, for a test that ends it."""
    program = _BEFORE + textwrap.dedent(script)
    return subprocess.Popen(
        [PYTHON, "-c", program],
        cwd=home,
        env=hermes_environment(home, extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said_in(output: str) -> list[Any]:
    """What a script handed to `say`, in order."""
    return [json.loads(line[1:]) for line in output.split("\n") if line.startswith("\x1e")]


def run_in_hermes(script: str, home: Path, extra: Mapping[str, str] | None = None, timeout: float = 110.0) -> list[Any]:
    """What a script said in hermes's environment; fails with its errors where it ended badly."""
    process = start_in_hermes(script, home, extra)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        pytest.fail(f"the script did not end within {timeout:g} s:\n{output}\n{errors}")
    assert process.returncode == 0, f"exit code {process.returncode}\n{output}\n{errors}"
    return said_in(output)


def run_hermes(*arguments: str, home: Path, extra: Mapping[str, str] | None = None) -> str:
    """What the command `hermes` prints; fails where it ends badly."""
    run = subprocess.run(
        [PYTHON, COMMAND, *arguments],
        cwd=home,
        env=hermes_environment(home, extra),
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
        stdin=subprocess.DEVNULL,
    )
    assert run.returncode == 0, f"hermes {' '.join(arguments)}: exit code {run.returncode}\n{run.stdout}\n{run.stderr}"
    return run.stdout


def profile_with_hymem(home: Path) -> Path:
    """The user's folder `home`, with a profile in which HyMem is installed, learns by rules, and does not dream."""
    from serving.hermes.configuration import write_configuration
    from serving.hermes.installing import install

    profile = home / ".hermes"
    profile.mkdir()
    write_configuration(profile, {"dream": "no", "llm_model": "rules"})
    install(profile)
    return home
