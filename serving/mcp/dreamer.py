"""A dream that a client waits for, in a process of its own: the server neither loads pandas nor keeps other calls waiting.

    python -m serving.mcp.dreamer ROOT BUDGET

The child tells its progress and its result as lines of JSON. Its standard input is a leash: when that closes, whoever wanted
the dream is gone, and the child stops asking, keeps what has come, and ends.
"""

import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from hymem import errors
from hymem.errors import HyMemError, StoreError
from hymem.records import DreamRun

GRACE: Final = 2.0
"""Seconds that a dream which nobody waits for has to end by itself."""

LINE_LIMIT: Final = 1 << 24
Progress = Callable[[int, int], Awaitable[None]]


async def dream(root: Path, budget: int | None, progress: Progress) -> DreamRun:
    """Dream in a child process; raises what the dream raised. Where the caller is cancelled, the child stops and is reaped."""
    command = [sys.executable, "-P", "-m", __name__, str(root), "" if budget is None else str(budget)]
    process = await anyio.open_process(command, stderr=None)
    try:
        return await _told(process, progress)
    finally:
        with anyio.CancelScope(shield=True):
            await _ended(process)


async def _told(process: Process, progress: Progress) -> DreamRun:
    assert process.stdout is not None
    lines = BufferedByteReceiveStream(process.stdout)
    try:
        while True:
            told = json.loads(await lines.receive_until(b"\n", LINE_LIMIT))
            if "run" in told:
                return DreamRun(**{**told["run"], "warnings": tuple(told["run"]["warnings"])})
            if "error" in told:
                raise getattr(errors, told["error"])(told["reason"])
            await progress(*told["progress"])
    except anyio.IncompleteRead:
        raise StoreError(
            "the dream's process ended before the dream did; what was answered is kept: dream again"
        ) from None


async def _ended(process: Process) -> None:
    """Let go of the leash, and wait; a child that does not end by itself is killed."""
    assert process.stdin is not None
    await process.stdin.aclose()
    with anyio.move_on_after(GRACE + 1):
        await process.wait()
    if process.returncode is None:
        process.kill()
    await process.aclose()


def main(root: str, budget: str) -> None:
    """Dream here, and tell it on standard output, where nothing else may write."""
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    stop = threading.Event()
    threading.Thread(target=_held, args=(stop,), daemon=True).start()
    with redirect_stdout(sys.stderr):
        try:
            run = _dreamt(root, int(budget) if budget else None, stop, wire)
            _tell(wire, {"run": asdict(run)})
        except HyMemError as error:
            _tell(wire, {"error": type(error).__name__, "reason": str(error)})


def _dreamt(root: str, budget: int | None, stop: threading.Event, wire: IO[str]) -> DreamRun:
    from serving.environment import build_from_env

    with build_from_env(root=root) as memory:
        return memory.dream(
            budget=budget, stop=stop, progress=lambda done, total: _tell(wire, {"progress": [done, total]})
        )


def _tell(wire: IO[str], value: Any) -> None:
    try:
        print(json.dumps(value), file=wire, flush=True)
    except BrokenPipeError:
        return  # whoever wanted to know is gone, and the leash says so too


def _held(stop: threading.Event) -> None:
    """Wait until the leash is let go, then stop the dream, and end where it does not."""
    while os.read(0, 4096):
        continue
    stop.set()
    threading.Timer(GRACE, os._exit, (1,)).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
