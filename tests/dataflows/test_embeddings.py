import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dataflows.embedding import BATCH, PATIENCE, Embedder
from dataflows.embeddings import chunk_texts, edge_texts, episode_texts, missing_texts
from dataflows.rows import Edge, EmbeddingText, Episode, KnownVector, StoredChunk
from dataflows.tables import Table, table
from hymem.digests import digest63
from hymem.errors import ModelRefusedError, ModelUnavailableError, ReplyError
from hymem.models.embedding import Vectors
from hymem.models.openai_embedding import OpenAIEmbedder
from hymem.store.database import Database
from hymem.store.lock import Lease, dream_lock
from hymem.store.vectors import known_vectors, stored_space
from hymem.testing import HashedWordsEmbedder
from tests.support.frames import some, told
from tests.support.openai_server import Answer, OpenAIServer

# ------------------------------------------------------------------------------------------------------- which texts


def test_chunks_are_embedded_as_they_were_said_and_retired_ones_not_at_all():
    chunks = some(StoredChunk, chunk_id=[1, 2], text=["api uses redis", ""], context=["really?", ""])

    assert told(chunk_texts(chunks)) == [("chunk", 1, "api uses redis")]


def test_an_edge_is_embedded_as_its_sentence_once_whether_stated_or_derived():
    edges = some(
        Edge,
        edge_id=[1, 2, 3],
        subject=["api", "api", "worker"],
        predicate="depends_on",
        object=["redis", "redis", "uv"],
        derived=[False, True, False],
        status=["active", "active", "stale"],
        path=["[]", "[1, 2]", "[]"],
    )

    assert edge_texts(edges).text.tolist() == ["api depends_on redis", "worker depends_on uv"]


def test_retracted_edges_and_conclusions_from_afar_are_not_embedded():
    edges = some(
        Edge,
        subject=["a", "b", "c"],
        predicate="depends_on",
        object="z",
        derived=[False, True, True],
        status=["retracted", "active", "active"],
        path=["[]", "[1, 2]", "[1, 2, 3]"],
    )

    assert edge_texts(edges).text.tolist() == ["b depends_on z"]


def test_an_episode_is_embedded_with_its_outcome_where_it_has_one():
    episodes = some(Episode, episode_id=[1, 2], title="Move", summary="To uv.", outcome=["", "done"])

    assert episode_texts(episodes).text.tolist() == ["Move\nTo uv.", "Move\nTo uv.\ndone"]


def test_missing_is_what_has_no_vector_of_its_present_wording():
    texts = some(EmbeddingText, kind="chunk", owner=[1, 2, 3], text=["same", "new wording", "new"])
    known = some(
        KnownVector,
        kind=["chunk", "chunk", "edge"],
        owner=[1, 2, 3],
        text_digest=[digest63("same"), 5, digest63("new")],
    )
    nothing = table(EmbeddingText)

    assert missing_texts(texts, nothing, nothing, nothing, known).owner.tolist() == [2, 3]
    assert missing_texts(nothing, nothing, nothing, nothing, known).empty


# -------------------------------------------------------------------------------------------------- what becomes of them


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "hymem.db")
    yield opened
    opened.close()


@pytest.fixture
def lease(database: Database) -> Iterator[Lease]:
    with dream_lock(database) as held:
        yield held


def edges(*texts: str) -> Table[EmbeddingText]:
    return some(EmbeddingText, kind="edge", owner=[digest63("edge text", text) for text in texts], text=list(texts))


def many(count: int) -> Table[EmbeddingText]:
    return edges(*(f"a{n} uses b{n}" for n in range(count)))


def embedded(database: Database) -> int:
    with database.reading() as connection:
        return len(known_vectors(connection))


class Peculiar(HashedWordsEmbedder):
    """An embedder that does something of its own with each question before it answers, or with the answer."""

    def __init__(self, act: Callable[[Sequence[str], Vectors], Any], **more: Any) -> None:
        super().__init__(16, **more)
        self.act = act

    def embed(self, texts: Sequence[str], /) -> Vectors:
        return self.act(texts, super().embed(texts))


def failing_on(bad: str) -> Callable[[Sequence[str], Vectors], Vectors]:
    def answer(texts: Sequence[str], vectors: Vectors) -> Vectors:
        if bad in texts:
            raise ReplyError(f"no answer to {bad}")
        return vectors

    return answer


def test_texts_are_embedded_batch_by_batch_several_at_once(database: Database, lease: Lease):
    both = threading.Barrier(2, timeout=30)

    def meet(texts: Sequence[str], vectors: Vectors) -> Vectors:
        both.wait()
        return vectors

    client = Peculiar(meet)
    embedder = Embedder(client, database, lease, concurrency=2)

    assert embedder.embed(many(2 * BATCH)) == 0
    assert (embedder.kept, embedded(database), [len(asked) for asked in client.requests]) == (512, 512, [BATCH, BATCH])


def test_one_text_without_an_answer_costs_no_other_its_vector(database: Database, lease: Lease):
    embedder = Embedder(Peculiar(failing_on("a7 uses b7")), database, lease)

    assert embedder.embed(many(20)) == 0
    assert (embedder.kept, embedded(database)) == (19, 19)
    assert embedder.warnings == ("1 texts have no vector, the first since: no answer to a7 uses b7",)


def shifted(texts: Sequence[str], vectors: Vectors) -> Any:
    spoilt = vectors.copy()
    spoilt[0] = np.nan
    return spoilt


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts, vectors: vectors[:-1],
        lambda texts, vectors: np.vstack([vectors, vectors]),
        lambda texts, vectors: vectors[:, :0],
        lambda texts, vectors: vectors.ravel(),
        lambda texts, vectors: vectors * 0,
        lambda texts, vectors: [[1.0], [1.0, 2.0]],
        lambda texts, vectors: None,
        lambda texts, vectors: "vectors",
        shifted,
    ],
    ids=["fewer", "more", "empty", "flat", "zeros", "ragged", "none", "text", "nan"],
)
def test_a_model_that_never_answers_usably_is_soon_left_alone(
    database: Database, lease: Lease, answer: Callable[[Sequence[str], Vectors], Any]
):
    client = Peculiar(answer)
    embedder = Embedder(client, database, lease)

    left = embedder.embed(many(3 * BATCH))

    assert (left, embedded(database)) == (3 * BATCH, 0)
    assert len(client.requests) < 4 * PATIENCE
    assert embedder.warnings[0].startswith("the embedding model has no usable answer to anything")


@pytest.mark.parametrize(
    "error", [ModelUnavailableError("down"), ModelRefusedError("no such model"), OSError("cable cut")]
)
def test_an_endpoint_that_dies_midway_costs_nothing_that_was_embedded(
    database: Database, lease: Lease, error: Exception
):
    client = HashedWordsEmbedder(16)

    def die(texts: Sequence[str], vectors: Vectors) -> Vectors:
        if len(dying.requests) > 2:
            raise error
        return vectors

    dying = Peculiar(die)
    embedder = Embedder(dying, database, lease)
    left = embedder.embed(many(4 * BATCH))

    assert (left, embedded(database), len(dying.requests)) == (2 * BATCH, 2 * BATCH, 3)
    assert str(error) in embedder.warnings[0]
    with database.reading() as connection:
        known = table(KnownVector, known_vectors(connection))
    nothing = table(EmbeddingText)
    rest = missing_texts(nothing, many(4 * BATCH), nothing, nothing, known)
    assert (Embedder(client, database, lease).embed(rest), embedded(database)) == (0, 4 * BATCH)


def test_a_process_that_is_killed_between_batches_loses_one_batch_at_most(database: Database, lease: Lease):
    def die(texts: Sequence[str], vectors: Vectors) -> Vectors:
        if len(dying.requests) > 2:
            raise KeyboardInterrupt
        return vectors

    dying = Peculiar(die)

    with pytest.raises(KeyboardInterrupt):
        Embedder(dying, database, lease).embed(many(4 * BATCH))

    assert embedded(database) == 2 * BATCH


def test_when_told_to_stop_no_further_batch_is_begun(database: Database, lease: Lease):
    stop = threading.Event()

    def stopping(texts: Sequence[str], vectors: Vectors) -> Vectors:
        stop.set()
        return vectors

    embedder = Embedder(Peculiar(stopping), database, lease, stop=stop)

    assert embedder.embed(many(3 * BATCH)) == 2 * BATCH
    assert (embedder.kept, embedder.warnings) == (BATCH, ())


@pytest.mark.parametrize("dimension", [16, None])
@pytest.mark.parametrize(("model", "size"), [("another", 16), ("hashed-words", 8)])
def test_vectors_of_another_model_or_dimension_are_refused_with_the_way_out(
    database: Database, lease: Lease, model: str, size: int, dimension: int | None
):
    Embedder(HashedWordsEmbedder(16), database, lease).embed(many(2))
    other = HashedWordsEmbedder(size, model=model)
    embedder = Embedder(Untold(other) if dimension is None else other, database, lease)

    assert embedder.embed(edges("c uses d")) == 1
    assert "run `hymem reembed` to change the model" in embedder.warnings[0]
    assert embedded(database) == 2
    with database.reading() as connection:
        assert stored_space(connection) is not None


class Untold:
    """An embedder whose dimension only its first answer tells."""

    def __init__(self, client: HashedWordsEmbedder) -> None:
        self.model, self.dimension, self.embed = client.model, None, client.embed


def test_a_real_endpoint_without_the_model_is_asked_once_and_said(database: Database, lease: Lease):
    with (
        OpenAIServer(embedded=lambda body, honest: Answer(status=404)) as server,
        OpenAIEmbedder(server.url, "key", "small") as client,
    ):
        embedder = Embedder(client, database, lease, concurrency=1)

        assert embedder.embed(many(2 * BATCH)) == 2 * BATCH
        assert "HYMEM_EMBEDDING_MODEL" in embedder.warnings[0]
        assert len(server.requests) == 1


def test_a_real_endpoint_that_answers_with_too_few_vectors_gives_none(database: Database, lease: Lease):
    with (
        OpenAIServer(embedded=lambda body, honest: honest | {"data": honest["data"][:-1]}) as server,
        OpenAIEmbedder(server.url, "key", "small", first_wait=0.001) as client,
    ):
        embedder = Embedder(client, database, lease)

        assert (embedder.embed(many(20)), embedded(database)) == (20, 0)
