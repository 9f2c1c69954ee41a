"""A large made-up memory, written straight into its tables as dreams would leave it, and questions that may be put to it.

python -m benchmarks.recall_world ROOT CHUNKS EDGES

Words and names are drawn as they come in life: a few often, most of them rarely. The embedder is one of hashes: a word stands
for a direction near one of a few dozen, as a model's do, and a text for the sum of its words, the rarer the more.
"""

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate, islice
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from hymem.digests import digest63
from hymem.models.embedding import Vectors, unit_vectors
from hymem.settings import DATABASE
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.vectors import OwnedVector, Space, index_vectors, keep_vectors
from hymem.times import format_time
from hymem.vocabulary import ENTITY_TYPES, PREDICATES

Item = TypeVar("Item")

DIMENSION: Final = 384
DIRECTIONS: Final = 64
WORDS: Final = 30_000
SESSION_TURNS: Final = 20
TEXT_WORDS: Final = 50
BATCH: Final = 5_000
BEGINNING: Final = datetime(2024, 1, 1, tzinfo=UTC)
NOW: Final = "2026-01-01T00:00:00.000000Z"
SPACE: Final = Space("hashes", DIMENSION)

_SYLLABLES: Final = [c + v for c in "bdfgklmnprstvz" for v in ("a", "e", "i", "o", "u", "ar", "en", "is", "ol", "um")]
_COMMON: Final = ("the", "of", "and", "to", "a", "in", "is", "it", "that", "was", "for", "on", "you", "with", "as")


@lru_cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Words, the commonest first, and how often they and all before them come (Zipf's law)."""
    chance = random.Random(1)
    words = dict.fromkeys(_COMMON)
    while len(words) < WORDS:
        words["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4)))] = None
    return list(words), list(accumulate(1 / (rank + 2.7) for rank in range(WORDS)))


def text(number: int) -> str:
    """What the turn of this number says."""
    words, often = vocabulary()
    return " ".join(random.Random(number).choices(words, cum_weights=often, k=TEXT_WORDS)) + "."


def entity(chance: random.Random, entities: int) -> str:
    """One of so many names, a few of them drawn often; half of them have two parts."""
    number = int(entities * chance.random() ** 2.5)
    words = vocabulary()[0]
    name = words[200 + number * 7919 % (WORDS - 200)]
    return f"{name}_{words[200 + number % 997]}" if number % 2 else f"{name}{number // 20_000 or ''}"


@dataclass(frozen=True)
class Asked:
    """A question, and its vector."""

    text: str
    vector: bytes


def questions(count: int, edges: int) -> list[Asked]:
    """Questions about names and about what was said, most of them both, in the words of the texts."""
    chance, embedder, (words, often) = random.Random(2), HashEmbedder(), vocabulary()
    told = list[str]()
    for number in range(count):
        name = entity(chance, edges // 5).replace("_", " ")
        said = " ".join(chance.choices(words, cum_weights=often, k=7))
        told.append(
            [f"What does {name} depend on, {said}?", f"Tell me about {name} and {said}", f"{said}?"][number % 3]
        )
    return [Asked(text, row.tobytes()) for text, row in zip(told, embedder.embed(told), strict=True)]


class HashEmbedder:
    """An `EmbeddingClient` without a model, quick, and the same everywhere."""

    model = SPACE.model
    dimension = DIMENSION

    def __init__(self) -> None:
        self._directions = np.random.default_rng(0).standard_normal((DIRECTIONS, DIMENSION), dtype=np.float32) / 8
        self._weights = {word: np.log(rank + 4) for rank, word in enumerate(vocabulary()[0])}
        self._known = dict[str, np.ndarray]()

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The sums of the texts' words."""
        return (
            unit_vectors(np.stack([self._text(text) for text in texts]))
            if len(texts)
            else np.empty((0, DIMENSION), "f4")
        )

    def _text(self, text: str) -> np.ndarray:
        words = text.casefold().replace("_", " ").strip(".?").split()
        return sum((self._word(word) for word in words), np.full(DIMENSION, 1e-6, dtype=np.float32))

    def _word(self, word: str) -> np.ndarray:
        if word not in self._known:
            chance = np.random.default_rng(digest63(word))
            own = 0.3 * chance.standard_normal(DIMENSION, dtype=np.float32)
            row = chance.standard_normal(DIRECTIONS, dtype=np.float32) @ self._directions + own
            self._known[word] = row * np.float32(self._weights.get(word, 8.0))
        return self._known[word]


def build(root: Path, chunks: int, edges: int) -> None:
    """Write the memory: ledger, chunks, names, edges, vectors, and the note that all of it was dreamt."""
    root.mkdir(parents=True, exist_ok=True)
    database, embedder = Database.open(root / DATABASE), HashEmbedder()
    with database.writing() as connection:
        _write_peers(connection)
    for numbers in _batches(range(chunks)):
        texts = {digest63("chunk", str(number)): text(number) for number in numbers}
        with database.writing() as connection:
            _write_turns(connection, numbers, texts, chunks)
            _write_vectors(connection, "chunk", texts, embedder)
    for batch in _batches(_edges(edges)):
        texts = {digest63("edge text", text): text for text in (" ".join(edge) for edge in batch)}
        with database.writing() as connection:
            _write_edges(connection, batch, chunks)
            _write_vectors(connection, "edge", texts, embedder)
    with database.writing() as connection:
        index_vectors(connection)
        connection.execute(
            """insert into dream_state (one, fingerprint, revision, waiting, seen_at, embedded)
               values (1, '', 0, 0, ?, ?)""",
            (NOW, SPACE.model),
        )
        connection.execute("analyze")
    database.checkpoint()
    database.close()


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    left = iter(items)
    while batch := list(islice(left, BATCH)):
        yield batch


def _write_peers(connection: Connection) -> None:
    peers = [("user", "user", NOW), ("assistant", "assistant", NOW)]
    connection.executemany("insert into peers (peer_id, role, created_at) values (?, ?, ?)", peers)


def _write_turns(connection: Connection, numbers: Sequence[int], texts: dict[int, str], of: int) -> None:
    sessions = sorted({number // SESSION_TURNS for number in numbers})
    rows = [
        (number + 1, f"m{number}", f"s{number // SESSION_TURNS}", peer, peer, said, at, at, chunk_id)
        for number, (chunk_id, said) in zip(numbers, texts.items(), strict=True)
        for peer in [("user", "assistant")[number % 2]]
        for at in [format_time(BEGINNING + timedelta(days=700) * (number / of))]
    ]
    connection.executemany(
        "insert or ignore into sessions (session_id, started_at, created_at) values (?, ?, ?)",
        [(f"s{n}", NOW, NOW) for n in sessions],
    )
    connection.executemany("insert or ignore into chunked_sessions values (?, 0, 0, 0)", [(f"s{n}",) for n in sessions])
    connection.executemany(
        """insert into messages (seq, message_id, session_id, peer_id, role, content, created_at, logged_at)
           values (?, ?, ?, ?, ?, ?, ?, ?)""",
        [row[:-1] for row in rows],
    )
    connection.executemany(
        "insert into chunks values (?, ?, ?, null, 0, ?, ?, '', '', ?, '', 0)",
        [(chunk_id, session, seq, peer, at, said) for seq, _, session, peer, _, said, at, _, chunk_id in rows],
    )


def _edges(count: int) -> Iterator[tuple[str, str, str]]:
    chance, seen = random.Random(3), set[tuple[str, str, str]]()
    while len(seen) < count:
        edge = entity(chance, count // 5), chance.choice(PREDICATES), entity(chance, count // 5)
        if edge[0] != edge[2] and edge not in seen:
            seen.add(edge)
            yield edge


def _write_edges(connection: Connection, edges: Sequence[tuple[str, str, str]], chunks: int) -> None:
    chance = random.Random(" ".join(edges[0]))
    rows = [
        (digest63(*edge), *edge, (n + 1) / (n + 2), n, at, at, at)
        for edge in edges
        for n in [chance.randint(1, 5)]
        for at in [format_time(BEGINNING + timedelta(days=700) * chance.random())]
    ]
    connection.executemany(
        """insert into knowledge_graph
           values (?, ?, ?, ?, 0, 'active', ?, ?, 0, 0, ?, ?, ?, null, null, null, null, '[]', 0)""",
        rows,
    )
    connection.executemany(
        """insert or ignore into extracted_triples
           values (?, 0, ?, ?, ?, 1, '', null, null, null, null, 0)""",
        [(digest63("chunk", str(digest63(*edge) % chunks)), *edge) for edge in edges],
    )
    names = sorted({end for subject, _, object_ in edges for end in (subject, object_)})
    connection.executemany("insert or ignore into entity_names values (?, ?, 0)", [(name, name) for name in names])
    connection.executemany(
        "insert or ignore into entity_types values (?, ?, 'stated', 0)",
        [(name, sorted(ENTITY_TYPES)[digest63(name) % len(ENTITY_TYPES)]) for name in names if digest63(name) % 3 == 0],
    )


def _write_vectors(connection: Connection, kind: str, texts: dict[int, str], embedder: HashEmbedder) -> None:
    rows = embedder.embed(list(texts.values()))
    owned = [
        OwnedVector(kind, owner, digest63(said), said, row.tobytes())
        for (owner, said), row in zip(texts.items(), rows, strict=True)
    ]
    keep_vectors(connection, SPACE, owned)


if __name__ == "__main__":
    build(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
