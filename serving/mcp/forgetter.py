"""Erasing, which computes memory anew, in a process of its own: `hymem forget`, whose report is read."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, cast

import anyio

from hymem import errors
from hymem.errors import HyMemError, StoreError

COMMAND: Final = (sys.executable, "-P", "-m", "serving.cli", "forget", "--json")
_BY_EXIT_CODE: Final = {
    kind.exit_code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, HyMemError) and "exit_code" in vars(kind)
}


async def forget(root: Path, kind: str, name: str, confirmed: bool) -> dict[str, Any]:
    """The receipt, or what it would be; raises what memory refuses."""
    command = [*COMMAND, "--root", str(root), f"--{kind}={name}", *(["--yes"] if confirmed else [])]
    done = await anyio.run_process(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        reason = "".join(complaint).removeprefix("error: ").removeprefix("Error: ")
        raise _BY_EXIT_CODE.get(done.returncode, StoreError)(reason or "the process that was to erase it ended early")
    return cast(dict[str, Any], json.loads(done.stdout))
