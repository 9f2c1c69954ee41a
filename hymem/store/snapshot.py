"""What a dream reads: the ledger, and the rows of earlier dreams that still hold, all of one moment.

Cutting messages into chunks, reading replies and finding mentions is work per chunk, and chunks do not change. So a dream
takes over ("carries") what earlier dreams made of sessions that have not changed since, and is handed the messages of the
other sessions only. Of silent chunks only as much is read as tells which to keep. Where
code or configuration changed, or another time is looked at, nothing is carried.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from hymem.store.connection import Connection
from hymem.store.ledger import LedgerState, ledger_state
from hymem.store.replies import FAILURES_ALLOWED

Rows = Sequence[tuple[Any, ...]]
END_OF_TIME: Final = "9999-12-31T23:59:59.999999Z"


@dataclass(frozen=True)
class View:
    """Which memory is asked for: as one model answered under the present prompts, at the latest as of a time."""

    extraction_version: str
    session_version: str
    model: str
    carry: bool = True
    as_of: str | None = None


@dataclass(frozen=True)
class Snapshot:
    """Rows by the name of the dataflow's source, with the ledger's state at that moment."""

    state: LedgerState
    rows: dict[str, Rows]


_NAMES: Final = {
    "messages": "seq, message_id, session_id, peer_id, role, content, created_at, observed",
    "session_revisions": "session_id, revision",
    "alias_acts": "alias, canonical",
    "feedback": "act, subject, predicate, object, created_at",
    "replies": "chunk_id, prompt_version, model, reply, replied_at",
    "attempts": "chunk_id, failures",
    "session_replies": "chunk_id, prompt_version, model, reply, replied_at",
    "session_attempts": "chunk_id, failures",
    "carried_chunks": (
        "chunk_id, session_id, message_seq, context_seq, part, peer_id, said_at, salience_reason, context, text"
    ),
    "carried_silence": "chunk_id, session_id, said_at, row_digest",
    "carried_sessions": "session_id, revision, let_go",
    "carried_replies": "chunk_id, prompt_version, model, replied_at, refused",
    "carried_triples": (
        "chunk_id, position, subject, predicate, object, polarity, quote, value_text, value_numeric, value_unit, temporal_scope"
    ),
    "carried_markers": "chunk_id, position, peer_id, kind, statement, quote",
    "carried_type_claims": "chunk_id, name, type",
    "carried_names": "name",
    "carried_mentions": "chunk_id, name",
    "carried_windows": (
        "session_window_id, session_id, place, revision_id, first_seq, last_seq, started_at, ended_at, "
        "prompt_version, model, replied_at, summary"
    ),
    "carried_episodes": (
        "episode_id, session_window_id, session_id, title, summary, outcome, entities, first_seq, last_seq, "
        "started_at, ended_at, bigrams"
    ),
    "carried_procedures": (
        "procedure_id, session_window_id, session_id, name, description, steps, triggers, entities, first_seq, last_seq, "
        "said_at, wording, bigrams"
    ),
}
SOURCES: Final = {source: tuple(names.split(", ")) for source, names in _NAMES.items()}
"""The columns of every source, in their order."""

_OPEN: Final = """
    with open_sessions(session_id) as (
        select session_id
        from sessions s left join chunked_sessions c using (session_id)
        where not :carry or c.revision is not s.revision
        union
        select session_id from session_windows where not (prompt_version = :session_version and model = :model)
        union
        select session_id from chunks where text = '')
    """
"""The sessions whose messages a dream needs: those that changed, those about which something is still to be asked, and those
of which a chunk was let go, whose text must be known to find new names in it."""


def _failed(kind: str) -> str:
    """Questions of a kind that got no readable reply; those whose reply was rejected rest, until they are to be asked again."""
    return f"""
        from attempts
        where kind = '{kind}' and prompt_version = :{kind}_version and model = :model
        union all
        select chunk_id, {FAILURES_ALLOWED}
        from processed_chunks p
        where kind = '{kind}' and prompt_version = :{kind}_version and model = :model
          and 'reject' = (
            select act from reply_rejections r
            where r.run_id = p.run_id and created_at <= :as_of
            order by rejection_id desc limit 1)
        order by chunk_id"""


_LEDGER: Final = {
    "messages": """
        from messages where created_at <= :as_of and session_id in open_sessions
        order by session_id, created_at, seq""",
    "session_revisions": "from sessions order by session_id",
    "alias_acts": "from entity_aliases where created_at <= :as_of order by alias_id",
    "feedback": "from extraction_feedback where created_at <= :as_of order by created_at, feedback_id",
    "attempts": _failed("extraction"),
    "session_replies": """
        from processed_chunks
        where kind = 'session' and session_id in open_sessions
          and run_id not in (select run_id from reply_rejections where created_at <= :as_of)
        order by chunk_id, replied_at, prompt_version, model""",
    "session_attempts": _failed("session"),
}
_REPLIES: Final = """
    select p.chunk_id, p.prompt_version, p.model, p.reply, p.replied_at
    from processed_chunks p left join chunk_replies c on :carry and c.chunk_id = p.chunk_id
    where p.kind = 'extraction' and p.run_id not in (select run_id from reply_rejections where created_at <= :as_of)
      and not coalesce(c.prompt_version = :extraction_version and c.model = :model, 0)
      and not coalesce(c.prompt_version = p.prompt_version and c.model = p.model and c.replied_at = p.replied_at, 0)
    order by p.chunk_id, p.replied_at, p.prompt_version, p.model"""
_CARRIED: Final = {
    "carried_chunks": "from chunks where session_id not in open_sessions and salience_reason <> '' order by chunk_id",
    "carried_silence": "from chunks where session_id not in open_sessions and salience_reason = '' order by chunk_id",
    "carried_sessions": "from chunked_sessions where session_id not in open_sessions order by session_id",
    "carried_replies": "from chunk_replies order by chunk_id",
    "carried_triples": "from extracted_triples order by chunk_id, position",
    "carried_markers": "from behavioral_markers order by chunk_id, position",
    "carried_type_claims": "from type_claims order by chunk_id, name",
    "carried_names": "from entity_names order by name",
    "carried_mentions": "from entity_mentions order by chunk_id, name",
    "carried_windows": "from session_windows where session_id not in open_sessions order by session_window_id",
    "carried_episodes": "from episodes where session_id not in open_sessions order by episode_id",
    "carried_procedures": "from procedures where session_id not in open_sessions order by procedure_id",
}


def read_snapshot(connection: Connection, view: View) -> Snapshot:
    """Read everything a dream computes from; call it inside one reading transaction."""
    bindings: dict[str, Any] = {
        "carry": view.carry,
        "as_of": view.as_of or END_OF_TIME,
        "extraction_version": view.extraction_version,
        "session_version": view.session_version,
        "model": view.model,
    }
    rows: dict[str, Rows] = {
        source: connection.execute(f"{_OPEN} select {_NAMES[source]} {clause}", bindings).fetchall()
        for source, clause in _LEDGER.items()
    }
    rows["replies"] = connection.execute(_REPLIES, bindings).fetchall()
    for source, clause in _CARRIED.items():
        sql = f"{_OPEN} select {_NAMES[source]} {clause}"
        rows[source] = connection.execute(sql, bindings).fetchall() if view.carry else []
    return Snapshot(ledger_state(connection), rows)
