"""Erasing: what must go when a message, a session, a peer or an entity is forgotten, and from which tables.

`HOLDERS` is the one list of the tables that hold what somebody said or did, each with what removes it from there. What a dream
computes (`MATERIALIZED`), and the vectors of that, follow from the ledger and need no entry; `WORDLESS` tables hold no words. A
table that is in none of these lists would outlive an erasure, and fails a test.

A name that nothing tells any more goes from people's acts as well: an alias of something that only the erased message named
would keep the name.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from hymem.mentions import NameFinder
from hymem.store.connection import Connection
from hymem.store.ledger import record_act

_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True)
class Erasure:
    """What is to go: messages and told facts by their numbers, sessions and peers, and names that nothing may tell afterwards.

    `edges` are those for or against which something erased was evidence; what people wrote about them may quote it.
    """

    seqs: frozenset[int] = frozenset()
    sessions: frozenset[str] = frozenset()
    peers: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    edges: frozenset[int] = frozenset()
    facts: frozenset[int] = frozenset()

    @cached_property
    def finder(self) -> NameFinder:
        """Finds the names in a text."""
        return NameFinder(self.names)

    def is_told(self, *texts: str | None) -> bool:
        """Whether one of the texts tells one of the names; escapes of JSON are read as what they stand for."""
        return bool(self.names) and any(bool(text) and bool(self.finder.find(_unescaped(text))) for text in texts)


def erase(connection: Connection, erasure: Erasure) -> None:
    """Remove it from every table that holds words, within the caller's transaction; memory itself follows with a dream."""
    for holder in HOLDERS.values():
        holder(connection, erasure)
    record_act(connection)


def texts_of(connection: Connection, erasure: Erasure) -> Iterator[str]:
    """What the messages that go say, and what models replied about them."""
    yield from _texts(
        connection,
        """
        select content || ' ' || metadata from messages where seq in (select value from json_each(:seqs))
        union all
        select reply from processed_chunks p where exists (
            select 1 from messages m
            where m.session_id = p.session_id and m.seq in (select value from json_each(:seqs))
              and m.seq between p.first_seq and p.last_seq)""",
        erasure.seqs,
    )


def texts_left(connection: Connection, erasure: Erasure) -> Iterator[str]:
    """What the messages that stay say, and what models replied about nothing but them."""
    yield from _texts(
        connection,
        """
        select content from messages where seq not in (select value from json_each(:seqs))
        union all
        select reply from processed_chunks p where not exists (
            select 1 from messages m
            where m.session_id = p.session_id and m.seq in (select value from json_each(:seqs))
              and m.seq between p.first_seq and p.last_seq)""",
        erasure.seqs,
    )


def _texts(connection: Connection, sql: str, seqs: Iterable[int]) -> Iterator[str]:
    for (text,) in connection.execute(sql, {"seqs": json.dumps(sorted(seqs))}):
        yield text


def _replies(connection: Connection, erasure: Erasure) -> None:
    """Replies about a stretch that holds an erased message, and those that tell a name."""
    connection.executemany(
        """
        delete from processed_chunks
        where session_id = (select session_id from messages where seq = :seq) and :seq between first_seq and last_seq
        """,
        [{"seq": seq} for seq in sorted(erasure.seqs)],
    )
    if erasure.names:
        told = connection.execute("select rowid, reply, beside from processed_chunks").fetchall()
        replies = [(row,) for row, reply, _ in told if erasure.is_told(reply)]
        connection.executemany("delete from processed_chunks where rowid = ?", replies)
        asides = [(row,) for row, _, beside in told if erasure.is_told(beside)]
        connection.executemany("update processed_chunks set beside = '{}' where rowid = ?", asides)


def _attempts(connection: Connection, erasure: Erasure) -> None:
    """Attempts of the sessions that lose something, and those that tell a name: their reasons quote replies."""
    connection.execute(
        """
        delete from attempts
        where session_id in (select session_id from messages where seq in (select value from json_each(?)))
        """,
        (json.dumps(sorted(erasure.seqs)),),
    )
    told = connection.execute("select kind, chunk_id, prompt_version, model, reason from attempts").fetchall()
    connection.executemany(
        "delete from attempts where (kind, chunk_id, prompt_version, model) = (?, ?, ?, ?)",
        [row[:4] for row in told if erasure.is_told(row[4])],
    )


def _facts(connection: Connection, erasure: Erasure) -> None:
    """Told facts that are named, of a peer, of a message, or that tell a name; what follows from them is kept in step."""
    if not connection.execute("select exists (select 1 from facts_told)").fetchall()[0][0]:
        return
    from hymem.store.facts.erasing import erase_facts  # numpy comes with it

    erase_facts(
        connection,
        fact_ids=erasure.facts,
        peer_ids=erasure.peers,
        seqs=erasure.seqs,
        is_told=erasure.is_told if erasure.names else None,
    )


def _deliveries(connection: Connection, erasure: Erasure) -> None:
    """What is remembered of requests to the sessions that lose something."""
    connection.execute(
        """
        delete from deliveries
        where session_id in (select session_id from messages where seq in (select value from json_each(?)))
        """,
        (json.dumps(sorted(erasure.seqs)),),
    )


def _messages(connection: Connection, erasure: Erasure) -> None:
    """The messages, with the chunks that were cut from them; their sessions begin with what is left."""
    seqs = json.dumps(sorted(erasure.seqs))
    moved = connection.execute(
        "select distinct session_id from messages where seq in (select value from json_each(?))", (seqs,)
    ).fetchall()
    connection.execute("delete from messages where seq in (select value from json_each(?))", (seqs,))
    connection.executemany(
        """
        update sessions
        set revision = revision + 1,
            started_at = coalesce((select min(created_at) from messages where session_id = :session), started_at)
        where session_id = :session
        """,
        [{"session": session} for (session,) in moved],
    )


def _sessions(connection: Connection, erasure: Erasure) -> None:
    connection.executemany("delete from sessions where session_id = ?", [(one,) for one in sorted(erasure.sessions)])


def _peers(connection: Connection, erasure: Erasure) -> None:
    connection.executemany("delete from peers where peer_id = ?", [(one,) for one in sorted(erasure.peers)])


def _aliases(connection: Connection, erasure: Erasure) -> None:
    acts = connection.execute("select alias_id, alias, canonical from entity_aliases").fetchall()
    gone = [(act,) for act, *ends in acts if not erasure.names.isdisjoint(ends)]
    connection.executemany("delete from entity_aliases where alias_id = ?", gone)


def _feedback(connection: Connection, erasure: Erasure) -> None:
    """Acts about an edge of such a name; of the others, reasons that tell one or are about an edge that loses evidence."""
    acts = connection.execute("select feedback_id, subject, object, reason from extraction_feedback").fetchall()
    gone = [(act,) for act, subject, object_, _ in acts if not erasure.names.isdisjoint((subject, object_))]
    connection.executemany("delete from extraction_feedback where feedback_id = ?", gone)
    silent = [(act,) for act, *_, reason in acts if erasure.is_told(reason)]
    connection.executemany("update extraction_feedback set reason = null where feedback_id = ?", silent)
    connection.execute(
        """
        update extraction_feedback as f set reason = null
        where reason is not null and exists (
            select 1 from knowledge_graph g
            where g.edge_id in (select value from json_each(?))
              and (g.subject, g.predicate, g.object) = (f.subject, f.predicate, f.object))
        """,
        (json.dumps(sorted(erasure.edges)),),
    )


def _conclusions(connection: Connection, erasure: Erasure) -> None:
    """Conclusions that tell a name; those of a session or of a peer go with it."""
    told = connection.execute("select seq, content from conclusions").fetchall()
    gone = [(seq,) for seq, content in told if erasure.is_told(content)]
    connection.executemany("delete from conclusions where seq = ?", gone)


def _cards(connection: Connection, erasure: Erasure) -> None:
    """Cards that tell a name; those by a peer or about it go with it."""
    told = connection.execute("select observer_id, observed_id, card from peer_cards").fetchall()
    gone = [pair for *pair, card in told if erasure.is_told(card)]
    connection.executemany("delete from peer_cards where (observer_id, observed_id) = (?, ?)", gone)


def _stays(connection: Connection, erasure: Erasure) -> None:
    connection.executemany(
        "delete from session_peers where session_id = ?", [(one,) for one in sorted(erasure.sessions)]
    )
    connection.executemany("delete from session_peers where peer_id = ?", [(one,) for one in sorted(erasure.peers)])


def _scopes(connection: Connection, erasure: Erasure) -> None:
    connection.executemany("delete from scopes where peer_id = ?", [(one,) for one in sorted(erasure.peers)])


def _workspace(connection: Connection, erasure: Erasure) -> None:
    """What clients attached to the workspace, where it tells a name."""
    for column in ("metadata", "configuration"):
        told = connection.execute(f"select {column} from workspace").fetchall()
        if any(erasure.is_told(text) for (text,) in told):
            connection.execute(f"update workspace set {column} = '{{}}'")


def _runs(connection: Connection, erasure: Erasure) -> None:
    """The free text of past trouble, in which an endpoint or an error may have quoted what is erased."""
    connection.execute(
        "update dream_runs set warnings = '[]', error = null where warnings <> '[]' or error is not null"
    )


def _node_runs(connection: Connection, erasure: Erasure) -> None:
    connection.execute("update node_runs set error = null where error is not null")


HOLDERS: Final[dict[str, Callable[[Connection, Erasure], None]]] = {
    "processed_chunks": _replies,
    "attempts": _attempts,
    "deliveries": _deliveries,
    "extraction_feedback": _feedback,
    "entity_aliases": _aliases,
    "facts_told": _facts,
    "conclusions": _conclusions,
    "peer_cards": _cards,
    "session_peers": _stays,
    "scopes": _scopes,
    "workspace": _workspace,
    "messages": _messages,
    "sessions": _sessions,
    "peers": _peers,
    "dream_runs": _runs,
    "node_runs": _node_runs,
}
"""Every table of the ledger and of the work that holds words, in the order in which they are emptied."""

WORDLESS: Final = frozenset(
    {
        *("ledger_state", "reply_rejections", "deleted_sessions", "run_lock", "dream_state", "embedding_space"),
        *("forgotten_messages", "webhooks", "vector_changes", "conclusion_deletions"),
    }
)
"""Tables that hold nothing that anybody said."""


IN_STEP: Final = frozenset(
    {"fact_acts", "facts", "entities", "fact_entities", "fact_aliases", "memory_banks", "vector_blocks"}
)
"""Tables that are kept in step: with `facts_told`, and the last with the vectors."""


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text) if "\\u" in text else text
