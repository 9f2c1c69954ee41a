"""What is to be forgotten: one thing, by its kind and its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from hymem.errors import InputError
from hymem.memory_files import BACKUPS
from hymem.settings import DATABASE
from hymem.store.connection import Connection
from hymem.store.database import is_database
from hymem.store.erasure import Erasure, erase
from hymem.store.erasure_scope import (
    erasure_of_entity,
    erasure_of_fact,
    erasure_of_message,
    erasure_of_peer,
    erasure_of_session,
    labels_left,
)
from hymem.store.messages import note_forgotten

KINDS: Final[dict[str, Callable[[Connection, str], Erasure]]] = {
    "message": erasure_of_message,
    "session": erasure_of_session,
    "peer": erasure_of_peer,
    "entity": erasure_of_entity,
    "fact": erasure_of_fact,
}
"""What can be forgotten, and how far that reaches."""


class Target(NamedTuple):
    """One thing to be forgotten."""

    kind: str
    name: str


def named_target(**names: str | None) -> Target:
    """The one that is given; raises `InputError` where that is none, or several."""
    given = [Target(kind, name) for kind, name in names.items() if name is not None]
    if len(given) != 1:
        raise InputError(f"name one thing to forget: {', '.join(KINDS)}")
    return given[0]


def copies(root: Path) -> list[str]:
    """A remark on each copy of a database beside the one that forgets, such as those that imports and repairs leave."""
    found = {*root.glob("*.db"), *root.glob(f"{BACKUPS}/*/*.db")} - {root / DATABASE}
    return [
        f"{path.relative_to(root)} is a copy from before, which holds what it held: delete it when you need it no more"
        for path in sorted(found)
        if is_database(path)
    ]


class Forgetting:
    """The act of forgetting: each time it is called it looks again what has to go. `remarks` say what stays."""

    def __init__(self, target: Target, now: str) -> None:
        self.target, self.now = target, now
        self.remarks: tuple[str, ...] = ()

    def __call__(self, connection: Connection) -> None:
        """Erase it within the caller's transaction."""
        erasure = KINDS[self.target.kind](connection, self.target.name)
        note_forgotten(connection, erasure.seqs, self.now)
        erase(connection, erasure)
        left = labels_left(connection, erasure) if self.target.kind == "entity" else []
        self.remarks = tuple(f"{label} bears the name and stays: it is a label that a client gave" for label in left)
