"""What rests on messages, upward: chunks, replies, edges, profile entries, insights, episodes, procedures, told facts.

And the other way, for what is no edge: the chunks that a profile entry, an episode or a procedure was read from.
"""

import json
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from hymem.errors import UnknownError
from hymem.store.connection import Connection


class Resting(NamedTuple):
    """Something that rests on a message: in which table it stands, its id where it has one, and what it says."""

    table: str
    id: int | None
    text: str


class Reading(NamedTuple):
    """A chunk's word for or against a profile entry."""

    chunk_id: int
    polarity: int
    quote: str


class Narrative(NamedTuple):
    """An episode or a procedure, and the messages it tells of."""

    kind: str
    id: int
    title: str
    text: str
    session_id: str
    first_seq: int
    last_seq: int


_RESTING: Final = """
    with gone as (select value as seq from json_each(:seqs)),
    cut as (select chunk_id, text from chunks where message_seq in gone or context_seq in gone),
    told as (select distinct edge_id from kg_evidence where chunk_id in (select chunk_id from cut)),
    reached as (
        select edge_id from told
        union
        select g.edge_id from knowledge_graph g, json_each(g.path) step where g.derived and step.value in told)
    select 'chunks', chunk_id, text from cut
    union all
    select 'processed_chunks', null, p.kind || ' by ' || p.model || ': ' || p.reply
    from processed_chunks p
    where exists (select 1 from messages m
                  where m.seq in gone and m.session_id = p.session_id and m.seq between p.first_seq and p.last_seq)
    union all
    select 'knowledge_graph', edge_id, subject || ' ' || predicate || ' ' || object || iif(derived, ' (derived)', '')
    from knowledge_graph where edge_id in reached
    union all
    select 'profile_entries', entry_id, peer_id || ' ' || kind || ' ' || statement
    from profile_entries
    where entry_id in (select entry_id from profile_evidence where chunk_id in (select chunk_id from cut))
    union all
    select 'insights', null, statement
    from insights i where exists (select 1 from json_each(i.edges) e where e.value in reached)
    union all
    select 'episodes', episode_id, title
    from episodes e
    where exists (select 1 from messages m
                  where m.seq in gone and m.session_id = e.session_id and m.seq between e.first_seq and e.last_seq)
    union all
    select 'procedures', procedure_id, name
    from procedures e
    where exists (select 1 from messages m
                  where m.seq in gone and m.session_id = e.session_id and m.seq between e.first_seq and e.last_seq)
    union all
    select 'facts', fact_id, content
    from facts
    where fact_id in (
        select fact_id from facts_told join messages using (message_id) where seq in gone
        union
        select fact_id from fact_acts join messages using (message_id) where seq in gone)"""


def seqs_of(connection: Connection, message_ids: Iterable[str]) -> list[int]:
    """The numbers of messages; raises `UnknownError` for one that is not there."""
    found: list[int] = []
    for message_id in message_ids:
        rows = connection.execute("select seq from messages where message_id = ?", (message_id,)).fetchall()
        if not rows:
            raise UnknownError(f"no message {message_id!r}: `hymem show messages` lists them")
        found.append(rows[0][0])
    return found


def resting_on(connection: Connection, seqs: Iterable[int]) -> list[Resting]:
    """Everything in memory that one of these messages has a part in."""
    found = connection.execute(_RESTING, {"seqs": json.dumps(list(seqs))})
    return [Resting(*row) for row in found]


def readings_of_entry(connection: Connection, entry_id: int) -> list[Reading]:
    """Every chunk's word on a profile entry, the oldest first."""
    found = connection.execute(
        """
        select e.chunk_id, e.polarity, m.quote
        from profile_evidence e
        join behavioral_markers m using (chunk_id, position)
        join chunks c using (chunk_id)
        where e.entry_id = ?
        order by c.said_at, e.chunk_id, e.position
        """,
        (entry_id,),
    )
    return [Reading(*row) for row in found]


def narrative(connection: Connection, identifier: int) -> Narrative | None:
    """The episode or procedure of that id."""
    found = connection.execute(
        """
        select 'episode', episode_id, title, summary, session_id, first_seq, last_seq from episodes where episode_id = :id
        union all
        select 'procedure', procedure_id, name, description, session_id, first_seq, last_seq
        from procedures where procedure_id = :id
        """,
        {"id": identifier},
    ).fetchall()
    return Narrative(*found[0]) if found else None


def messages_within(connection: Connection, story: Narrative) -> list[int]:
    """The numbers of the messages that a narrative tells of."""
    found: list[tuple[Any, ...]] = connection.execute(
        "select seq from messages where session_id = ? and seq between ? and ? order by created_at, seq",
        (story.session_id, story.first_seq, story.last_seq),
    ).fetchall()
    return [seq for (seq,) in found]
