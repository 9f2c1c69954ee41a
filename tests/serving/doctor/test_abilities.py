"""What the doctor finds out about models, from real servers that can more or less."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hymem.models.dialect import forget_dialects
from hymem.models.openai_chat import OpenAIChat
from hymem.settings import read_settings
from hymem.store.database import Database
from hymem.store.vectors import OwnedVector, Space, keep_vectors
from serving.doctor.abilities import FIELD, WORD
from serving.doctor.endpoints import endpoints
from serving.doctor.findings import Finding
from tests.support.openai_server import Answer, OpenAIServer


@pytest.fixture(autouse=True)
def nothing_learned() -> Iterator[None]:
    forget_dialects()
    yield
    forget_dialects()


def able(body: dict[str, Any]) -> str:
    """A model that keeps to a schema, and sees the whole text."""
    asked = body["messages"][-1]["content"]
    prompt = " ".join(message["content"] for message in body["messages"])
    if "response_format" in body or "JSON Schema" in prompt:
        return json.dumps({FIELD: "wet"})
    return f"It is {WORD}." if WORD in asked else "Yes."


def found(tmp_path: Path, server: OpenAIServer, **variables: str) -> dict[str, Finding]:
    model = {"HYMEM_LLM_BASE_URL": server.url, "HYMEM_LLM_MODEL": "m", "HYMEM_LLM_API_KEY": "k" * 20}
    settings = read_settings({"HYMEM_ROOT": str(tmp_path), **model, **variables})
    return {finding.check: finding for finding in endpoints(settings)}


def test_a_model_that_can_all_of_it_gives_nothing_to_say(tmp_path: Path):
    with OpenAIServer(able) as server:
        told = found(tmp_path, server)

    assert {name: finding.level for name, finding in told.items()} == {
        "endpoint": "ok",
        "structured output": "ok",
        "reasoning": "ok",
        "context": "ok",
    }


def test_a_schema_that_is_accepted_and_ignored_is_a_warning(tmp_path: Path):
    with OpenAIServer(lambda body: '{"rain": "wet"}' if "response_format" in body else able(body)) as server:
        told = found(tmp_path, server)["structured output"]

    assert (told.level, "accepted and ignored" in told.message) == ("warning", True)


@pytest.mark.parametrize(
    ("rejects", "words"),
    [({"json_schema"}, "JSON objects, and no"), ({"json_schema", "json_object"}, "neither JSON Schema")],
    ids=["schema", "both"],
)
def test_a_model_that_is_told_the_schema_in_words_is_a_note(tmp_path: Path, rejects: set[str], words: str):
    with OpenAIServer(able, rejects=rejects) as server:
        told = found(tmp_path, server)["structured output"]

    assert (told.level, told.message.startswith(words)) == ("note", True)


def test_a_model_without_any_sense_of_form_is_a_warning(tmp_path: Path):
    with OpenAIServer(["Rain is wet."], rejects={"json_schema", "json_object"}) as server:
        assert found(tmp_path, server)["structured output"].level == "warning"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("<think>Who asks?</think>Yes."), "before its answer"),
        (Answer("Yes.", message={"reasoning_content": "Who asks?"}), "in a field of its own"),
    ],
    ids=["within", "beside"],
)
def test_a_model_that_reasons_is_known_by_its_answer(tmp_path: Path, answer: Answer, words: str):
    def script(body: dict[str, Any]) -> str | Answer:
        return answer if "Are you there?" in body["messages"][-1]["content"] else able(body)

    with OpenAIServer(script) as server:
        told = found(tmp_path, server)["reasoning"]

    assert (told.level, words in told.message) == ("note", True)


def test_a_model_that_loses_the_beginning_of_a_long_text_is_found_out(tmp_path: Path):
    def forgetful(body: dict[str, Any]) -> str:
        *before, last = body["messages"]
        return able(body | {"messages": [*before, last | {"content": last["content"][-8000:]}]})

    with OpenAIServer(forgetful) as server:
        told = found(tmp_path, server)["context"]

    assert (told.level, "the beginning is lost" in told.message) == ("warning", True)
    assert "OLLAMA_CONTEXT_LENGTH" in told.remedy


def test_a_model_that_refuses_a_long_text_is_found_out(tmp_path: Path):
    def small(body: dict[str, Any]) -> str | Answer:
        if len(body["messages"][-1]["content"]) < 8000:
            return able(body)
        return Answer(status=400, error={"message": "This model's maximum context length is 4096 tokens"})

    with OpenAIServer(small) as server:
        told = found(tmp_path, server)["context"]

    assert (told.level, "are too much" in told.message) == ("warning", True)


def test_a_key_that_is_not_accepted_ends_the_questions(tmp_path: Path):
    with OpenAIServer(able, key="another") as server:
        told = found(tmp_path, server)

    assert ({name: finding.level for name, finding in told.items()}, len(server.asked)) == ({"endpoint": "error"}, 1)
    assert "HYMEM_LLM_API_KEY" in told["endpoint"].remedy


def test_nobody_at_the_address_is_an_error_after_one_attempt(tmp_path: Path):
    with OpenAIServer(able) as server:
        gone = server
    told = found(tmp_path, gone)

    assert {name: finding.level for name, finding in told.items()} == {"endpoint": "error"}


def test_vectors_of_another_length_than_those_stored_are_an_error(tmp_path: Path):
    database = Database.open(tmp_path / "hymem.db")
    with database.writing() as connection:
        keep_vectors(connection, Space("e", 3), [OwnedVector("edge", 1, 1, "a uses b", b"\0\0\x80?" + b"\0" * 8)])
    database.close()

    with OpenAIServer(able, dimension=8) as server:
        same = {"HYMEM_EMBEDDING_BASE_URL": server.url, "HYMEM_EMBEDDING_MODEL": "e"}
        told = found(tmp_path, server, **same)["embedding endpoint"]

    assert (told.level, told.message) == ("error", "e gives 8 numbers, the stored vectors have 3")
    assert "hymem reembed" in told.remedy


def test_the_whole_answer_is_what_the_doctor_reads(tmp_path: Path):
    from hymem.models.chat import ChatRequest

    with OpenAIServer(able) as server, OpenAIChat(server.url, None, "m") as llm:
        assert llm.completion(ChatRequest("probe", "", "Are you there?"))["choices"][0]["finish_reason"] == "stop"
