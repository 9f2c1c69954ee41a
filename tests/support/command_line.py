"""The command line as a test uses it: in this process, or as the process that a user starts."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from serving import environment
from serving.cli.main import hymem

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-c", "from serving.cli.main import run; run()"]


class CommandLine:
    """`hymem` in a folder of its own, dreaming by rules unless told otherwise."""

    def __init__(self, root: Path, **environment: str) -> None:
        self.root = root
        self.environment: dict[str, str | None] = {
            **{name: None for name in os.environ if name.startswith(("HYMEM_", "DEEPSEEK_"))},
            "HYMEM_ROOT": str(root),
            "HYMEM_LLM_MODEL": "rules",
            **environment,
        }

    def __call__(self, *arguments: str, input: str | bytes | None = None) -> Result:
        """Run a command here; a fault in HyMem is raised, as pytest should see it."""
        environment._shared.clear()  # a process has one environment, a test several
        result = CliRunner().invoke(hymem, arguments, input=input, env=self.environment, catch_exceptions=False)
        assert "Traceback" not in result.output
        return result

    def json(self, *arguments: str) -> Any:
        """What a command prints with `--json`."""
        return json.loads(self(*arguments, "--json").stdout)

    def process(self, *arguments: str, **options: Any) -> subprocess.Popen:
        """Start the command as a process of its own."""
        held = {name: value for name, value in {**os.environ, **self.environment}.items() if value is not None}
        held["PYTHONPATH"] = str(ROOT)
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen([*PROGRAM, *arguments], env=held, text=True, encoding="utf-8", **pipes)

    def file(self, name: str, *lines: object) -> str:
        """A file of JSON lines beside the root; bytes and texts stand as they are."""
        path = self.root.parent / name
        path.write_bytes(b"".join(_line(line) + b"\n" for line in lines))
        return str(path)


def said(content: object = "We use Redis.", **fields: object) -> dict[str, object]:
    """A user's message as a file holds it."""
    return {"session_id": "monday", "role": "user", "content": content, **fields}


def texts(messages: Iterable[dict[str, Any]]) -> list[str]:
    return [message["content"] for message in messages]


def _line(line: object) -> bytes:
    if isinstance(line, bytes):
        return line
    return (line if isinstance(line, str) else json.dumps(line)).encode()
