"""From messages to chunks that a model reads: one salient user's turn each, with the assistant's turn before it.

System prompts and tool output are no conversation, what HyMem itself injected is not learnt from, and secrets go no
further. An assistant's turn belongs to the one user's turn that follows it. The other turns, and those of peers who did not want
to be observed, are for searching only (`silence.py`).
"""

from typing import Any

import pandas as pd

from dataflows.rows import Chunk, Message
from dataflows.tables import Table, each, shaped, stacked, table, texts
from hymem.digests import chunk_id
from hymem.redaction import redacted
from hymem.salience import CONTEXT_LIMIT, own_words, pieces, salience_reason


def spoken_turns(messages: Table[Message]) -> pd.DataFrame:
    """What users and assistants said themselves, secrets blacked out, in order of time within each session."""
    spoken = messages[messages.role.isin(["user", "assistant"])]
    words = [redacted(own_words(content)).strip() for content in texts(spoken.content)]
    spoken = spoken.assign(content=pd.Series(words, dtype="str", index=spoken.index))
    return spoken[spoken.content != ""].reset_index(drop=True)


def turns_in_context(spoken_turns: pd.DataFrame) -> pd.DataFrame:
    """The users' turns, each with the end of the assistant's turn directly before it, where there is one.

    What nobody may learn from is left out, as if it had not been said.
    """
    observed = spoken_turns[spoken_turns.observed]
    before = observed.shift(1)
    answers = (before.role == "assistant") & (before.session_id == observed.session_id)
    in_context = observed.assign(
        context_seq=before.seq.where(answers),
        context_id=before.message_id.where(answers, ""),
        context=before.content.where(answers, "").str[-CONTEXT_LIMIT:],
    )
    return in_context[in_context.role == "user"]


def salient_turns(turns_in_context: pd.DataFrame, salience_min_chars: int) -> pd.DataFrame:
    """The users' turns that say something, with the reason for thinking so."""
    said = zip(texts(turns_in_context.content), texts(turns_in_context.context), strict=True)
    reasons = [salience_reason(text, context, salience_min_chars) for text, context in said]
    reasoned = turns_in_context.assign(salience_reason=pd.Series(reasons, dtype="str", index=turns_in_context.index))
    return reasoned[reasoned.salience_reason != ""]


def fresh_chunks(salient_turns: pd.DataFrame) -> Table[Chunk]:
    """The chunks of the sessions that are new or have changed; long turns become several, the first with the context."""
    return table(Chunk, [row for turn in each(salient_turns) for row in _pieces_of(turn)])


def chunks(carried_chunks: Table[Chunk], fresh_chunks: Table[Chunk]) -> Table[Chunk]:
    """All chunks, by id."""
    together = stacked(Chunk, carried_chunks, fresh_chunks)
    return shaped(Chunk, together.drop_duplicates("chunk_id").sort_values("chunk_id"))


def _pieces_of(turn: Any) -> list[tuple]:
    return [
        (
            chunk_id(turn.session_id, turn.message_id, turn.context_id if start == 0 else "", start),
            turn.session_id,
            turn.seq,
            turn.context_seq if start == 0 else None,
            part,
            turn.peer_id,
            turn.created_at,
            turn.salience_reason,
            turn.context if start == 0 else "",
            text,
        )
        for part, (start, text) in enumerate(pieces(turn.content))
        if text.strip()
    ]
