"""How far something that was said came on its way to recall: message, chunk, reply, evidence."""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hymem.store.connection import Connection


class Said(NamedTuple):
    """A message, as far as it may name somebody."""

    seq: int
    peer_id: str
    content: str


class Reading(NamedTuple):
    """A chunk and what became of it: whether a model reads it, its text is kept, it was answered; what was refused."""

    chunk_id: int
    salient: bool
    kept: bool
    answered: bool
    refused: tuple[str, ...]


def message_named(connection: Connection, message_id: str) -> int | None:
    """The number of the message of that id."""
    found = connection.execute("select seq from messages where message_id = ?", (message_id,)).fetchall()
    return found[0][0] if found else None


def everything_said(connection: Connection) -> Iterator[Said]:
    """All messages, the newest first."""
    for row in connection.execute("select seq, peer_id, content from messages order by seq desc"):
        yield Said(*row)


def readings(connection: Connection, seqs: Iterable[int]) -> list[Reading]:
    """The chunks that these messages went into."""
    found = connection.execute(
        """
        with asked as (select value from json_each(?))
        select chunk_id, salience_reason <> '', text <> '', refused is not null, coalesce(refused, '[]')
        from chunks left join chunk_replies using (chunk_id)
        where message_seq in asked or context_seq in asked
        order by chunk_id
        """,
        (json.dumps(list(seqs)),),
    )
    return [
        Reading(chunk_id, bool(salient), bool(kept), bool(answered), tuple(map(str, json.loads(refused))))
        for chunk_id, salient, kept, answered, refused in found
    ]


def edges_from(connection: Connection, chunk_ids: Iterable[int]) -> set[int]:
    """The edges for or against which these chunks are evidence."""
    found = connection.execute(
        "select edge_id from kg_evidence where chunk_id in (select value from json_each(?))",
        (json.dumps(list(chunk_ids)),),
    )
    return {edge_id for (edge_id,) in found}


def was_retracted_by_a_person(connection: Connection, edge: tuple[str, str, str]) -> bool:
    """Whether the last that a person said of an edge is that it is wrong."""
    found = connection.execute(
        """
        select act from extraction_feedback
        where (subject, predicate, object) = (?, ?, ?)
        order by created_at desc, feedback_id desc limit 1
        """,
        edge,
    )
    return found.fetchall() == [("retract",)]
