"""Who finds: a memory as it is, and beside it the plain FTS5 that anyone would begin with."""

import re
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import apsw
import numpy as np

from benchmarks.retrieval.sets import Conversation
from hymem.config import HyMemConfig
from hymem.digests import digest63
from hymem.models.embedding import EmbeddingClient, Vectors
from hymem.models.local_embedding import LocalEmbedder
from hymem.testing import ScriptedModel
from serving.memory import HyMem

Find = Callable[[str], list[str]]
"""From a question to the ids of at most ten messages."""

FOUND: Final = 10


@contextmanager
def plain_fts5(conversation: Conversation) -> Generator[Find]:
    """FTS5 with the porter stemmer over the texts, any word of the question, by BM25."""
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute("create virtual table said using fts5 (id unindexed, text, tokenize = 'porter unicode61')")
        rows = [(message.message_id, message.content) for message in conversation.messages]
        connection.executemany("insert into said values (?, ?)", rows)

        def find(question: str) -> list[str]:
            words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question.lower())))
            sql = "select id from said where said match ? order by bm25(said) limit ?"
            return [name for (name,) in connection.execute(sql, (words, FOUND))]

        yield find


@contextmanager
def memory_of(conversation: Conversation, embedder: EmbeddingClient | None, config: HyMemConfig) -> Generator[Find]:
    """A memory that was told the conversation and dreamt once, without a language model's help."""
    with tempfile.TemporaryDirectory(prefix="hymem-retrieval-") as folder:
        silent = ScriptedModel({}, others={"triples": [], "markers": [], "entity_types": []})
        with HyMem(Path(folder), llm=silent, embedder=embedder, config=config.replace(dream_call_budget=1)) as memory:
            memory.log_messages(conversation.messages)
            memory.dream()
            yield lambda question: [hit.message.message_id for hit in memory.search(question, limit=FOUND)]


class KeptEmbedder:
    """The offline model, with every vector kept in a file: embedding the sets takes minutes, and texts do not change."""

    def __init__(self, folder: Path) -> None:
        self._inner = LocalEmbedder()
        self.model, self.dimension = self._inner.model, self._inner.dimension
        self._file = folder / f"vectors-{digest63(self.model):x}.npz"
        self._known: dict[int, np.ndarray] = {}
        if self._file.exists():
            with np.load(self._file) as kept:
                self._known = dict(zip(kept["names"].tolist(), kept["vectors"], strict=True))
        self._new = False

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """Vectors of these texts, from the file where they are there."""
        names = [digest63(text) for text in texts]
        missing = {name: text for name, text in zip(names, texts, strict=True) if name not in self._known}
        if missing:
            self._known.update(zip(missing, self._inner.embed(list(missing.values())), strict=True))
            self._new = True
        return np.array([self._known[name] for name in names], dtype=np.float32)

    def keep(self) -> None:
        """Write the file, where there is something new."""
        if self._new:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(
                self._file,
                names=np.array(list(self._known), dtype="int64"),
                vectors=np.array(list(self._known.values())),
            )
            self._new = False
