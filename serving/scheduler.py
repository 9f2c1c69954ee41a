"""Dreaming beside the work: one child process a workspace, never more often than the cooldown allows.

A door calls `kick` whenever something was said, and goes on at once. A thread starts `hymem dream` for that folder in a process
of its own and of lower priority, so that neither pandas nor a long computation is ever in the way of those who wait for an
answer. Settings reach the child by the environment, never by its command line, which every user of the machine can read.

A dream that fails is tried again, each time after twice as long; one that lasts longer than `limit_seconds` counts as hanging
and is ended. Either shows in `status` until a dream succeeds. Nothing that a dream has paid for is lost by ending it.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal, Self, cast

from hymem.errors import BusyError, ModelError
from hymem.redaction import redacted

COMMAND: Final = (sys.executable, "-P", "-m", "serving.cli", "dream", "--json")
"""What the child runs; `--root FOLDER` follows."""

COOLDOWN_SECONDS: Final = 60.0
LIMIT_SECONDS: Final = 3600.0
GRACE_SECONDS: Final = 10.0
"""How long a child that was asked to end is given before it is killed."""

LONGEST_BACK_OFF: Final = 3600.0
INTERRUPTED: Final = 130
NICENESS: Final = 10
"""By how much a dreaming child stands back from those who wait for an answer, where the system knows of that."""

_LOOK_SECONDS: Final = 0.1
_TELLING: Final = 2000

State = Literal["idle", "due", "dreaming"]


@dataclass(frozen=True)
class DreamStatus:
    """How a workspace's dreams go. `trouble` says why the last one failed, and is None as soon as one succeeds.

    `failures` counts those that failed one after the other; `due_in` and `dreaming_for` are seconds.
    """

    state: State = "idle"
    failures: int = 0
    trouble: str | None = None
    due_in: float | None = None
    dreaming_for: float | None = None
    dreams: int = 0
    last: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    """The last dream's own report, as `hymem dream --json` prints it."""

    @property
    def ok(self) -> bool:
        """Whether the last dream succeeded, or none has ended yet."""
        return self.trouble is None


@dataclass
class _Child:
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    complaints: IO[bytes]
    begun: float
    asked_to_end: float | None = None
    hanging: bool = False


@dataclass
class _Workspace:
    root: Path
    due: float | None = None
    rested: float = 0.0
    child: _Child | None = None
    failures: int = 0
    dreams: int = 0
    trouble: str | None = None
    last: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())


class Scheduler:
    """Starts dreams where they are due, `at_once` of them at a time over all workspaces; thread-safe.

    `on_end` is told, in the scheduler's thread, how each dream of a workspace ended; it must be quick. `environment` takes
    the place of this process's for the children.
    """

    def __init__(
        self,
        *,
        cooldown_seconds: float = COOLDOWN_SECONDS,
        limit_seconds: float = LIMIT_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
        at_once: int = 2,
        command: Sequence[str] = COMMAND,
        environment: Mapping[str, str] | None = None,
        on_end: Callable[[Path, DreamStatus], None] | None = None,
    ) -> None:
        self._cooldown, self._limit, self._grace = cooldown_seconds, limit_seconds, grace_seconds
        self._at_once, self._command, self._environment = at_once, tuple(command), environment
        self._on_end = on_end
        self._workspaces: dict[Path, _Workspace] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """The scheduler itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def kick(self, root: Path, *, at_once: bool = False) -> None:
        """Say that there is something to dream about in a folder; returns at once.

        The dream comes when the cooldown since the last one's start, and the rest after a failure, are over; `at_once` waits
        for neither. While one is under way, another follows it.
        """
        with self._changed:
            if self._closing:
                return
            workspace = self._workspaces.setdefault(root, _Workspace(root))
            wanted = time.monotonic() if at_once else max(time.monotonic(), workspace.rested)
            workspace.due = wanted if workspace.due is None else min(workspace.due, wanted)
            self._begin_thread()
            self._changed.notify_all()

    def forget(self, root: Path) -> None:
        """End a workspace's dream and know nothing of it any more: before its folder is deleted. Waits for the child's end."""
        with self._changed:
            workspace = self._workspaces.get(root)
            if workspace is None:
                return
            workspace.due = None
            if workspace.child:
                _ask_to_end(workspace.child)
            self._changed.notify_all()
            self._changed.wait_for(lambda: workspace.child is None, self._grace + 1)
            self._workspaces.pop(root, None)

    def status(self, root: Path) -> DreamStatus:
        """How the dreams of the workspace in this folder go."""
        with self._changed:
            workspace = self._workspaces.get(root)
            return _status(workspace) if workspace else DreamStatus()

    def statuses(self) -> dict[Path, DreamStatus]:
        """The same of every workspace that was ever kicked."""
        with self._changed:
            return {root: _status(workspace) for root, workspace in self._workspaces.items()}

    def close(self) -> None:
        """Start nothing more, interrupt the dreams that are under way, and wait for their end: what they had is kept."""
        with self._changed:
            self._closing = True
            for workspace in self._workspaces.values():
                workspace.due = None
                if workspace.child:
                    _ask_to_end(workspace.child)
            self._changed.notify_all()
            thread = self._thread
        if thread:
            thread.join()

    # ------------------------------------------------------------------------------------------------- in the thread

    def _begin_thread(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="hymem-scheduler", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                ended = [workspace for workspace in self._workspaces.values() if self._look_after(workspace)]
                if ended:
                    self._changed.notify_all()
                self._begin_what_is_due()
                if self._closing and not self._dreaming():
                    return
                if not ended:
                    self._changed.wait(self._patience())
                told = [(workspace.root, _status(workspace)) for workspace in ended]
            for root, status in told:
                if self._on_end:
                    self._on_end(root, status)

    def _dreaming(self) -> list[_Workspace]:
        return [workspace for workspace in self._workspaces.values() if workspace.child]

    def _patience(self) -> float | None:
        """Seconds until something may have to be done; None where only a kick can bring that about."""
        if self._dreaming():
            return _LOOK_SECONDS
        due = [workspace.due for workspace in self._workspaces.values() if workspace.due is not None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _begin_what_is_due(self) -> None:
        now = time.monotonic()
        due = [w for w in self._workspaces.values() if w.due is not None and w.due <= now and not w.child]
        room = self._at_once - len(self._dreaming())
        for workspace in sorted(due, key=lambda each: cast(float, each.due))[: max(0, room)]:
            workspace.due = None
            workspace.rested = now + self._cooldown
            self._start(workspace)

    def _start(self, workspace: _Workspace) -> None:
        output, complaints = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 (closed at its end)
        try:
            process = subprocess.Popen(
                [*self._command, "--root", str(workspace.root)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=complaints,
                env=None if self._environment is None else dict(self._environment),
                start_new_session=True,  # Ctrl-C in the server's terminal reaches the server alone, which ends its children
            )
        except OSError as error:
            output.close()
            complaints.close()
            self._failed(workspace, f"the dream could not be started: {error}")
            return
        _stand_back(process)
        workspace.child = _Child(process, output, complaints, time.monotonic())

    def _look_after(self, workspace: _Workspace) -> bool:
        """Whether the workspace's dream has ended just now; one that lasts too long is ended."""
        child = workspace.child
        if child is None:
            return False
        status, now = child.process.poll(), time.monotonic()
        if status is not None:
            self._judge(workspace, child, status)
            workspace.child = None
            return True
        if child.asked_to_end is None and now - child.begun >= self._limit:
            child.hanging = True
            _ask_to_end(child)
        elif child.asked_to_end is not None and now - child.asked_to_end >= self._grace:
            child.process.kill()
        return False

    def _judge(self, workspace: _Workspace, child: _Child, status: int) -> None:
        report, complaint = _report(child.output), _complaint(child.complaints)
        workspace.dreams += 1
        if child.hanging:
            self._failed(
                workspace, f"the dream lasted longer than {self._limit:g} s and was ended; its replies are kept"
            )
        elif child.asked_to_end is not None:  # on purpose, so this is no failure
            workspace.last = report or {"outcome": "interrupted"}
        elif status == 0:
            workspace.failures, workspace.trouble, workspace.last = 0, None, report
            if report.get("waiting"):
                self._again(workspace, workspace.rested)
        elif status == BusyError.exit_code:
            self._again(workspace, time.monotonic() + max(self._cooldown, 1.0))
        else:
            workspace.last = report
            self._failed(workspace, _reason(status, report, complaint))

    def _failed(self, workspace: _Workspace, reason: str) -> None:
        workspace.failures += 1
        workspace.trouble = reason
        rest = min(LONGEST_BACK_OFF, max(self._cooldown, 1.0) * 2 ** min(workspace.failures, 16))
        workspace.rested = time.monotonic() + rest
        self._again(workspace, workspace.rested)

    def _again(self, workspace: _Workspace, at: float) -> None:
        if not self._closing:
            workspace.due = at if workspace.due is None else max(workspace.due, at)


def _stand_back(process: subprocess.Popen[bytes]) -> None:
    """Lower a child's priority; one that has ended already needs none."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError):
            nice = os.getpriority(os.PRIO_PROCESS, process.pid)
            os.setpriority(os.PRIO_PROCESS, process.pid, min(19, nice + NICENESS))


def _ask_to_end(child: _Child) -> None:
    if child.asked_to_end is None:
        child.asked_to_end = time.monotonic()
        child.process.terminate()


def _status(workspace: _Workspace) -> DreamStatus:
    now, child = time.monotonic(), workspace.child
    return DreamStatus(
        state="dreaming" if child else "idle" if workspace.due is None else "due",
        failures=workspace.failures,
        trouble=workspace.trouble,
        due_in=None if workspace.due is None else round(max(0.0, workspace.due - now), 3),
        dreaming_for=round(now - child.begun, 3) if child else None,
        dreams=workspace.dreams,
        last=workspace.last,
    )


def _report(output: IO[bytes]) -> dict[str, Any]:
    """What the child printed, empty where it is no report."""
    with output, suppress(ValueError):
        output.seek(0)
        report = json.loads(output.read())
        return cast(dict[str, Any], report) if isinstance(report, dict) else {}
    return {}


def _complaint(complaints: IO[bytes]) -> str:
    """The last line of what the child complained about."""
    with complaints:
        complaints.seek(0)
        lines = complaints.read().decode("utf-8", "replace").strip().splitlines()
    return redacted(lines[-1].removeprefix("error: ")[:_TELLING]) if lines else ""


def _reason(status: int, report: Mapping[str, Any], complaint: str) -> str:
    if status < 0:
        return f"the dream was killed by signal {-status}; its replies are kept"
    if status == INTERRUPTED:
        return "the dream was interrupted from outside; its replies are kept"
    if status == ModelError.exit_code and report.get("warnings"):
        return redacted("; ".join(map(str, report["warnings"]))[:_TELLING])
    return complaint or f"the dream ended with exit code {status}"
