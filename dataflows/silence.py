"""Silent chunks: every other turn, for searching only.

What a user says in passing, what an assistant answers and what a tool returns may be just what somebody looks for later. No model
reads it, nothing is learnt from it, and no topic returns because of it. Silent chunks are the first to be let go, and entirely.

A dream takes over those of unchanged sessions by their digests, without their text: there are many of them, and nothing is to be
done with them.
"""

from typing import Any

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.rows import Chunk, ChunkedSession, Message, SessionRevision, SilentRow
from dataflows.tables import Table, each, shaped, table, texts
from hymem.digests import chunk_id
from hymem.redaction import redacted
from hymem.salience import CHUNK_LIMIT, own_words, pieces


def tool_turns(messages: Table[Message]) -> pd.DataFrame:
    """What tools returned, the beginning of it, secrets blacked out."""
    returned = messages[messages.role == "tool"]
    words = [redacted(own_words(content)).strip()[:CHUNK_LIMIT] for content in texts(returned.content)]
    return returned.assign(content=pd.Series(words, dtype="str", index=returned.index))


def silent_turns(spoken_turns: pd.DataFrame, salient_turns: pd.DataFrame, tool_turns: pd.DataFrame) -> pd.DataFrame:
    """The turns that no model reads by themselves."""
    return pd.concat([spoken_turns[~spoken_turns.seq.isin(salient_turns.seq)], tool_turns], ignore_index=True)


def fresh_silence(silent_turns: pd.DataFrame) -> Table[Chunk]:
    """The silent chunks of the sessions that are new or have changed."""
    return table(Chunk, [row for turn in each(silent_turns) for row in _pieces_of(turn)])


def dispensable_silence(
    chunks: Table[Chunk],
    fresh_silence: Table[Chunk],
    carried_silence: Table[SilentRow],
    carried_sessions: Table[ChunkedSession],
    max_chunks: int,
) -> pd.DataFrame:
    """The silent chunks that may be let go once they are old enough: as many of the oldest as there are chunks too many."""
    held = pd.concat([part[["chunk_id", "session_id", "said_at"]] for part in (fresh_silence, carried_silence)])
    gone = int(carried_sessions.let_go.sum())
    excess = len(chunks) + len(held) + gone - max_chunks
    return held.sort_values(["said_at", "chunk_id"]).head(max(0, excess - gone))


def retired_silence(dispensable_silence: pd.DataFrame, retention_days: float, now: pd.Timestamp) -> pd.DataFrame:
    """The silent chunks that are let go now."""
    return dispensable_silence[dispensable_silence.said_at < now - pd.Timedelta(days=retention_days)]


def kept_fresh_silence(fresh_silence: Table[Chunk], retired_silence: pd.DataFrame) -> Table[Chunk]:
    """The new silent chunks, without those that are let go at once."""
    return shaped(Chunk, fresh_silence[~fresh_silence.chunk_id.isin(retired_silence.chunk_id)])


def kept_silence(carried_silence: Table[SilentRow], retired_silence: pd.DataFrame) -> Table[SilentRow]:
    """The stored silent chunks that stay as they are."""
    return shaped(SilentRow, carried_silence[~carried_silence.chunk_id.isin(retired_silence.chunk_id)])


@tag(table="chunked_sessions")
def chunked_sessions(
    session_revisions: Table[SessionRevision],
    carried_sessions: Table[ChunkedSession],
    retired_silence: pd.DataFrame,
) -> Table[ChunkedSession]:
    """As of which revision each session is cut into chunks, the present one, and how many silent ones it has let go."""
    before = carried_sessions.set_index("session_id").let_go
    now = retired_silence.groupby("session_id").size()
    let_go = before.add(now, fill_value=0).reindex(session_revisions.session_id, fill_value=0)
    return shaped(ChunkedSession, session_revisions.assign(let_go=let_go.to_numpy().astype("int64")))


def _pieces_of(turn: Any) -> list[tuple]:
    return [
        (
            chunk_id(turn.session_id, turn.message_id, "", start),
            turn.session_id,
            turn.seq,
            None,
            part,
            turn.peer_id,
            turn.created_at,
            "",
            "",
            text,
        )
        for part, (start, text) in enumerate(pieces(turn.content))
        if text.strip()
    ]
