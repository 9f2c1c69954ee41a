"""What is let go: beyond a number of chunks, the oldest that nothing believed rests on lose their text.

They keep their row and their mentions, or decay would forget that a topic returned. The ledger keeps the messages, so that this
is, like everything, a function of ledger, configuration and time: a rebuild lets go of the same chunks.
"""

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.rows import Chunk, Edge, Episode, Evidence, Procedure, StoredChunk
from dataflows.tables import Table, shaped, stacked, texts
from hymem.bigrams import bigrams
from hymem.decay import RETRACTED


def relied_on_chunks(
    chunks: Table[Chunk],
    evidence: Table[Evidence],
    knowledge_graph: Table[Edge],
    episodes: Table[Episode],
    procedures: Table[Procedure],
) -> pd.Series:
    """The chunks that are evidence of an edge in force, or lie within an episode or a procedure."""
    in_force = knowledge_graph.edge_id[knowledge_graph.status != RETRACTED]
    witnesses = evidence.chunk_id[evidence.edge_id.isin(in_force)]
    spans = pd.concat([part[["session_id", "first_seq", "last_seq"]] for part in (episodes, procedures)])
    return pd.concat([witnesses, _within(chunks, spans)]).drop_duplicates()


def dispensable_chunks(chunks: Table[Chunk], relied_on_chunks: pd.Series, max_chunks: int) -> Table[Chunk]:
    """The chunks that may be let go once they are old enough: as many of the oldest as there are too many."""
    excess = len(chunks) - max_chunks
    if excess <= 0:
        return shaped(Chunk, chunks[:0])
    idle = chunks[~chunks.chunk_id.isin(relied_on_chunks)].sort_values(["said_at", "chunk_id"])
    return shaped(Chunk, idle.head(excess))


def retired_chunks(dispensable_chunks: Table[Chunk], retention_days: float, now: pd.Timestamp) -> pd.Series:
    """The chunks that are let go now."""
    return dispensable_chunks.chunk_id[dispensable_chunks.said_at < now - pd.Timedelta(days=retention_days)]


def _within(chunks: pd.DataFrame, spans: pd.DataFrame) -> pd.Series:
    """The chunks that lie within a span of their session: where the spans that begin before them reach to them."""
    ordered = spans.sort_values("first_seq")
    reaching = ordered.assign(reach=ordered.groupby("session_id").last_seq.cummax())
    placed = chunks[["chunk_id", "session_id", "message_seq"]].sort_values("message_seq")
    met = pd.merge_asof(placed, reaching, left_on="message_seq", right_on="first_seq", by="session_id")
    return met.chunk_id[met.message_seq <= met.reach]


@tag(table="chunks")
def stored_chunks(
    chunks: Table[Chunk], retired_chunks: pd.Series, kept_fresh_silence: Table[Chunk]
) -> Table[StoredChunk]:
    """The chunks as they are stored: the retired ones without their text, the others with what search needs.

    Those silent ones that are carried stay as they are, unseen.
    """
    retired = chunks.chunk_id.isin(retired_chunks)
    salient = chunks.assign(text=chunks.text.mask(retired, ""), context=chunks.context.mask(retired, ""))
    kept = stacked(Chunk, salient, kept_fresh_silence).sort_values("chunk_id", ignore_index=True)
    return shaped(
        StoredChunk, kept.assign(bigrams=pd.Series([bigrams(text) for text in texts(kept.text)], dtype="str"))
    )
