"""`MemoryStore`: told facts with trust, by the names and shapes that hermes-agent's built-in store has.

It opens on a `HyMem`, or on a path, and sees one peer's facts only. Each read honours `min_trust`. Threads may share it, and
other processes may have the same file open.
"""

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self
from weakref import WeakSet

from hymem.errors import InputError, RefusedFactError, StoreError, UnknownError, UnknownFactError
from hymem.settings import DATABASE
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.facts import erasing, found, standing, told
from hymem.store.facts.found import Scope
from hymem.store.lock import Clock
from hymem.store.messages import identifier
from hymem.times import wall_clock
from hymem.told_facts import GENERAL, Fact, FactHit
from hymem.trust import DEFAULT_TRUST, LEAST_SERVED, checked_trust
from hymem.vocabulary import DEFAULT_PEERS
from serving.facts import by_name
from serving.recall.told_facts import recall_facts

MOST: Final = 10_000


class MemoryStore:
    """The told facts of one peer.

    `where` is a folder (its `hymem.db` is meant), a file named `*.db`, or a `Database` that is open; `HyMem.fact_store` opens on
    a `HyMem`. `hrr_dim` is how long
    holographic vectors are to be: a file whose vectors have another length is migrated at once. None leaves it as it is.
    """

    def __init__(
        self,
        where: Path | str | Database,
        *,
        peer_id: str = DEFAULT_PEERS["user"],
        default_trust: float = DEFAULT_TRUST,
        min_trust: float = LEAST_SERVED,
        hrr_dim: int | None = None,
        clock: Clock = wall_clock,
        stored_form: Callable[[str], str] = str,
    ) -> None:
        """Open it; raises `StoreError` where that cannot be, `RefusedFactError` where a setting cannot be meant."""
        with _refusing():
            self.peer_id = identifier(peer_id, "peer_id")
            self.default_trust = checked_trust(default_trust, "default_trust")
            self.min_trust = checked_trust(min_trust, "min_trust")
        self._clock, self._stored_form = clock, stored_form
        self._owns = not isinstance(where, Database)
        self._database = where if isinstance(where, Database) else Database.open(_file(Path(where)))
        self._closed = False
        with _opening:
            _open.add(self)
        if hrr_dim is not None:
            self._migrate(hrr_dim)

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Let go of it; what was opened elsewhere stays open. Closing twice is closing once."""
        self._closed = True
        if self._owns:
            self._database.close()

    @classmethod
    def release_all_under(cls, directory: Path | str) -> int:
        """Close every store of this process whose file lies in a folder, so that it can be moved or deleted; how many."""
        folder = Path(directory).resolve()
        with _opening:
            stores = [store for store in _open if not store._closed]
        held = [store for store in stores if store._database.path.resolve().is_relative_to(folder)]
        for store in held:
            store.close()
            store._database.close()
        return len(held)

    # ------------------------------------------------------------------------------------------------- what is told

    def add_fact(
        self,
        content: str,
        category: str = GENERAL,
        tags: str = "",
        *,
        trust: float | None = None,
        message_id: str | None = None,
    ) -> int:
        """Tell a fact and return its id; one that stands already keeps its id, and is left as it is.

        Raises `RefusedFactError`, a `ValueError`, where it says nothing or too much. `message_id` names the message in which it
        was said: erasing that erases the fact.
        """
        first = self.default_trust if trust is None else trust
        with self._writing() as connection:
            return told.tell_fact(
                connection,
                self._kept(content),
                self._clock(),
                peer_id=self.peer_id,
                category=category,
                tags=self._kept(tags),
                trust=first,
                message_id=message_id,
            )

    def update_fact(
        self,
        fact_id: int,
        content: str | None = None,
        trust_delta: float | None = None,
        tags: str | None = None,
        category: str | None = None,
        *,
        message_id: str | None = None,
    ) -> bool:
        """Say what is to be otherwise; None leaves a thing as it is. False where there is no such fact.

        Raises `RefusedFactError` where the new words are blank, or are another fact's.
        """
        with self._writing() as connection:
            fact = self._fact(connection, fact_id)
            if fact is None:
                return False
            told.update_fact(
                connection,
                fact,
                self._clock(),
                content=self._kept(content),
                category=category,
                tags=self._kept(tags),
                trust_change=trust_delta,
                message_id=message_id,
            )
            return True

    def _kept(self, words: Any) -> Any:
        """Words as the ledger is to keep them; what is no text is left for `told` to refuse."""
        return self._stored_form(words) if isinstance(words, str) else words

    def remove_fact(self, fact_id: int) -> bool:
        """Say that a fact is to be found no more; False where there is no such fact. The ledger keeps it: see `forget_fact`."""
        with self._writing() as connection:
            fact = self._fact(connection, fact_id)
            if fact is not None:
                told.record_fact_act(connection, "remove", fact.fact_id, self._clock())
            return fact is not None

    def forget_fact(self, fact_id: int) -> bool:
        """Erase a fact, removed or not, with all that was said of it; False where there is none."""
        with self._writing() as connection:
            if not told.is_fact_of(connection, self.peer_id, fact_id):
                return False
            erasing.erase_facts(connection, fact_ids=[fact_id])
        self._database.checkpoint()
        return True

    def record_feedback(self, fact_id: int, helpful: bool) -> dict[str, Any]:
        """Say that a fact helped (+0.05) or did not (−0.10): fact_id, old_trust, new_trust, helpful_count.

        Raises `UnknownFactError`, a `KeyError`, where there is no such fact.
        """
        if not isinstance(helpful, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RefusedFactError(f"helpful must be true or false, not {helpful!r:.40}")
        with self._writing() as connection:
            old = self._fact(connection, fact_id)
            if old is None:
                raise UnknownFactError(f"there is no fact {fact_id!r:.40}: `hymem show facts` lists them")
            told.record_fact_act(connection, told.MARKS[0 if helpful else 1], old.fact_id, self._clock())
            new = self._fact(connection, fact_id) or old
        return {
            "fact_id": old.fact_id,
            "old_trust": old.trust_score,
            "new_trust": new.trust_score,
            "helpful_count": new.helpful_count,
        }

    def rebuild_all_vectors(self, dim: int | None = None) -> int:
        """Compute facts, entities, links, vectors and banks anew from what was told, with vectors of `dim`; how many facts."""
        with self._writing() as connection:
            return standing.rebuild(connection, dim)

    # ------------------------------------------------------------------------------------------------- what is found

    def list_facts(self, category: str | None = None, min_trust: float = 0.0, limit: int = 50) -> list[dict[str, Any]]:
        """Facts, the most trusted first."""
        with self._reading() as connection:
            return [fact.as_dict() for fact in found.facts(connection, self._scope(category, min_trust), _count(limit))]

    def search_facts(
        self, query: str, category: str | None = None, min_trust: float | None = None, limit: int = 10
    ) -> list[dict[str, Any]]:
        """Facts that bear on a query, the best first, with `score` and `why_retrieved`; none where none is relevant.

        Each time that a fact is found here counts in its `retrieval_count`, but for a view of memory, where nothing is counted.
        """
        with self._reading() as connection:
            hits = recall_facts(connection, _text(query), _count(limit), self._scope(category, min_trust))
        counted = not self._database.sealed
        if hits and counted:
            with self._writing() as connection:
                standing.count_retrievals(connection, [hit.fact.fact_id for hit in hits])
        return [_shown(hit, found_now=int(counted)) for hit in hits]

    def probe(
        self, entity: str, category: str | None = None, limit: int = 10, min_trust: float | None = None
    ) -> list[dict[str, Any]]:
        """Facts about an entity, by any of its names."""
        with self._reading() as connection:
            hits = by_name.probe(connection, self._scope(category, min_trust), _text(entity))
        return [_shown(hit) for hit in hits[: _count(limit)]]

    def related(
        self, entity: str, category: str | None = None, limit: int = 10, min_trust: float | None = None
    ) -> list[dict[str, Any]]:
        """Facts about an entity, then facts about what those name beside it."""
        with self._reading() as connection:
            hits = by_name.related(connection, self._scope(category, min_trust), _text(entity))
        return [_shown(hit) for hit in hits[: _count(limit)]]

    def reason(
        self, entities: Sequence[str], category: str | None = None, limit: int = 10, min_trust: float | None = None
    ) -> list[dict[str, Any]]:
        """Facts about all of the entities at once."""
        names = [_text(entity) for entity in ([entities] if isinstance(entities, str) else entities)]
        with self._reading() as connection:
            hits = by_name.reason(connection, self._scope(category, min_trust), names)
        return [_shown(hit) for hit in hits[: _count(limit)]]

    def contradict(
        self, category: str | None = None, threshold: float = 0.3, limit: int = 10, min_trust: float | None = None
    ) -> list[dict[str, Any]]:
        """Pairs of facts that cannot well both hold: fact_a (the newer), fact_b, contradiction_score, shared_entities."""
        with self._reading() as connection:
            pairs = by_name.contradict(connection, self._scope(category, min_trust), threshold)
        return [
            {
                "fact_a": pair.newer.as_dict(),
                "fact_b": pair.older.as_dict(),
                "contradiction_score": round(pair.score, 6),
                "shared_entities": list(pair.about),
            }
            for pair in pairs[: _count(limit)]
        ]

    def banks(self, entity: str | None = None) -> list[dict[str, Any]]:
        """Categories' banks: bank_name, fact_count, snr (under 2, members are lost in it), and the likeness to an entity."""
        with self._reading() as connection:
            held = by_name.banks(connection, self._scope(None, None), None if entity is None else _text(entity))
        return [
            {"bank_name": bank.bank_name, "fact_count": bank.fact_count, "snr": bank.snr, "likeness": bank.likeness}
            for bank in held
        ]

    def fact(self, fact_id: int) -> dict[str, Any]:
        """One fact, however far it is trusted; raises `UnknownFactError`."""
        with self._reading() as connection:
            fact = self._fact(connection, fact_id)
        if fact is None:
            raise UnknownFactError(f"there is no fact {fact_id!r:.40}: `hymem show facts` lists them")
        return fact.as_dict()

    # ------------------------------------------------------------------------------------------------------ within

    def _scope(self, category: str | None, min_trust: float | None) -> Scope:
        least = self.min_trust if min_trust is None else checked_trust(min_trust, "min_trust")
        return Scope(self.peer_id, category, least)

    def _fact(self, connection: Connection, fact_id: int) -> Fact | None:
        if isinstance(fact_id, bool) or not isinstance(fact_id, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"a fact is named by its number, not by {fact_id!r:.40}")
        return found.facts_by_id(connection, Scope(self.peer_id, None, 0.0), [fact_id]).get(fact_id)

    def _migrate(self, dim: int) -> None:
        with self._reading() as connection:
            as_it_is = standing.dimension(connection) == dim
        if not as_it_is:
            self.rebuild_all_vectors(dim)

    @contextmanager
    def _reading(self) -> Generator[Connection, None, None]:
        with _refusing(), self._usable().reading() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Generator[Connection, None, None]:
        with _refusing(), self._usable().writing() as connection:
            yield connection

    def _usable(self) -> Database:
        if self._closed:
            raise StoreError(f"this store of {self._database.path} was closed: open another MemoryStore")
        return self._database


_open: Final[WeakSet[MemoryStore]] = WeakSet()
_opening: Final = threading.Lock()


@contextmanager
def _refusing() -> Generator[None, None, None]:
    """Refusals are `ValueError`s here too, as callers of the built-in store expect."""
    try:
        yield
    except (UnknownError, RefusedFactError):
        raise
    except InputError as error:
        raise RefusedFactError(str(error)) from error


def _file(where: Path) -> Path:
    return where if where.suffix == ".db" else where / DATABASE


def _shown(hit: FactHit, found_now: int = 0) -> dict[str, Any]:
    fact = hit.fact.as_dict()
    fact["retrieval_count"] += found_now
    return {**fact, "score": hit.score, "why_retrieved": list(hit.why_retrieved)}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise RefusedFactError(f"what is asked for must be text, not {value!r:.40}")
    return value


def _count(limit: object) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise RefusedFactError(f"limit must be a number from 0 on, not {limit!r:.40}")
    return min(limit, MOST)
