import json
import subprocess
import sys
import threading
import time
import traceback
from contextlib import nullcontext
from email.utils import formatdate

import pytest

from hymem.errors import ConfigError, ModelRefusedError, ModelUnavailableError, ReplyError
from hymem.models.chat import ChatReply, ChatRequest, LLMClient
from hymem.models.dialect import forget_dialects, strict_schema
from hymem.models.endpoint import default_concurrency, is_loopback
from hymem.models.openai_chat import OpenAIChat
from tests.support import openai_server
from tests.support.openai_server import Answer, OpenAIServer

SCHEMA = {
    "type": "object",
    "properties": {"triples": {"type": "array", "items": {"type": "string"}}, "note": {"type": "string"}},
    "required": ["triples"],
}
QUESTION = ChatRequest("extraction", "You extract.", "we use redis", schema=SCHEMA)


@pytest.fixture(autouse=True)
def fresh_process():
    forget_dialects()


def chat(server: OpenAIServer, **options) -> OpenAIChat:
    options = {"api_key": "secret-key", "first_wait": 0.001, "timeout": 5.0} | options
    return OpenAIChat(server.url, options.pop("api_key"), "test-model", **options)


def formats(server: OpenAIServer) -> list[str]:
    return [body.get("response_format", {}).get("type", "plain") for body in server.asked]


def test_a_question_is_answered_and_its_tokens_are_counted():
    with OpenAIServer(["{}"]) as server, chat(server) as model:
        assert model.complete(QUESTION) == ChatReply("{}", "test-model", prompt_tokens=11, completion_tokens=7)
        assert isinstance(model, LLMClient)


def test_a_first_request_binds_the_reply_to_a_strict_schema_at_temperature_zero():
    with OpenAIServer() as server, chat(server) as model:
        model.complete(QUESTION)

    [body] = server.asked
    described = body["response_format"]["json_schema"]
    assert body["temperature"] == 0
    assert (described["name"], described["strict"]) == ("extraction", True)
    assert described["schema"]["required"] == ["triples", "note"]
    assert described["schema"]["properties"]["note"] == {"type": ["string", "null"]}
    assert "JSON" not in str(body["messages"])


@pytest.mark.parametrize(
    ("rejects", "asked"),
    [
        (["json_schema"], ["json_schema", "json_object", "json_object"]),
        (["json_schema", "json_object"], ["json_schema", "json_object", "plain", "plain"]),
        (["temperature"], ["json_schema", "json_schema", "json_schema"]),
    ],
)
def test_what_an_endpoint_rejects_is_left_out_from_then_on(rejects, asked):
    with OpenAIServer(rejects=rejects) as server:
        for _ in range(2):
            with chat(server) as model:
                model.complete(QUESTION)

    assert formats(server) == asked
    assert ("temperature" in server.asked[-1]) == ("temperature" not in rejects)
    described = '"triples"' in server.asked[-1]["messages"][0]["content"]
    assert described == (asked[-1] != "json_schema")


@pytest.mark.parametrize("status", [400, 404, 422])
@pytest.mark.parametrize(
    "error",
    [
        {"message": "This response_format type is unavailable now"},
        {"message": "Unknown parameter"},
        [{"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs", "input": "…"}],
    ],
)
def test_a_rejected_format_is_recognized_however_it_is_said(status, error):
    body = {"detail": error} if isinstance(error, list) else {"error": error}
    rejection = Answer(status=status, raw=json.dumps(body).encode())
    with OpenAIServer(lambda body: rejection if "response_format" in body else "{}") as server, chat(server) as model:
        assert model.complete(QUESTION).text == "{}"


def test_a_rejection_that_has_another_reason_teaches_nothing():
    broken = Answer(status=400, error={"message": "response_format is fine, yet something is broken"})
    with OpenAIServer([broken, broken, broken, "{}"]) as server, chat(server) as model:
        for expected in (pytest.raises(ReplyError, match="something is broken"), nullcontext()):
            with expected:
                model.complete(QUESTION)

    assert formats(server)[-1] == "json_schema"


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_trouble_that_passes_is_waited_out(status):
    with OpenAIServer([Answer(status=status), Answer(hang_up=True), "{}"]) as server, chat(server) as model:
        assert model.complete(QUESTION).text == "{}"
    assert len(server.asked) == 3


@pytest.mark.parametrize("asked_for", ["1", lambda: formatdate(time.time() + 2, usegmt=True)])
def test_an_endpoint_is_left_alone_for_as_long_as_it_asks(asked_for):
    wait = asked_for if isinstance(asked_for, str) else asked_for()
    with OpenAIServer([Answer(status=429, headers={"Retry-After": wait}), "{}"]) as server, chat(server) as model:
        begun = time.monotonic()
        model.complete(QUESTION)
        assert 0.9 <= time.monotonic() - begun <= 3


def test_an_endpoint_that_asks_for_an_hour_is_not_asked_again():
    with (
        OpenAIServer([Answer(status=429, headers={"Retry-After": "3600"})]) as server,
        chat(server) as model,
        pytest.raises(ModelUnavailableError, match="dream again later"),
    ):
        model.complete(QUESTION)
    assert len(server.asked) == 1


def test_patience_ends_after_the_last_retry_and_the_error_names_the_endpoint():
    with (
        OpenAIServer([Answer(status=503)]) as server,
        chat(server, retries=2) as model,
        pytest.raises(ModelUnavailableError, match=rf"127\.0\.0\.1:{server.port}.*503.*HYMEM_LLM_BASE_URL"),
    ):
        model.complete(QUESTION)
    assert len(server.asked) == 3


def test_nobody_at_the_address_is_an_unavailable_model():
    with OpenAIServer() as server:
        url = server.url
    with pytest.raises(ModelUnavailableError, match="refused"):
        OpenAIChat(url, "k", "m", retries=1, first_wait=0.001).complete(QUESTION)


@pytest.mark.parametrize("slow", [Answer("{}", delay=2.0), Answer("{}", delay=0.1, dripping=20)])
def test_an_attempt_ends_in_time_even_where_blank_lines_keep_it_alive(slow):
    with OpenAIServer([slow]) as server, chat(server, timeout=0.4, retries=0) as model:
        begun = time.monotonic()
        with pytest.raises(ModelUnavailableError, match=r"no answer within 0\.4 s"):
            model.complete(QUESTION)
        assert time.monotonic() - begun < 1


def test_a_web_page_is_no_answer():
    with (
        OpenAIServer([Answer(raw=b"<html>Welcome!</html>")]) as server,
        chat(server, retries=1) as model,
        pytest.raises(ModelUnavailableError, match="not with a chat completion"),
    ):
        model.complete(QUESTION)


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (Answer(status=401), "HYMEM_LLM_API_KEY"),
        (Answer(status=403), "HYMEM_LLM_API_KEY"),
        (Answer(status=400, error={"message": "API key not valid"}), "HYMEM_LLM_API_KEY"),
        (Answer(status=404, error={"message": "not here"}), "HYMEM_LLM_MODEL"),
        (Answer(status=400, error={"message": "Model Not Exist"}), "HYMEM_LLM_MODEL"),
        (Answer(status=402), "no credit"),
        (Answer(status=429, error={"message": "Slow down", "code": "insufficient_quota"}), "no credit"),
        (Answer(raw=b'{"error": {"message": "No auth", "code": 401}}'), "HYMEM_LLM_API_KEY"),
    ],
)
def test_trouble_that_stays_is_reported_at_once_with_what_to_do(answer, advice):
    with (
        OpenAIServer([answer]) as server,
        chat(server) as model,
        pytest.raises(ModelRefusedError, match=advice),
    ):
        model.complete(QUESTION)
    assert len(server.asked) == 1


def test_a_key_is_never_shown_even_where_the_endpoint_repeats_it():
    with (
        OpenAIServer(key="another") as server,
        chat(server, api_key="sk-very-secret") as model,
        pytest.raises(ModelRefusedError, match="Incorrect API key provided: …") as refused,
    ):
        model.complete(QUESTION)
    assert "secret" not in "".join(traceback.format_exception(refused.value)) + repr(model)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer('{"triples": [', finish_reason="length"), "cut off"),
        (Answer("half", finish_reason="content_filter"), "content filter"),
        (Answer(None), "empty"),
        (Answer(" \n"), "empty"),
        (Answer("<think>Hm.</think>"), "empty"),
        (Answer(None, message={"refusal": "I would rather not."}), "I would rather not"),
        (Answer(None, message={"reasoning_content": "Let me see."}), "empty"),
        (Answer(status=400, error={"message": "too long", "code": "context_length_exceeded"}), "too long"),
        (Answer(status=403, error={"message": "input was flagged"}), "does not take this text"),
    ],
)
def test_an_answer_that_is_not_whole_is_an_error_of_this_question(answer, reason):
    with (
        OpenAIServer([answer]) as server,
        chat(server) as model,
        pytest.raises(ReplyError, match=reason),
    ):
        model.complete(QUESTION)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("<think>Redis {is} used.</think>\n{}", "{}"),
        ("\n<Reasoning>a</reasoning><think>b</think> {}", "{}"),
        ('{"quote": "a <think>tag</think>"}', '{"quote": "a <think>tag</think>"}'),
        ("so: <think>no</think>", "so: <think>no</think>"),
    ],
)
def test_reasoning_is_cut_only_where_it_leads(said, heard):
    with OpenAIServer([said]) as server, chat(server) as model:
        assert model.complete(QUESTION).text == heard


def test_an_answer_in_parts_and_without_usage_is_an_answer():
    parts = [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "{}"}]
    with OpenAIServer([Answer(message={"content": parts}, usage=None)]) as server, chat(server) as model:
        assert model.complete(QUESTION) == ChatReply("{}", "test-model")


def test_one_client_serves_many_threads():
    heard: dict[int, str] = {}
    echo = OpenAIServer(lambda body: body["messages"][1]["content"], rejects=["json_schema"], latency=0.05)
    with echo as server, chat(server) as model:

        def ask(number: int) -> None:
            heard[number] = model.complete(ChatRequest("k", "system", f"number {number}", schema=SCHEMA)).text

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert heard == {number: f"number {number}" for number in range(16)}


def test_whoever_waits_for_another_attempt_can_be_told_not_to():
    with OpenAIServer([Answer(status=429, headers={"Retry-After": "30"})]) as server, chat(server) as model:
        threading.Timer(0.2, model.stop_waiting).start()
        begun = time.monotonic()
        with pytest.raises(ModelUnavailableError):
            model.complete(QUESTION)
        assert time.monotonic() - begun < 5


def test_only_this_machine_is_loopback_and_gets_one_question_at_a_time():
    here = ["http://localhost:11434/v1", "http://127.0.0.2:1", "http://[::1]:8080/v1", "http://llm.localhost"]
    elsewhere = ["https://api.deepseek.com", "http://192.168.0.7:11434/v1", "http://localhost.example.org"]

    assert [is_loopback(url) for url in here + elsewhere] == [True] * 4 + [False] * 3
    assert [default_concurrency(url) for url in (here[0], elsewhere[0])] == [1, 8]


@pytest.mark.parametrize(("url", "key"), [("api.deepseek.com", "k"), ("ftp://a", "k"), ("http://a", "clé"), ("", "k")])
def test_what_cannot_be_an_address_or_a_key_is_said_before_the_first_question(url, key):
    with pytest.raises(ConfigError):
        OpenAIChat(url, key, "m")


def test_the_module_is_imported_without_the_openai_package():
    code = "import sys, hymem.models.openai_chat; print('openai' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


def test_a_strict_schema_is_closed_on_every_level_and_free_keys_have_none():
    item = {"type": "object", "properties": {"kind": {"type": "string", "enum": ["a"]}}}

    assert strict_schema({"type": "array", "items": item})["items"] == {
        "type": "object",
        "properties": {"kind": {"type": ["string", "null"], "enum": ["a", None]}},
        "required": ["kind"],
        "additionalProperties": False,
    }
    with pytest.raises(ValueError, match="free keys"):
        strict_schema({"type": "object"})


def test_the_scripted_server_runs_as_a_process_of_its_own(tmp_path):
    (tmp_path / "script.json").write_text(json.dumps({"redis": {"triples": ["redis"]}}))
    options = ["--port-file", tmp_path / "port", "--script", tmp_path / "script.json", "--log", tmp_path / "log"]
    process = subprocess.Popen([sys.executable, openai_server.__file__, *options])
    try:
        while not (tmp_path / "port").exists() and process.poll() is None:
            time.sleep(0.02)
        with OpenAIChat(f"http://127.0.0.1:{(tmp_path / 'port').read_text()}/v1", None, "m") as model:
            assert model.complete(QUESTION).text == '{"triples": ["redis"]}'
    finally:
        process.kill()
        process.wait()
    assert json.loads((tmp_path / "log").read_text())["path"] == "/v1/chat/completions"
