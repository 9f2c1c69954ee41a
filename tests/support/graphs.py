"""Small graphs written into a real database, for what recall makes of them; no dream is needed for that."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hymem.config import HyMemConfig
from hymem.digests import digest63
from hymem.records import Edge
from hymem.store.vectors import OwnedVector, Space, keep_vectors
from hymem.testing import HashedWordsEmbedder
from serving.memory import HyMem
from tests.support.conversations import day

NOW = day(100)
_numbers = count(1)


def edge(said: str, **more: Any) -> Edge:
    """An edge "subject predicate object", stated once and seen today where nothing else is said."""
    subject, predicate, object_ = said.split()
    told: dict[str, Any] = {
        "edge_id": next(_numbers),
        "subject": subject,
        "predicate": predicate,
        "object": object_,
        "derived": False,
        "status": "active",
        "confidence": 2 / 3,
        "pos_evidence": 1,
        "neg_evidence": 0,
        "decay_windows": 0,
        "first_seen": NOW,
        "last_seen": NOW,
        "last_reinforced": NOW,
        "value_text": None,
        "value_numeric": None,
        "value_unit": None,
        "temporal_scope": None,
        "path": (),
    }
    return Edge(**(told | more))


@contextmanager
def graph_of(
    *edges: Edge | str,
    types: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    embedder: HashedWordsEmbedder | None = None,
    now: str = NOW,
    **config: Any,
) -> Iterator[HyMem]:
    """A memory that knows these edges, `types` of entities, and other `names` for them; an embedder brings vectors."""
    known = [edge(one) if isinstance(one, str) else one for one in edges]
    with TemporaryDirectory() as folder:
        memory = HyMem(Path(folder), config=HyMemConfig(**config), embedder=embedder, clock=lambda: now)
        try:
            write(memory, known, types or {}, names or {}, embedder)
            yield memory
        finally:
            memory.close()


def write(
    memory: HyMem,
    edges: list[Edge],
    types: Mapping[str, str],
    names: Mapping[str, str],
    embedder: HashedWordsEmbedder | None = None,
) -> None:
    """Write a graph into a memory, as a dream would leave it."""
    called = (
        {name: name for one in edges for name in (one.subject, one.object)}
        | {name: name for name in types}
        | dict(names)
    )
    with memory._database.writing() as connection:
        connection.executemany(
            f"insert into knowledge_graph values ({', '.join('?' * 19)})", [(*_row(one), 0) for one in edges]
        )
        connection.executemany("insert or replace into entity_names values (?, ?, 0)", called.items())
        connection.executemany("insert into entity_types values (?, ?, 'told', 0)", types.items())
        if embedder:
            keep_vectors(connection, Space(embedder.model, embedder.dimension), _vectors(edges, embedder))


def _row(one: Edge) -> tuple[Any, ...]:
    told = {**vars(one), "derived": int(one.derived), "path": str(list(one.path))}
    return tuple(told.values())


def _vectors(edges: list[Edge], embedder: HashedWordsEmbedder) -> list[OwnedVector]:
    texts = sorted({f"{one.subject} {one.predicate} {one.object}" for one in edges})
    rows = HashedWordsEmbedder(embedder.dimension).embed(texts)
    return [
        OwnedVector("edge", digest63("edge text", text), digest63(text), text, row.tobytes())
        for text, row in zip(texts, rows, strict=True)
    ]


def facts(memory: HyMem, message: str) -> dict[str, tuple[float, tuple[str, ...]]]:
    """What is recalled for a message, in its order: each fact's sentence with score and reasons."""
    return {str(fact): (fact.score, fact.why_retrieved) for fact in memory.augment(message).graph_facts}


def reasons(memory: HyMem, message: str) -> dict[str, tuple[str, ...]]:
    """What is recalled for a message, with the reasons."""
    return {sentence: why for sentence, (_, why) in facts(memory, message).items()}
