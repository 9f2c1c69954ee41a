"""The quickstart of honcho-ai's own documentation, as the installed package has it, runs unchanged, with `HONCHO_URL` set."""

import os
import re
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

from tests.support.honcho_server import honcho_server


def test_the_quickstart_of_the_sdk_runs_unchanged(tmp_path: Path):
    examples = re.findall(r"```python\n(.*?)```", metadata("honcho-ai").get_payload(), re.DOTALL)
    quickstart = examples[0]
    assert 'client.peer("alice")' in quickstart and "alice.chat(" in quickstart

    with honcho_server(tmp_path / "root") as served:
        ran = subprocess.run(
            [sys.executable, "-c", quickstart],
            env={**os.environ, "HONCHO_URL": served.url, "PYTHONIOENCODING": "utf-8"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )

    assert ran.returncode == 0, ran.stderr
    assert "bob said on" in ran.stdout
    assert "“Hi Alice, how are you?”" in ran.stdout
