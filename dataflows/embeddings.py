"""From the settled graph to vectors: which texts are to be embedded, and which of them no earlier dream has embedded.

Chunks are embedded as they were said, episodes as title and summary, edges as "subject predicate object". An edge's vector
is kept under its text, so that an edge that returns costs nothing. Embedding itself is the second impure step of a dream.
"""

import pandas as pd

from dataflows.rows import Edge, EmbeddingText, Episode, KnownVector, StoredChunk
from dataflows.tables import Table, shaped, stacked
from hymem.decay import RETRACTED
from hymem.digests import digest63

DERIVED_HOPS = 2
"""Derived edges are embedded where at most so many steps lead to them."""


def chunk_texts(stored_chunks: Table[StoredChunk]) -> Table[EmbeddingText]:
    """What was said, chunk by chunk; retired chunks have no text."""
    told = stored_chunks[stored_chunks.text != ""]
    return shaped(EmbeddingText, told.assign(kind="chunk", owner=told.chunk_id))


def edge_texts(knowledge_graph: Table[Edge]) -> Table[EmbeddingText]:
    """The edges in force as texts; of derived ones those that are near."""
    near = ~knowledge_graph.derived | (knowledge_graph.path.str.count(",") < DERIVED_HOPS)
    edges = knowledge_graph[(knowledge_graph.status != RETRACTED) & near]
    texts = pd.Series((edges.subject + " " + edges.predicate + " " + edges.object).unique(), dtype="str")
    owners = pd.Series([digest63("edge text", text) for text in texts], dtype="int64")
    return shaped(EmbeddingText, pd.DataFrame({"kind": "edge", "owner": owners, "text": texts}))


def episode_texts(episodes: Table[Episode]) -> Table[EmbeddingText]:
    """Title, summary and outcome of every episode."""
    told = episodes.assign(kind="episode", owner=episodes.episode_id)
    return shaped(EmbeddingText, told.assign(text=(told.title + "\n" + told.summary + "\n" + told.outcome).str.strip()))


def missing_texts(
    chunk_texts: Table[EmbeddingText],
    edge_texts: Table[EmbeddingText],
    episode_texts: Table[EmbeddingText],
    unembedded_texts: Table[EmbeddingText],
    known_vectors: Table[KnownVector],
) -> Table[EmbeddingText]:
    """The texts that have no vector yet, or that had another wording when they were embedded."""
    every = stacked(EmbeddingText, edge_texts, episode_texts, chunk_texts, unembedded_texts)
    every = every.drop_duplicates(["kind", "owner"], ignore_index=True)
    digests = pd.Series([digest63(text) for text in every.text], dtype="int64")
    told = every.assign(text_digest=digests).merge(known_vectors, how="left", indicator=True)
    return shaped(EmbeddingText, every[(told._merge == "left_only").to_numpy()])
