import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import ModelUnavailableError
from hymem.models.embedding import EmbeddingClient
from hymem.models.embedding_cache import CachedEmbeddingClient
from hymem.testing import HashedWordsEmbedder


@given(calls=st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8)), size=st.integers(0, 5))
def test_a_cache_changes_who_is_asked_and_never_what_is_answered(calls, size):
    bare, behind = HashedWordsEmbedder(), HashedWordsEmbedder()
    cache = CachedEmbeddingClient(behind, size)

    for texts in calls:
        assert np.array_equal(cache.embed(texts), bare.embed(texts))
    assert cache.hits + cache.misses == sum(map(len, calls))
    assert all(len(asked) == len(set(asked)) > 0 for asked in behind.requests)


def test_a_batch_asks_once_for_what_is_missing_and_keeps_the_order():
    model = HashedWordsEmbedder()
    cache = CachedEmbeddingClient(model)
    cache.embed(["a", "b"])

    vectors = cache.embed(["c", "b", "d", "a", "c"])

    assert model.requests == [["a", "b"], ["c", "d"]]
    assert np.array_equal(vectors, HashedWordsEmbedder().embed(["c", "b", "d", "a", "c"]))
    assert (cache.hits, cache.misses) == (2, 5)


def test_what_was_asked_for_longest_ago_goes_first():
    model = HashedWordsEmbedder()
    cache = CachedEmbeddingClient(model, size=2)
    for text in ["a", "b", "a", "c", "a", "b"]:
        cache.embed([text])

    assert model.requests == [["a"], ["b"], ["c"], ["b"]]


def test_another_model_has_vectors_of_its_own():
    model = HashedWordsEmbedder(model="one")
    cache = CachedEmbeddingClient(model)
    cache.embed(["a"])
    model.model = "two"
    cache.embed(["a"])

    assert model.requests == [["a"], ["a"]]
    assert (isinstance(cache, EmbeddingClient), cache.model, cache.dimension) == (True, "two", model.dimension)


def test_a_failed_call_is_not_remembered():
    model = HashedWordsEmbedder(trouble=ModelUnavailableError("down"))
    cache = CachedEmbeddingClient(model)
    with pytest.raises(ModelUnavailableError):
        cache.embed(["a"])
    model.trouble = None

    assert cache.embed(["a"]).shape == (1, model.dimension)


def test_who_changes_an_answer_changes_no_later_one():
    cache = CachedEmbeddingClient(HashedWordsEmbedder())
    first = cache.embed(["a"])
    kept = first.copy()
    first[:] = 7

    assert np.array_equal(cache.embed(["a"]), kept)


def test_many_threads_share_one_cache():
    cache = CachedEmbeddingClient(HashedWordsEmbedder(), size=3)
    wrong: list[str] = []

    def ask(number: int) -> None:
        texts = [f"word{(number + place) % 7}" for place in range(5)]
        for _ in range(50):
            if not np.array_equal(cache.embed(texts), HashedWordsEmbedder().embed(texts)):
                wrong.extend(texts)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (wrong, cache.hits + cache.misses) == ([], 8 * 50 * 5)
