import base64
import json
import logging
import struct
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hymem.errors import ModelRefusedError, ModelUnavailableError, ReplyError
from hymem.models.embedding import EmbeddingClient
from hymem.models.openai_embedding import OpenAIEmbedder, vectors_of
from tests.support.openai_server import Answer, OpenAIServer, hashed_vector

TEXTS = ["we use redis", "we use postgres", "the cat sleeps"]


def embedder(server: OpenAIServer, **options) -> OpenAIEmbedder:
    options = {"api_key": "secret-key", "first_wait": 0.001, "timeout": 5.0} | options
    return OpenAIEmbedder(server.url, options.pop("api_key"), "test-model", **options)


def expected(texts: list[str], dimension: int = 32) -> np.ndarray:
    return np.array([hashed_vector(text, dimension) for text in texts], dtype=np.float32)


def sizes(server: OpenAIServer) -> list[int]:
    return [len(texts) for texts in server.embedded_texts]


def replaced(embedding, place: int = 1):
    """An answer that is honest but for one vector."""
    return lambda body, honest: (
        honest
        | {
            "data": [
                item | {"embedding": embedding} if index == place else item for index, item in enumerate(honest["data"])
            ]
        }
    )


def test_texts_become_unit_vectors_in_the_order_of_asking():
    with OpenAIServer() as server, embedder(server) as model:
        vectors = model.embed(TEXTS)

    assert isinstance(model, EmbeddingClient)
    assert vectors == pytest.approx(expected(TEXTS), abs=1e-6)
    assert (vectors.dtype, model.model, model.dimension) == (np.float32, "test-model", 32)
    assert server.requests[0].body == {"model": "test-model", "input": TEXTS, "encoding_format": "float"}


def test_no_texts_ask_nobody():
    with OpenAIServer() as server, embedder(server) as model:
        assert model.embed([]).shape == (0, 0)
    assert server.requests == []


@settings(max_examples=25)
@given(count=st.integers(1, 70), max_inputs=st.integers(1, 40))
def test_however_few_texts_an_endpoint_takes_all_of_them_get_their_vectors(count, max_inputs):
    texts = [f"text number {number}" for number in range(count)]
    with OpenAIServer(max_inputs=max_inputs) as server, embedder(server) as model:
        assert model.embed(texts) == pytest.approx(expected(texts), abs=1e-6)


def test_an_endpoint_is_not_asked_again_for_more_than_it_takes():
    with OpenAIServer(max_inputs=10) as server, embedder(server) as model:
        for _ in range(2):
            model.embed(["text"] * 128)

    refused = [size for size in sizes(server) if size > 10]
    assert refused[:4] == [128, 64, 32, 16]
    assert sizes(server)[-16:] == [8] * 16


def test_a_text_that_is_too_long_loses_its_end_and_leaves_the_others_their_batch(caplog):
    texts = ["short", "long " * 100, "brief"]
    with (
        OpenAIServer(max_characters=130) as server,
        embedder(server) as model,
        caplog.at_level(logging.WARNING, "hymem"),
    ):
        vectors = model.embed(texts)
        model.embed(["a"] * 5)

    assert vectors == pytest.approx(expected(["short", ("long " * 100)[:124], "brief"]), abs=1e-6)
    assert "finds 249 characters too many: 124 are embedded" in caplog.messages[-1]
    assert sizes(server)[-1] == 5


def test_what_is_said_to_be_too_large_without_end_is_given_up():
    refusal = Answer(status=413, error={"message": "Payload too large"})
    with (
        OpenAIServer(embedded=lambda body, honest: refusal) as server,
        embedder(server) as model,
        pytest.raises(ReplyError, match="413"),
    ):
        model.embed(["word " * 100] * 100)
    assert len(server.requests) < 15


def test_too_many_tokens_a_minute_are_waited_out_unless_the_request_alone_has_too_many():
    busy = [Answer(status=429, error={"message": "Rate limit reached for requests"})]
    with (
        OpenAIServer(embedded=lambda body, honest: busy.pop() if busy else honest) as server,
        embedder(server) as model,
    ):
        model.embed(TEXTS)
    assert sizes(server) == [3, 3]

    large = Answer(status=429, error={"message": "Request too large for test-model on tokens per min"})
    with (
        OpenAIServer(embedded=lambda body, honest: large if len(body["input"]) > 2 else honest) as server,
        embedder(server) as model,
    ):
        model.embed(TEXTS)
    assert sizes(server) == [3, 1, 2]


def test_blank_texts_and_broken_characters_are_made_fit_for_every_endpoint():
    with OpenAIServer() as server, embedder(server) as model:
        model.embed(["", " \n", "\ud800 x"])
    assert server.embedded_texts == [[".", ".", "? x"]]


def test_vectors_are_put_in_order_by_their_numbers():
    def shuffled(body, honest):
        return honest | {"data": honest["data"][::-1]}

    with OpenAIServer(embedded=shuffled) as server, embedder(server) as model:
        assert model.embed(TEXTS) == pytest.approx(expected(TEXTS), abs=1e-6)


@pytest.mark.parametrize("number", [{}, {"index": 0}, {"index": None}])
def test_vectors_without_numbers_are_in_the_order_of_asking(number):
    def unnumbered(body, honest):
        return {"data": [{"embedding": item["embedding"]} | number for item in honest["data"]]}

    with OpenAIServer(embedded=unnumbered) as server, embedder(server) as model:
        assert model.embed(TEXTS) == pytest.approx(expected(TEXTS), abs=1e-6)


def test_an_endpoint_that_knows_only_base64_is_asked_for_it_from_then_on():
    def only_base64(body, honest):
        if body["encoding_format"] != "base64":
            return Answer(status=400, error={"message": "encoding_format must be null or base64"})
        return honest

    with OpenAIServer(embedded=only_base64) as server, embedder(server) as model:
        for _ in range(2):
            assert model.embed(TEXTS) == pytest.approx(expected(TEXTS), abs=1e-6)
    assert [received.body["encoding_format"] for received in server.requests] == ["float", "base64", "base64"]


@pytest.mark.parametrize(
    ("embedded", "reason"),
    [
        (lambda body, honest: honest | {"data": honest["data"][:-1]}, "3 texts with 2 vectors"),
        (lambda body, honest: honest | {"data": honest["data"] * 2}, "3 texts with 6 vectors"),
        (lambda body, honest: {"data": [item | {"index": 1} for item in honest["data"]]}, "numbered"),
        (lambda body, honest: {"data": [item | {"index": "a"} for item in honest["data"]]}, "numbered"),
        (replaced([1.0, 2.0]), "different dimensions"),
        (replaced([float("nan")] * 32), "no direction"),
        (replaced([0.0] * 32), "no direction"),
        (replaced([[1.0] * 32]), "no vector"),
        (replaced([]), "no vector"),
        (replaced(None), "no vector"),
        (replaced({"values": [1.0]}), "no vector"),
        (replaced(["one"] * 32), "no vector"),
        (replaced([10**400] * 32), "no vector"),
        (replaced("no base64!"), "no vector"),
        (replaced(base64.b64encode(b"seven b").decode()), "no vector"),
    ],
)
def test_an_answer_that_cannot_be_used_is_never_taken_for_vectors(embedded, reason):
    with (
        OpenAIServer(embedded=embedded) as server,
        embedder(server) as model,
        pytest.raises(ReplyError, match=reason),
    ):
        model.embed(TEXTS)


def test_a_dimension_that_changes_between_two_answers_is_an_error():
    with OpenAIServer() as server, embedder(server) as model:
        model.embed(TEXTS)
        server.dimension = 16
        with pytest.raises(ReplyError, match="16 numbers now, and had 32 before"):
            model.embed(TEXTS)


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (Answer(status=401), "HYMEM_EMBEDDING_API_KEY"),
        (Answer(status=404), "HYMEM_EMBEDDING_MODEL.*HYMEM_EMBEDDING_BASE_URL is the part before /embeddings"),
        (Answer(status=402), "no credit"),
        (Answer(status=429, error={"message": "You exceeded your quota", "code": "insufficient_quota"}), "no credit"),
    ],
)
def test_a_refusal_is_reported_at_once_with_what_to_set(answer, advice):
    with (
        OpenAIServer(embedded=lambda body, honest: answer) as server,
        embedder(server) as model,
        pytest.raises(ModelRefusedError, match=advice),
    ):
        model.embed(TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize("passing", [Answer(status=503), Answer(hang_up=True), Answer(raw=b"<html></html>")])
def test_trouble_that_passes_is_waited_out_and_reported_when_it_does_not(passing):
    troubles = [passing, passing]
    with (
        OpenAIServer(embedded=lambda body, honest: troubles.pop() if troubles else honest) as server,
        embedder(server, retries=2) as model,
    ):
        assert len(model.embed(TEXTS)) == 3

    with (
        OpenAIServer(embedded=lambda body, honest: passing) as server,
        embedder(server, retries=1) as model,
        pytest.raises(ModelUnavailableError, match=r"HYMEM_EMBEDDING_BASE_URL.*recall goes by words"),
    ):
        model.embed(TEXTS)


def test_a_key_is_never_shown_even_where_the_endpoint_repeats_it():
    with (
        OpenAIServer(key="another") as server,
        embedder(server, api_key="sk-very-secret") as model,
        pytest.raises(ModelRefusedError, match="Incorrect API key provided: …") as refused,
    ):
        model.embed(TEXTS)
    assert "secret" not in str(refused.value) + repr(model)


def test_who_is_in_a_hurry_makes_one_short_attempt():
    with OpenAIServer(embedded=lambda body, honest: Answer(status=429)) as server:
        with embedder(server).hurried(0.3) as model, pytest.raises(ModelUnavailableError):
            model.embed(TEXTS)
        assert len(server.requests) == 1

    slow = OpenAIServer(embedded=lambda body, honest: time.sleep(1) or honest)
    with slow as server, embedder(server).hurried(0.3) as model:
        begun = time.monotonic()
        with pytest.raises(ModelUnavailableError, match=r"no answer within 0\.3 s"):
            model.embed(TEXTS)
        assert time.monotonic() - begun < 0.9


def test_one_client_serves_many_threads():
    heard: dict[int, np.ndarray] = {}
    with OpenAIServer(max_inputs=3) as server, embedder(server) as model:

        def ask(number: int) -> None:
            heard[number] = model.embed([f"text {number} {place}" for place in range(10)])

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    for number in range(12):
        assert heard[number] == pytest.approx(expected([f"text {number} {place}" for place in range(10)]), abs=1e-6)


@given(rows=st.lists(st.lists(st.floats(1, 9, width=32), min_size=4, max_size=4), min_size=1, max_size=5))
def test_floats_and_base64_say_the_same(rows):
    coded = [base64.b64encode(struct.pack("<4f", *row)).decode() for row in rows]
    bodies = [json.dumps({"data": [{"embedding": row} for row in way]}).encode() for way in (rows, coded)]

    said = [vectors_of(body, len(rows)) for body in bodies]
    assert np.array_equal(said[0], said[1])


def test_the_module_is_imported_without_the_openai_package():
    code = "import sys, hymem.models.openai_embedding; print('openai' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
