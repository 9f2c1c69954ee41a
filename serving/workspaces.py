"""The workspaces of a server: one memory each, in a folder of its own, opened when it is asked for.

The workspace `default` lives in the root itself, every other one in `workspaces/` below it, in a folder that bears its id where
that is short and lower-case, and else a digest. An id is looked at before it touches a path.
"""

import re
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from hymem.errors import BusyError, InputError, UnknownError
from hymem.settings import DATABASE
from hymem.store.database import Database
from hymem.store.lock import Clock
from hymem.store.pages import Page, Slice
from hymem.store.server import (
    FILE,
    SERVER,
    list_workspaces,
    note_workspace,
    strike_workspace,
    workspace_folders,
)
from hymem.store.where import Where
from hymem.store.workspace import WorkspaceRecord, claim_workspace, read_workspace, update_workspace
from hymem.times import wall_clock
from serving.memory import HyMem
from serving.views import Views

DEFAULT: Final = "default"
ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,512}")
PATIENCE: Final = 10.0
_PLAIN: Final = re.compile(r"[a-z0-9_][a-z0-9_-]{0,63}")
_DEVICES: Final = re.compile(r"con|prn|aux|nul|com\d|lpt\d")  # what Windows takes for devices


def workspace_folder(root: Path, workspace_id: str, create: bool = False) -> Path:
    """Where a workspace lives, of which nothing is opened; raises `UnknownError` where there is none and none is to be made.

    Raises `InputError` for what is no id.
    """
    folder = root / _folder_name(workspace_id)
    if folder == root or (folder / DATABASE).exists():
        return folder
    if not create:
        from difflib import get_close_matches

        there = sorted(other.name for other in (root / "workspaces").glob("*") if (other / DATABASE).exists())
        near = get_close_matches(workspace_id, there, 1)
        meant = f"; is {near[0]!r} meant?" if near else ": `hymem ingest --workspace ID FILE` makes one"
        raise UnknownError(f"no workspace {workspace_id[:60]!r}{meant}")
    workspaces = Workspaces(root)
    try:
        workspaces.ensure(workspace_id)
    finally:
        workspaces.close()
    return folder


@dataclass
class _Opened:
    memory: HyMem
    views: Views
    users: int = 0

    def close(self) -> None:
        self.views.close()
        self.memory.close()


class Workspaces:
    """All workspaces below a root; thread-safe. `open_memory` opens the memory in a folder, with the server's models.

    At most `open_at_most` are open beside those in use.
    """

    def __init__(
        self,
        root: Path | str,
        open_memory: Callable[[Path], HyMem] = HyMem,
        *,
        clock: Clock = wall_clock,
        open_at_most: int = 16,
    ) -> None:
        self.root = Path(root)
        self.clock = clock
        self.database = Database.open(self.root / FILE, SERVER)
        self._open_memory = open_memory
        self._open_at_most = open_at_most
        self._opened: OrderedDict[str, _Opened] = OrderedDict()
        self._going = set[str]()
        self._changing = threading.Condition(threading.RLock())
        self._adopt()

    def close(self) -> None:
        """Close every memory, and the list."""
        with self._changing:
            for opened in self._opened.values():
                opened.close()
            self._opened.clear()
            self.database.close()

    # ------------------------------------------------------------------------------------------------------- one of them

    @contextmanager
    def use(self, workspace_id: str, *, create: bool = False) -> Generator[HyMem, None, None]:
        """A workspace's memory, open at least until the end of the block.

        Raises `UnknownError` where there is no such workspace, unless it is to be created.
        """
        opened = self._take(workspace_id, create)
        try:
            yield opened.memory
        finally:
            self._give_back(opened)

    @contextmanager
    def use_views(self, workspace_id: str) -> Generator[tuple[HyMem, Views], None, None]:
        """A workspace's memory with the views of it that are kept; raises `UnknownError` where there is no such workspace."""
        opened = self._take(workspace_id, create=False)
        try:
            yield opened.memory, opened.views
        finally:
            self._give_back(opened)

    def has(self, workspace_id: str) -> bool:
        """Whether there is such a workspace."""
        with self._changing:
            return workspace_id in self._opened or workspace_id in self._folders()

    def ensure(
        self,
        workspace_id: str,
        metadata: Mapping[str, Any] | None = None,
        configuration: Mapping[str, Any] | None = None,
    ) -> tuple[WorkspaceRecord, bool]:
        """The workspace, made with these metadata and this configuration where there was none; whether it is new."""
        with self._changing:
            created = not self.has(workspace_id)
            if created:
                return self.update(workspace_id, metadata, configuration), True
            return self.record(workspace_id), False

    def record(self, workspace_id: str) -> WorkspaceRecord:
        """What clients attached to a workspace."""
        with self.use(workspace_id) as memory, memory.reading() as connection:
            record = read_workspace(connection)
        if record is None:
            raise UnknownError(f"no workspace {workspace_id!r}")
        return record

    def update(
        self, workspace_id: str, metadata: Mapping[str, Any] | None, configuration: Mapping[str, Any] | None
    ) -> WorkspaceRecord:
        """Replace the metadata and what is given of the configuration; makes the workspace where there is none."""
        with self.use(workspace_id, create=True) as memory:
            with memory.writing() as connection:
                update_workspace(connection, metadata, configuration)
            record = self.record(workspace_id)
        self._note(record)
        return record

    def listed(self, where: Where, asked: Slice) -> tuple[Page, list[WorkspaceRecord]]:
        """A page of the workspaces, the oldest first."""
        with self.database.reading() as connection:
            return list_workspaces(connection, where, asked)

    def names(self) -> list[str]:
        """The ids of all workspaces."""
        return sorted(self._folders())

    def delete(self, workspace_id: str) -> None:
        """Remove a workspace: what it holds, for every process that has it open, and its folder.

        Raises `BusyError` where requests still use it after ten seconds, or another deletes it; new ones find it busy meanwhile.
        """
        with self._changing, self._nobody_in(workspace_id):
            self._opened[workspace_id].memory.wipe()
            self._opened.pop(workspace_id).close()
            self._remove_files(self.folder(workspace_id))
            with self.database.writing() as connection:
                strike_workspace(connection, workspace_id)

    def folder(self, workspace_id: str) -> Path:
        """Where a workspace lives; raises `InputError` for what is no id."""
        return self.root / _folder_name(workspace_id)

    # ---------------------------------------------------------------------------------------------------------- opening

    def _take(self, workspace_id: str, create: bool) -> _Opened:
        with self._changing:
            if workspace_id in self._going:
                raise BusyError(f"workspace {workspace_id!r} is being deleted: try again in a moment")
            opened = self._opened.get(workspace_id)
            if opened is None:
                memory = self._open(workspace_id, create)
                opened = self._opened[workspace_id] = _Opened(memory, Views(memory))
            self._opened.move_to_end(workspace_id)
            opened.users += 1
            self._close_idle()
            return opened

    @contextmanager
    def _nobody_in(self, workspace_id: str) -> Generator[None, None, None]:
        """Let nobody in any more, and wait until whoever is in has gone; otherwise those who come would keep it open for good."""
        with self.use(workspace_id):
            self._going.add(workspace_id)
        try:
            if not self._changing.wait_for(lambda: self._users(workspace_id) == 0, PATIENCE):
                raise BusyError(f"workspace {workspace_id!r} is in use: try again in a moment")
            yield
        finally:
            self._going.discard(workspace_id)

    def _give_back(self, opened: _Opened) -> None:
        with self._changing:
            opened.users -= 1
            self._close_idle()
            self._changing.notify_all()

    def _open(self, workspace_id: str, create: bool) -> HyMem:
        folder = self.folder(workspace_id)
        if not create and workspace_id not in self._folders():
            raise UnknownError(f"no workspace {workspace_id!r}")
        memory = self._open_memory(folder)
        with memory.writing() as connection:
            claim_workspace(connection, workspace_id, self.clock())
            record = read_workspace(connection)
        if record is not None:
            self._note(record)
        return memory

    def _close_idle(self) -> None:
        idle = [name for name, opened in self._opened.items() if opened.users == 0 and name not in self._going]
        for name in idle[: max(0, len(self._opened) - self._open_at_most)]:
            self._opened.pop(name).close()

    def _users(self, workspace_id: str) -> int:
        opened = self._opened.get(workspace_id)
        return opened.users if opened else 0

    def _folders(self) -> dict[str, str]:
        with self.database.reading() as connection:
            return workspace_folders(connection)

    def _note(self, record: WorkspaceRecord) -> None:
        with self.database.writing() as connection:
            note_workspace(connection, record, _folder_name(record.workspace_id))

    def _adopt(self) -> None:
        """Put on the list what lies in the folders and is not on it: the list may be younger than they are."""
        known = set(self._folders().values())
        found = {"": self.root, **{f"workspaces/{folder.name}": folder for folder in self._others()}}
        for name, folder in found.items():
            if name in known or not (folder / DATABASE).exists():
                continue
            database = Database.open(folder / DATABASE)
            with database.writing() as connection:
                if name == "":
                    claim_workspace(connection, DEFAULT, self.clock())
                record = read_workspace(connection)
            database.close()
            if record is not None and _folder_name(record.workspace_id) == name:
                self._note(record)

    def _others(self) -> list[Path]:
        folder = self.root / "workspaces"
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def _remove_files(self, folder: Path) -> None:
        if folder != self.root:
            shutil.rmtree(folder)
            return
        for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"):
            (folder / name).unlink(missing_ok=True)


def _folder_name(workspace_id: str) -> str:
    if not ID.fullmatch(workspace_id):
        raise InputError(f"a workspace's id has 1 to 512 of A-Z a-z 0-9 _ and -, not {workspace_id[:60]!r}")
    if workspace_id == DEFAULT:
        return ""
    plain = _PLAIN.fullmatch(workspace_id) and not _DEVICES.fullmatch(workspace_id)
    return "workspaces/" + (workspace_id if plain else f"sha256-{sha256(workspace_id.encode()).hexdigest()}")
