"""Told facts as they are looked for: one peer's, and none that is trusted less than was asked for."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hymem.aliases import Aliases
from hymem.canonical import folded_words
from hymem.holographic import Codes
from hymem.store.acts import alias_acts
from hymem.store.connection import Connection, Row
from hymem.store.facts.standing import bank_name, codes_from_bytes
from hymem.told_facts import Fact
from hymem.trust import LEAST_SERVED
from hymem.vocabulary import DEFAULT_PEERS

CANDIDATES: Final = 200


@dataclass(frozen=True)
class Scope:
    """Whose facts are looked for, in which category (None for all), and how far they must be trusted."""

    peer_id: str = DEFAULT_PEERS["user"]
    category: str | None = None
    min_trust: float = LEAST_SERVED


@dataclass(frozen=True)
class Bank:
    """All facts of a category in one vector."""

    bank_name: str
    fact_count: int
    vector: Codes


def facts(connection: Connection, scope: Scope, limit: int = -1) -> list[Fact]:
    """The facts of a scope, the most trusted first."""
    found = connection.execute(
        """
        select fact_id, peer_id, content, category, tags, trust_score, helpful_count, retrieval_count, created_at, updated_at
        from facts
        where peer_id = :peer_id and trust_score >= :min_trust and (:category is null or category = :category)
        order by trust_score desc, fact_id
        limit :limit
        """,
        {**_bindings(scope), "limit": limit},
    )
    return [Fact(*row) for row in found]


def facts_by_id(connection: Connection, scope: Scope, fact_ids: Collection[int]) -> dict[int, Fact]:
    """Those of the facts that are in the scope."""
    found = connection.execute(
        """
        select fact_id, peer_id, content, category, tags, trust_score, helpful_count, retrieval_count, created_at, updated_at
        from facts
        where fact_id in (select value from json_each(:ids))
          and peer_id = :peer_id and trust_score >= :min_trust and (:category is null or category = :category)
        """,
        {**_bindings(scope), "ids": json.dumps(list(fact_ids))},
    )
    return {row[0]: Fact(*row) for row in found}


def facts_saying(connection: Connection, content: str) -> list[Fact]:
    """The facts of exactly this content, in capitals or not, whosever they are and however far they are trusted."""
    found = connection.execute(
        """
        select fact_id, peer_id, content, category, tags, trust_score, helpful_count, retrieval_count, created_at, updated_at
        from facts
        where content = ? collate nocase
        order by fact_id
        """,
        (content,),
    )
    return [Fact(*row) for row in found]


def matching_facts(connection: Connection, scope: Scope, expression: str, limit: int = CANDIDATES) -> list[int]:
    """The ids of the facts that match an FTS5 expression best."""
    found = connection.execute(
        """
        select fact_id
        from facts_fts join facts on fact_id = facts_fts.rowid
        where facts_fts match :expression
          and peer_id = :peer_id and trust_score >= :min_trust and (:category is null or category = :category)
        order by bm25(facts_fts), fact_id
        limit :limit
        """,
        {**_bindings(scope), "expression": expression, "limit": limit},
    )
    return [fact_id for (fact_id,) in found]


def facts_with_word(connection: Connection, word: str, fact_ids: Collection[int], column: str = "") -> set[int]:
    """Those of the facts in which a word occurs, in any of its forms; in `column` of the index, where one is given."""
    expression = f'{column} : "{word}"' if column else f'"{word}"'
    found = connection.execute(
        """
        select rowid
        from facts_fts
        where facts_fts match ? and rowid in (select value from json_each(?))
        """,
        (expression, json.dumps(list(fact_ids))),
    )
    return {fact_id for (fact_id,) in found}


def facts_in_words(connection: Connection, scope: Scope, name: str) -> list[int]:
    """The ids of the facts in which a name occurs, as a phrase, though none of them shows it to be a name."""
    words = [word for word in folded_words(name) if word]
    return matching_facts(connection, scope, '"{}"'.format(" ".join(words))) if words else []


def facts_that_name(connection: Connection, scope: Scope, canonical: Collection[str]) -> dict[int, set[str]]:
    """The ids of the facts that name one of these entities, and which of them."""
    found = connection.execute(
        """
        select fact_id, canonical
        from entities e join fact_entities using (entity_id) join facts f using (fact_id)
        where e.peer_id = :peer_id and canonical in (select value from json_each(:names))
          and trust_score >= :min_trust and (:category is null or category = :category)
        """,
        {**_bindings(scope), "names": json.dumps(list(canonical))},
    )
    named: dict[int, set[str]] = defaultdict(set)
    for fact_id, name in found:
        named[fact_id].add(name)
    return dict(named)


def names_of(connection: Connection, fact_ids: Collection[int]) -> dict[int, dict[str, str]]:
    """What each fact names: canonical name → the name as it writes it."""
    found = connection.execute(
        """
        select fact_id, canonical, fe.name
        from fact_entities fe join entities using (entity_id)
        where fact_id in (select value from json_each(?))
        order by fact_id, canonical
        """,
        (json.dumps(list(fact_ids)),),
    )
    named: dict[int, dict[str, str]] = {fact_id: {} for fact_id in fact_ids}
    for fact_id, canonical, name in found:
        named[fact_id][canonical] = name
    return named


def vectors(connection: Connection, fact_ids: Sequence[int]) -> tuple[list[int], Codes]:
    """Ids, and vectors in their order, shape (count, dim)."""
    found: list[Row] = connection.execute(
        "select fact_id, hrr_vector from facts where fact_id in (select value from json_each(?)) order by fact_id",
        (json.dumps(list(fact_ids)),),
    ).fetchall()
    stacked = codes_from_bytes(b"".join(vector for _, vector in found))
    return [fact_id for fact_id, _ in found], stacked.reshape(len(found), -1) if found else np.empty((0, 1), np.uint16)


def fact_aliases(connection: Connection, peer_id: str) -> Aliases:
    """Which names mean the same: as people said of the graph's names, and as the peer's facts say."""
    told = connection.execute(
        "select alias, fa.canonical from fact_aliases fa join facts using (fact_id) where peer_id = ? order by fact_id, alias",
        (peer_id,),
    ).fetchall()
    return Aliases.replay([*alias_acts(connection), *told])


def banks(connection: Connection, scope: Scope) -> list[Bank]:
    """The banks of a peer's categories, by name."""
    found = connection.execute(
        """
        select bank_name, fact_count, vector
        from memory_banks
        where peer_id = :peer_id and (:bank is null or bank_name = :bank)
        order by bank_name
        """,
        {"peer_id": scope.peer_id, "bank": None if scope.category is None else bank_name(scope.category)},
    )
    return [Bank(name, count, codes_from_bytes(vector)) for name, count, vector in found]


def _bindings(scope: Scope) -> dict[str, Any]:
    return {"peer_id": scope.peer_id, "category": scope.category, "min_trust": scope.min_trust}
