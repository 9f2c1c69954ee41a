"""From a profile's folder to the memory of whoever is spoken with; tried again where it failed before."""

import threading
from collections.abc import Callable
from pathlib import Path

from hymem.errors import BusyError, HyMemError, StoreError
from hymem.settings import DATABASE
from serving.environment import build_from_env
from serving.hermes.configuration import Configuration, read_configuration
from serving.hermes.keeping import Keeper
from serving.hermes.people import workspace_of
from serving.memory import HyMem
from serving.workspaces import workspace_folder


class Opening:
    """The way to one user's memory in one profile. Several agents of a process share the memory of one file."""

    def __init__(self, home: Callable[[], Path], platform: str = "cli", user_id: str | None = None) -> None:
        self._home, self._platform, self._user = home, platform, user_id
        self._keeper: Keeper | None = None
        self._opening = threading.Lock()

    def configuration(self) -> Configuration:
        """The profile's settings; raises `ConfigError`."""
        return read_configuration(self._home())

    def keeper(self) -> Keeper:
        """What keeps conversations in this memory; raises `HyMemError` where it cannot be opened."""
        with self._opening:
            if self._keeper is None:
                workspace = workspace_of(self._platform, self._user, self.configuration())
                folder = workspace_folder(self._home(), workspace, create=True)
                self._keeper = Keeper(build_from_env(need_llm=False, root=str(folder)))
            return self._keeper

    def memory(self) -> HyMem:
        """The memory; raises `HyMemError` where it cannot be opened."""
        return self.keeper().memory

    def root_of_open(self) -> Path | None:
        """Where the memory lives, None as long as it was not opened."""
        return self._keeper.memory.root if self._keeper is not None else None

    def check(self) -> None:
        """Raise what stands in the way for good: settings that cannot be meant, a file that is no database of ours.

        Nothing is made by looking; a store that is only busy passes.
        """
        self.configuration()
        home = self._home()
        if not home.is_dir() or not (home / DATABASE).exists():
            return
        try:
            self.memory().last_dream()
        except BusyError:
            return
        except HyMemError as error:
            raise StoreError(f"{error}; `hymem doctor --root {home}` looks closer") from error
