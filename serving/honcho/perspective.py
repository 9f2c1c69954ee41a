"""Perspectives: with whose ears memory is heard, when one peer is asked about another, or about itself.

What a peer can know is what was said while it was there. Of another peer it knows what was said in the sessions in which both
take part, of itself what was said in its own. Memory is recomputed over just that, confidences and derived edges included, so
that nothing it did not hear shows through; where it heard everything, memory itself answers. A scope hears its sessions whole.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hymem.errors import UnknownError
from hymem.store.conclusions import ConclusionRecord, conclusions_between, without_deleted
from hymem.store.connection import Connection
from hymem.store.perspectives import heard_everything, sessions_of
from hymem.store.scopes import PREFIX, is_scope
from serving.honcho.concluding import conclusions_drawn
from serving.memory import HyMem
from serving.workspaces import Workspaces


@dataclass(frozen=True)
class Hearing:
    """Who observes whom, in which sessions; `heard_by` is the peer whose coming and going counts, None for a scope.

    `named` are the sessions that were asked for, whoever heard them; None for all.
    """

    observer: str
    observed: str
    sessions: tuple[str, ...]
    heard_by: str | None
    named: frozenset[str] | None = None


@dataclass(frozen=True)
class Perspective:
    """What `observer` can know of `observed`, for the length of a block.

    `memory` answers as memory does, and holds what was heard and nothing else; None where nothing was. `ledger` is the
    workspace's own memory, in which clients' words are.
    """

    observer: str
    observed: str
    sessions: tuple[str, ...]
    named: frozenset[str] | None
    memory: HyMem | None
    ledger: HyMem

    def conclusions(self) -> list[ConclusionRecord]:
        """What is concluded of the observed peer: what clients wrote, and what follows from what was heard."""
        return [*self.written(), *self.drawn()]

    def drawn(self) -> list[ConclusionRecord]:
        """What follows from what was heard and nobody deleted: explicit, deductive, contradictions, each the earliest first."""
        if self.memory is None:
            return []
        with self.memory.reading() as connection:
            drawn = conclusions_drawn(connection, self.observer, self.observed)
        with self.ledger.reading() as connection:
            return without_deleted(connection, drawn)

    def written(self) -> list[ConclusionRecord]:
        """What clients concluded for this observer; where sessions were asked for, only what is of these."""
        with self.ledger.reading() as connection:
            told = conclusions_between(connection, self.observer, self.observed)
        return [record for record in told if self.named is None or record.session_id in self.named]


@contextmanager
def perspective(
    workspaces: Workspaces,
    workspace_id: str,
    observer: str,
    observed: str | None = None,
    *,
    sessions: Iterable[str] | None = None,
    scopes: Sequence[str] = (),
) -> Generator[Perspective, None, None]:
    """The observer's view of the observed peer, or of itself; only of these sessions, where they are given.

    `scopes` are the ids of scopes that look in the observer's place. Raises `UnknownError` for a scope that is not there.
    """
    with workspaces.use_views(workspace_id) as (memory, views):
        with memory.reading() as connection:
            heard = hearing(connection, observer, observed or observer, sessions, scopes)
            everything = heard_everything(connection, heard.heard_by, heard.sessions)

        def seen(through: HyMem | None) -> Perspective:
            return Perspective(heard.observer, heard.observed, heard.sessions, heard.named, through, memory)

        if everything or not heard.sessions:
            yield seen(memory if heard.sessions else None)
            return
        with views.get(sessions=heard.sessions, heard_by=heard.heard_by, in_child=True, fresh=False) as view:
            yield seen(view)


def hearing(
    connection: Connection,
    observer: str,
    observed: str,
    named: Iterable[str] | None = None,
    scopes: Sequence[str] = (),
) -> Hearing:
    """In which sessions an observer, or some scopes in its place, may hear of the observed peer."""
    own = sessions_of(connection, observed)
    shared = own
    if scopes:
        if missing := [scope for scope in scopes if not is_scope(connection, scope)]:
            raise UnknownError(f"no scope {', '.join(map(repr, missing))}")
        shared = own & {name for scope in scopes for name in sessions_of(connection, PREFIX + scope)}
        observer = PREFIX + scopes[0]
    elif observer != observed:
        shared = own & sessions_of(connection, observer, observing=True)
    only = None if named is None else frozenset(named)
    heard = shared if only is None else shared & only
    return Hearing(observer, observed, tuple(sorted(heard)), None if scopes else observer, only)
