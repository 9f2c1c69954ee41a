"""The public methods of honcho-ai, and which of them a block of code has called."""

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from honcho import aio, client, conclusions, pagination, peer, scope, session, session_context

CLASSES = (
    client.Honcho,
    peer.Peer,
    session.Session,
    scope.Scope,
    conclusions.ConclusionsView,
    conclusions.WorkspaceConclusions,
    session_context.SessionContext,
    pagination.SyncPage,
    pagination.AsyncPage,
    aio.HonchoAio,
    aio.PeerAio,
    aio.SessionAio,
    aio.ScopeAio,
    aio.ConclusionsViewAio,
    aio.WorkspaceConclusionsAio,
)


def public_methods() -> set[str]:
    """The names, as Class.method, of what the classes offer; of what they inherit, the name of the class that has it."""
    return {name for kind in CLASSES for name in _methods(kind)}


def _methods(kind: type) -> Iterator[str]:
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        function = getattr(found, "fget", None) or getattr(found, "__func__", found)
        function = inspect.unwrap(function) if callable(function) else function
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__.startswith("honcho."):
            yield function.__qualname__


@contextmanager
def calls() -> Iterator[set[str]]:
    """The names of the SDK's functions that are called in the block."""
    called = set[str]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("honcho."):
            called.add(frame.f_code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(before)
