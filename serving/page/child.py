"""What computes memory anew is done in a process of its own, so that the server stays small: a command, whose JSON is read."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from hymem import errors
from hymem.errors import HyMemError, StoreError
from hymem.store.messages import storable

COMMAND: Final = (sys.executable, "-P", "-m", "serving.cli")
SECONDS: Final = 300
_BY_EXIT_CODE: Final = {
    kind.exit_code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, HyMemError) and "exit_code" in vars(kind)
}


def told_by(root: Path, command: str, *arguments: str) -> Any:
    """What a command says as JSON of the memory in a folder; raises what memory refuses."""
    told = map(storable, arguments)  # no process can be given a NUL
    order = [*COMMAND, command, "--json", "--root", str(root.absolute()), *told]
    try:
        done = subprocess.run(order, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise StoreError(f"this took more than {SECONDS} seconds and was ended: ask `hymem {command}` itself") from None
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        reason = "".join(complaint).removeprefix("error: ").removeprefix("Error: ")
        raise _BY_EXIT_CODE.get(done.returncode, StoreError)(reason or "the process that was to find out ended early")
    return json.loads(done.stdout)
