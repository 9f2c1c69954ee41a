"""Told facts as they stand, with their entities, links and banks: kept in step with the ledger, fact by fact.

Each row is a function of one fact's own ledger rows, and a bank is a sum of integers, so that it does not matter in which
order facts came, went or changed: `rebuild` gives the same rows from the ledger alone.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hymem.bigrams import bigrams
from hymem.canonical import canonical_name
from hymem.digests import digest63
from hymem.fact_names import aliases_in, names_in
from hymem.holographic import Codes, checked_dimension, decoded, encode_fact, encoded
from hymem.store.connection import Connection
from hymem.told_facts import Fact, FactAct, ToldFact, standing

_PART: Final = 1 << 20
_DERIVED: Final = ("fact_aliases", "fact_entities", "facts", "entities", "memory_banks")


@dataclass(frozen=True)
class _Row:
    """What of a row of `facts` other rows depend on."""

    peer_id: str
    content: str
    category: str
    vector: bytes


def rebuild(connection: Connection, dim: int | None = None) -> int:
    """Compute everything anew from the ledger, with vectors of `dim` dimensions, or as many as now; the facts that stand."""
    if dim is not None:
        connection.execute("update fact_space set dimension = ?", (checked_dimension(dim),))
    for table in _DERIVED:
        connection.execute(f"delete from {table}")
    told = connection.execute("select fact_id from facts_told order by fact_id").fetchall()
    settle(connection, [fact_id for (fact_id,) in told])
    return connection.execute("select count(*) from facts").fetchall()[0][0]


def dimension(connection: Connection) -> int:
    """How long the vectors are."""
    return connection.execute("select dimension from fact_space").fetchall()[0][0]


def settle(connection: Connection, fact_ids: Iterable[int], erased: bool = False) -> None:
    """Bring the rows of some facts in step with the ledger; those of facts that are about to be erased go."""
    for fact_id in fact_ids:
        _settle(connection, fact_id, None if erased else _standing(connection, fact_id))


def _settle(connection: Connection, fact_id: int, fact: Fact | None) -> None:
    before = _row(connection, fact_id)
    if fact is not None and before is not None and before.content == fact.content:
        after = _Row(fact.peer_id, fact.content, fact.category, before.vector)
        _write_labels(connection, fact)
        if before.category != after.category:
            _move(connection, before, after)
        return
    touched = _remove(connection, fact_id) if before else set[int]()
    after = _add(connection, fact) if fact else None
    touched |= _entities_of(connection, fact_id)
    _name(connection, touched)
    _move(connection, before, after)


def _standing(connection: Connection, fact_id: int) -> Fact | None:
    told = connection.execute(
        """
        select fact_id, peer_id, content, category, tags, trust, created_at, coalesce(r.count, 0)
        from facts_told left join fact_retrievals r using (fact_id)
        where fact_id = ?
        """,
        (fact_id,),
    ).fetchall()
    acts = connection.execute(
        "select act, content, category, tags, trust_change, created_at from fact_acts where fact_id = ? order by act_id",
        (fact_id,),
    )
    return standing(ToldFact(*told[0][:-1]), [FactAct(*row) for row in acts], told[0][-1]) if told else None


def _row(connection: Connection, fact_id: int) -> _Row | None:
    found = connection.execute(
        "select peer_id, content, category, hrr_vector from facts where fact_id = ?", (fact_id,)
    ).fetchall()
    return _Row(*found[0]) if found else None


def _write_labels(connection: Connection, fact: Fact) -> None:
    connection.execute(
        """
        update facts
        set category = ?, tags = ?, bigrams = ?, trust_score = ?, helpful_count = ?, updated_at = ?
        where fact_id = ?
        """,
        (
            *(fact.category, fact.tags, _bigrams(fact), fact.trust_score, fact.helpful_count, fact.updated_at),
            fact.fact_id,
        ),
    )


def _add(connection: Connection, fact: Fact) -> _Row:
    named = {canonical_name(name): name for name in names_in(fact.content)}
    vector = codes_as_bytes(encoded(encode_fact(fact.content, named, dimension(connection))))
    connection.execute(
        """
        insert into facts (
          fact_id, peer_id, content, category, tags, trust_score, helpful_count, retrieval_count, created_at, updated_at,
          names, bigrams, hrr_vector
        ) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            *(fact.fact_id, fact.peer_id, fact.content, fact.category, fact.tags, fact.trust_score),
            *(fact.helpful_count, fact.retrieval_count, fact.created_at, fact.updated_at),
            *(" ".join(named), _bigrams(fact), vector),
        ),
    )
    _link(connection, fact, named)
    return _Row(fact.peer_id, fact.content, fact.category, vector)


def _bigrams(fact: Fact) -> str:
    return bigrams(f"{fact.content} {fact.tags}")


def _link(connection: Connection, fact: Fact, named: dict[str, str]) -> None:
    entities = [(digest63("fact entity", fact.peer_id, key), key, name) for key, name in named.items()]
    connection.executemany(
        "insert or ignore into entities (entity_id, peer_id, canonical, name) values (?, ?, ?, ?)",
        [(entity_id, fact.peer_id, key, name) for entity_id, key, name in entities],
    )
    connection.executemany(
        "insert into fact_entities (fact_id, entity_id, name) values (?, ?, ?)",
        [(fact.fact_id, entity_id, name) for entity_id, _, name in entities],
    )
    connection.executemany(
        "insert into fact_aliases (fact_id, alias, canonical) values (?, ?, ?)",
        [(fact.fact_id, alias, name) for alias, name in aliases_in(fact.content)],
    )


def _remove(connection: Connection, fact_id: int) -> set[int]:
    """Take a fact's rows away; the entities that it named."""
    named = _entities_of(connection, fact_id)
    connection.execute("delete from facts where fact_id = ?", (fact_id,))
    return named


def _entities_of(connection: Connection, fact_id: int) -> set[int]:
    found = connection.execute("select entity_id from fact_entities where fact_id = ?", (fact_id,))
    return {entity_id for (entity_id,) in found}


def _name(connection: Connection, entity_ids: Iterable[int]) -> None:
    """Call entities as the first of their facts does; those of which no fact is left go."""
    for entity_id in entity_ids:
        first = connection.execute(
            "select name from fact_entities where entity_id = ? order by fact_id limit 1", (entity_id,)
        ).fetchall()
        if first:
            connection.execute("update entities set name = ? where entity_id = ?", (first[0][0], entity_id))
        else:
            connection.execute("delete from entities where entity_id = ?", (entity_id,))


def _move(connection: Connection, before: _Row | None, after: _Row | None) -> None:
    """Take what a fact was out of its bank, and put what it is into its own."""
    changes: dict[tuple[str, str], list[tuple[int, bytes]]] = {}
    for sign, row in ((-1, before), (1, after)):
        if row is not None:
            changes.setdefault((row.peer_id, bank_name(row.category)), []).append((sign, row.vector))
    for (peer_id, name), parts in changes.items():
        _change_bank(connection, peer_id, name, parts)


def _change_bank(connection: Connection, peer_id: str, name: str, parts: Sequence[tuple[int, bytes]]) -> None:
    found = connection.execute(
        "select fact_count, sums from memory_banks where peer_id = ? and bank_name = ?", (peer_id, name)
    ).fetchall()
    count = (found[0][0] if found else 0) + sum(sign for sign, _ in parts)
    if not count:
        connection.execute("delete from memory_banks where peer_id = ? and bank_name = ?", (peer_id, name))
        return
    added: Any = sum(sign * _sums(codes_from_bytes(vector)) for sign, vector in parts)
    sums = added + np.frombuffer(found[0][1], dtype="<i8").reshape(added.shape) if found else added
    direction = encoded(np.arctan2(sums[1], sums[0]))
    connection.execute(
        """
        insert into memory_banks (peer_id, bank_name, dim, fact_count, sums, vector) values (?, ?, ?, ?, ?, ?)
        on conflict (peer_id, bank_name)
        do update set fact_count = excluded.fact_count, sums = excluded.sums, vector = excluded.vector
        """,
        (peer_id, name, sums.shape[1], count, sums.astype("<i8").tobytes(), codes_as_bytes(direction)),
    )


def _sums(codes: Codes) -> npt.NDArray[np.int64]:
    """A vector's cosines and sines as whole 2^20ths, shape (2, dim)."""
    angles = decoded(codes)
    return np.rint(np.stack([np.cos(angles), np.sin(angles)]) * _PART).astype(np.int64)


def bank_name(category: str) -> str:
    """What the bank of a category is called."""
    return f"cat:{category}"


def codes_as_bytes(codes: Codes) -> bytes:
    """A vector as it is stored."""
    return codes.astype("<u2").tobytes()


def codes_from_bytes(stored: bytes) -> Codes:
    """A stored vector, shape (dim,)."""
    return np.frombuffer(stored, dtype="<u2").astype(np.uint16)


def count_retrievals(connection: Connection, fact_ids: Sequence[int]) -> None:
    """Note that these facts were found once more."""
    wanted = json.dumps(list(fact_ids))
    connection.execute(
        """
        insert into fact_retrievals (fact_id, count)
        select fact_id, 1 from facts where fact_id in (select value from json_each(?))
        on conflict (fact_id) do update set count = count + 1
        """,
        (wanted,),
    )
    connection.execute(
        "update facts set retrieval_count = retrieval_count + 1 where fact_id in (select value from json_each(?))",
        (wanted,),
    )
