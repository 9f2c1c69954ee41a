"""What is to be forgotten: one thing, by its kind and its name."""

from collections.abc import Callable
from typing import Final, NamedTuple

from hymem.errors import InputError
from hymem.store.connection import Connection
from hymem.store.erasure import Erasure, erase
from hymem.store.erasure_scope import (
    erasure_of_entity,
    erasure_of_message,
    erasure_of_peer,
    erasure_of_session,
    labels_left,
)

KINDS: Final[dict[str, Callable[[Connection, str], Erasure]]] = {
    "message": erasure_of_message,
    "session": erasure_of_session,
    "peer": erasure_of_peer,
    "entity": erasure_of_entity,
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


class Forgetting:
    """The act of forgetting: each time it is called it looks again what has to go. `remarks` say what stays."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.remarks: tuple[str, ...] = ()

    def __call__(self, connection: Connection) -> None:
        """Erase it within the caller's transaction."""
        erasure = KINDS[self.target.kind](connection, self.target.name)
        erase(connection, erasure)
        left = labels_left(connection, erasure) if self.target.kind == "entity" else []
        self.remarks = tuple(f"{label} bears the name and stays: it is a label that a client gave" for label in left)
