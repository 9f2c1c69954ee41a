"""Episodes and procedures by their words: the few that BM25 puts first, with all that the index has of each."""

import json
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from hymem.store.connection import Connection
from hymem.store.experience import EpisodeRecord, ProcedureRecord, as_episode, as_procedure
from hymem.store.search import Term, quoted

Kind = Literal["episode", "procedure"]

_INDEXED: Final = {
    "episode": ("episodes", ("title", "summary", "outcome", "entities", "bigrams")),
    "procedure": ("procedures", ("name", "description", "wording", "triggers", "entities", "bigrams")),
}


def matching(connection: Connection, kind: Kind, terms: Sequence[Term], most: int) -> list[int]:
    """The ids of those in which any of the terms stands, the best first."""
    if not terms:
        return []
    table, _ = _INDEXED[kind]
    found = connection.execute(
        f"""
        select rowid
        from {table}_fts
        where {table}_fts match ?
        order by rank
        limit ?
        """,
        (" OR ".join(quoted(term.word) for term in terms), most),
    )
    return [rowid for (rowid,) in found]


def indexed_texts(connection: Connection, kind: Kind, ids: Iterable[int]) -> dict[int, str]:
    """What the index has of each, as one text."""
    table, columns = _INDEXED[kind]
    found = connection.execute(
        f"""
        select {kind}_id, {" || ' ' || ".join(columns)}
        from {table}
        where {kind}_id in (select value from json_each(?))
        """,
        (json.dumps(list(ids)),),
    )
    return dict(found.fetchall())


def episodes_by_id(connection: Connection, ids: Iterable[int]) -> dict[int, EpisodeRecord]:
    """These episodes, those that are there."""
    found = connection.execute(
        """
        select episode_id, session_id, title, summary, outcome, entities, first_seq, last_seq, started_at, ended_at
        from episodes
        where episode_id in (select value from json_each(?))
        """,
        (json.dumps(list(ids)),),
    )
    return {row[0]: as_episode(row) for row in found}


def procedures_by_id(connection: Connection, ids: Iterable[int]) -> dict[int, ProcedureRecord]:
    """These procedures, those that are there."""
    found = connection.execute(
        """
        select procedure_id, session_id, name, description, steps, triggers, entities, said_at
        from procedures
        where procedure_id in (select value from json_each(?))
        """,
        (json.dumps(list(ids)),),
    )
    return {row[0]: as_procedure(row) for row in found}


def experiences_called(connection: Connection, kind: Kind, name: str, identifier: int | None) -> set[int]:
    """The ids of those that have this title or name, in capitals or not, or this id."""
    table, (title, *_) = _INDEXED[kind]
    found = connection.execute(
        f"""
        select {kind}_id
        from {table}
        where {title} = ? collate nocase or {kind}_id = ?
        """,
        (name, identifier),
    )
    return {rowid for (rowid,) in found}
