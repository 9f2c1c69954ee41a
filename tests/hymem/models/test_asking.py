import signal
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hymem.errors import ModelRefusedError, ModelUnavailableError, ReplyError, StoreError
from hymem.models.asking import ask_all
from hymem.models.chat import ChatReply, ChatRequest
from hymem.models.openai_chat import OpenAIChat
from hymem.models.replies import read_extraction
from hymem.testing import ScriptedModel
from tests.support.openai_server import Answer, OpenAIServer

NOTHING = '{"triples": []}'


class Kept:
    """A keeper with a memory, that insists on its own thread."""

    def __init__(self) -> None:
        self.replies: dict[int, ChatReply] = {}
        self.failures: dict[int, str] = {}
        self.thread = threading.get_ident()

    def reply(self, key: int, reply: ChatReply, /) -> None:
        assert threading.get_ident() == self.thread
        self.replies[key] = reply

    def failure(self, key: int, reason: str, /) -> None:
        assert threading.get_ident() == self.thread
        self.failures[key] = reason


def questions(count: int) -> list[tuple[int, ChatRequest]]:
    return [(number, ChatRequest("extraction", "", "", material={"text": str(number)})) for number in range(count)]


def asked(count: int, model, kept: Kept | None = None, **options):
    kept = kept or Kept()
    return kept, ask_all(questions(count), model, kept, read_extraction, **options)


def test_every_answer_is_kept_and_counted():
    progress: list[tuple[int, int]] = []
    model = ScriptedModel({}, others='{"triples":  []}')

    kept, report = asked(20, model, progress=lambda done, total: progress.append((done, total)))

    assert sorted(kept.replies) == list(range(20))
    assert (report.asked, report.answered, report.failed, report.left_over) == (20, 20, 0, 0)
    assert (report.prompt_tokens, report.completion_tokens, report.tokens) == (0, 40, 40)
    assert progress == sorted(progress)
    assert progress[-1] == (20, 20)


def test_failures_are_noted_with_their_reasons_and_the_others_go_on():
    script = {"1": "prose", "2": ReplyError("cut off"), "3": ValueError("a bug"), "0": NOTHING, "4": NOTHING}

    kept, report = asked(5, ScriptedModel(script))

    assert sorted(kept.replies) == [0, 4]
    assert kept.failures[1].startswith("the reply holds no JSON")
    assert (kept.failures[2], kept.failures[3]) == ("cut off", "ValueError: a bug")
    assert (report.answered, report.failed, report.left_over) == (2, 3, 0)


def test_an_unreadable_answer_has_been_paid_for():
    _, report = asked(1, ScriptedModel({"0": "four words of prose"}))
    assert report.completion_tokens == 4


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_no_more_questions_are_under_way_than_allowed(concurrency):
    model = ScriptedModel({}, others=NOTHING, latency=0.01)
    asked(40, model, concurrency=concurrency)
    assert model.most_at_once == concurrency


def test_slow_answers_overlap():
    model = ScriptedModel({}, others=NOTHING, latency=0.2)
    begun = time.monotonic()
    asked(200, model, concurrency=16)
    assert time.monotonic() - begun < 1.3 * 2.6


def test_a_refusal_ends_the_asking_and_what_is_under_way_is_kept():
    arrived = threading.Event()

    def script(text: str):
        if text == "1":
            arrived.set()
            return ModelRefusedError("wrong key")
        arrived.wait(5)
        time.sleep(0.1)
        return NOTHING

    kept, report = asked(50, ScriptedModel(script), concurrency=4)

    assert report.refused == "wrong key"
    assert sorted(kept.replies) == [0, 2, 3]
    assert (report.asked, report.answered, report.failed, report.left_over) == (4, 3, 0, 47)


def test_an_endpoint_that_is_down_is_told_of_however_few_the_questions_are():
    _, report = asked(2, ScriptedModel({}, others=ModelUnavailableError("nobody there")))

    assert (report.down, report.unavailable, report.left_over) == ("nobody there", 2, 2)


def test_an_endpoint_that_is_down_is_not_asked_to_the_end_and_no_question_is_blamed():
    model = ScriptedModel({}, others=ModelUnavailableError("nobody there"))

    kept, report = asked(50, model, concurrency=2)

    assert 4 <= len(model.requests) <= 5
    assert report.down == "nobody there"
    assert (report.answered, report.failed, report.left_over) == (0, 0, 50)
    assert kept.failures == {}


def test_a_question_that_is_too_much_for_a_willing_endpoint_is_to_blame():
    model = ScriptedModel({"3": ModelUnavailableError("no answer within 60 s")}, others=NOTHING)

    kept, report = asked(10, model)

    assert kept.failures == {3: "no answer within 60 s"}
    assert (report.answered, report.failed, report.unavailable, report.left_over) == (9, 1, 0, 0)


def test_questions_are_not_to_blame_for_an_endpoint_that_turns_many_away():
    busy = ModelUnavailableError("too many requests")
    model = ScriptedModel(lambda text: busy if int(text) % 3 else NOTHING)

    kept, report = asked(12, model)

    assert kept.failures == {}
    assert (report.answered, report.failed, report.unavailable, report.left_over) == (4, 0, 8, 8)


def test_a_budget_of_calls_takes_the_first_questions_and_leaves_the_rest():
    kept, report = asked(10, ScriptedModel({}, others=NOTHING), call_budget=3)
    assert sorted(kept.replies) == [0, 1, 2]
    assert (report.asked, report.left_over) == (3, 7)


@given(count=st.integers(0, 30), concurrency=st.integers(1, 5), budget=st.integers(0, 30))
@settings(max_examples=30, deadline=None)
def test_a_budget_of_tokens_is_overdrawn_by_no_more_than_what_is_under_way(count, concurrency, budget):
    _, report = asked(count, ScriptedModel({}, others=NOTHING), concurrency=concurrency, token_budget=budget)

    assert report.tokens < budget + 2 * concurrency or report.tokens == 0
    assert report.tokens >= budget or report.left_over == 0
    assert report.answered + report.left_over == count


def test_a_stop_lets_what_is_under_way_arrive_and_begins_nothing_more():
    stop = threading.Event()
    model = ScriptedModel(lambda text: stop.set() or NOTHING, latency=0.05)

    kept, report = asked(50, model, concurrency=4, stop=stop)

    assert report.interrupted
    assert len(kept.replies) == len(model.requests) == report.answered
    assert report.answered <= 8
    assert report.left_over == 50 - report.answered


def test_a_stop_ends_the_pauses_between_attempts():
    stop = threading.Event()
    busy = OpenAIServer([Answer(status=429, headers={"Retry-After": "30"})])
    with busy as server, OpenAIChat(server.url, "k", "m", timeout=5) as model:
        threading.Timer(0.3, stop.set).start()
        begun = time.monotonic()
        kept, report = asked(3, model, concurrency=2, stop=stop)

    assert time.monotonic() - begun < 5
    assert kept.failures == {}
    assert (report.interrupted, report.left_over) == (True, 3)


def test_ctrl_c_keeps_what_was_paid_for_and_is_raised_again():
    def script(text: str) -> str:
        if text == "5":
            signal.raise_signal(signal.SIGINT)
        return NOTHING

    kept, model = Kept(), ScriptedModel(script, latency=0.05)

    with pytest.raises(KeyboardInterrupt):
        asked(200, model, kept, concurrency=4)

    assert 5 in kept.replies
    assert len(kept.replies) == len(model.requests) < 20


def test_ctrl_c_while_an_answer_is_being_kept_does_not_lose_it():
    class Interrupted(Kept):
        def reply(self, key: int, reply: ChatReply, /) -> None:
            if key == 2 and key not in self.replies and not self.failures:
                self.failure(key, "interrupted")
                raise KeyboardInterrupt
            super().reply(key, reply)

    kept = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        asked(3, ScriptedModel({}, others=NOTHING), kept)

    assert sorted(kept.replies) == [0, 1, 2]


def test_an_answer_that_cannot_be_kept_ends_the_asking():
    class Full(Kept):
        def reply(self, key: int, reply: ChatReply, /) -> None:
            raise StoreError("the disk is full")

    model = ScriptedModel({}, others=NOTHING)
    with pytest.raises(StoreError, match="full"):
        asked(50, model, Full(), concurrency=2)
    assert len(model.requests) <= 2
