import logging
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from hymem.errors import ReplyError
from hymem.models.embedding import EmbeddingClient, no_vectors, presentable, unit_vectors

SHAPES = array_shapes(min_dims=2, max_dims=2, max_side=6)


@given(rows=arrays(np.float64, SHAPES, elements=st.floats(-1e300, 1e300).map(lambda number: number or 1.0)))
def test_a_unit_vector_has_length_one_and_the_direction_it_had(rows):
    vectors = unit_vectors(rows)

    assert (vectors.dtype, vectors.shape) == (np.float32, rows.shape)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    assert vectors * np.linalg.norm(rows / largest, axis=1, keepdims=True) == pytest.approx(rows / largest, abs=1e-5)


@pytest.mark.parametrize("row", [[0.0, 0.0], [1.0, float("nan")], [float("inf"), 1.0]])
def test_a_row_without_a_direction_is_no_vector(row):
    with pytest.raises(ReplyError, match="no direction"):
        unit_vectors([[1.0, 0.0], row])


def test_no_texts_have_no_vectors_whatever_the_dimension():
    assert [no_vectors(dimension).shape for dimension in (3, None)] == [(0, 3), (0, 0)]


@given(texts=st.lists(st.text(st.characters(exclude_categories=()), max_size=30)))
def test_every_text_can_be_presented_and_only_once_changes(texts):
    ready = presentable(texts, longest=20)

    assert len(ready) == len(texts)
    assert all(len(text.encode()) > 0 and len(text) <= 20 for text in ready)
    assert presentable(ready, longest=20) == ready


def test_a_text_that_is_cut_is_told_of(caplog):
    with caplog.at_level(logging.WARNING):
        assert presentable(["a secret", "\ud800", " "], longest=3) == ["a s", "?", "."]
    assert caplog.messages == ["1 of 3 texts are cut to 3 characters before they are embedded"]


def test_the_client_that_the_documentation_shows_works():
    page = (Path(__file__).parents[3] / "docs/embeddings.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict = {}
    exec(example, names)
    model = names["LetterEmbedder"]()
    asked, near, far = model.embed(["abc", "cab", "xyz"])

    assert isinstance(model, EmbeddingClient)
    assert asked @ near > asked @ far
