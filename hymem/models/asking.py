"""Asking a language model many questions at once, and keeping every answer the moment it arrives.

Answers cost money and minutes, so each is handed to a `Keeper` before anything else happens, whatever comes next: an
unreadable neighbour, an endpoint that goes down, Ctrl-C. The keeper is called in the caller's thread only, one call at
a time, so it may write through that thread's database connection. No more questions are under way than `concurrency`
allows, which is also the most that a crash can lose.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

from hymem.errors import ModelRefusedError, ModelUnavailableError, ReplyError
from hymem.models.chat import ChatReply, ChatRequest, LLMClient

Key = TypeVar("Key")
KeptKey = TypeVar("KeptKey", contravariant=True)

_GLANCE: float = 0.2
"""Seconds after which a `stop` is noticed at the latest."""


class Keeper(Protocol[KeptKey]):
    """Where answers go. What `reply` was given is durable when it returns; the same reply may come twice."""

    def reply(self, key: KeptKey, reply: ChatReply, /) -> None:
        """Keep a readable answer."""
        ...

    def failure(self, key: KeptKey, reason: str, /) -> None:
        """Note that this question, and not the endpoint, is why there is no answer."""
        ...


@runtime_checkable
class Impatient(Protocol):
    """An `LLMClient` that pauses between attempts, and can be told to give up pausing."""

    def stop_waiting(self) -> None:
        """End the pauses that calls in flight are in; they raise what they would have raised in the end."""
        ...


@dataclass
class Report:
    """How the asking went. `left_over` questions wait for the next time: neither answered nor failed.

    `asked` = `answered` + `failed` + `unavailable` + those refused. `refused` and `down` hold the endpoint's words
    where they ended the asking early, or where it answered nothing at all; `interrupted` tells that `stop` did.
    """

    asked: int = 0
    answered: int = 0
    failed: int = 0
    unavailable: int = 0
    left_over: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    refused: str = ""
    down: str = ""
    interrupted: bool = False

    @property
    def tokens(self) -> int:
        """Tokens both ways."""
        return self.prompt_tokens + self.completion_tokens


def ask_all(
    requests: Iterable[tuple[Key, ChatRequest]],
    client: LLMClient,
    keep: Keeper[Key],
    readable: Callable[[str], object],
    *,
    concurrency: int = 8,
    stop: threading.Event | None = None,
    call_budget: int | None = None,
    token_budget: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Ask the questions in their order and keep what comes back; `readable` raises `ReplyError` where a text is not.

    No new question is begun once `stop` is set, a budget is used up (calls in flight may overdraw the tokens), the
    endpoint refuses, or the first `max(4, concurrency)` questions all find it unavailable. What is in flight is always
    waited for and kept, after Ctrl-C too, which is raised again afterwards.

    An unavailable endpoint is no fault of a question and is kept as no failure, unless the endpoint answers at least
    four others for each: then something about these is too much for it.
    """
    asking = _Asking(client, keep, readable, max(1, concurrency))
    questions, report = deque(requests), asking.report
    waiting = len(questions)
    total = waiting if call_budget is None else min(waiting, max(0, call_budget))

    def wanted() -> bool:
        spent = token_budget is not None and report.tokens >= token_budget
        return report.asked < total and not (spent or report.interrupted or report.refused or report.down)

    with ThreadPoolExecutor(asking.concurrency, thread_name_prefix="asking") as pool:
        try:
            while asking.flight or wanted():
                if stop is not None and stop.is_set():
                    report.interrupted = True
                    asking.hurry()
                while len(asking.flight) < asking.concurrency and wanted():
                    asking.begin(pool, *questions.popleft())
                arrived = asking.settle(_GLANCE if stop is not None and not report.interrupted else None)
                if progress is not None and arrived:
                    progress(report.asked - len(asking.flight), total)
        except (KeyboardInterrupt, SystemExit):
            asking.hurry()
            while asking.flight:
                asking.settle(None)
            raise
        except BaseException:  # whatever the keeper raised: end the pauses of calls in flight, then let it through
            asking.hurry()
            raise
    asking.blame()
    report.left_over = waiting - report.answered - report.failed
    return report


class _Asking(Generic[Key]):
    """The questions under way, and the bookkeeping of those that are done."""

    def __init__(
        self, client: LLMClient, keep: Keeper[Key], readable: Callable[[str], object], concurrency: int
    ) -> None:
        self.client, self.keep, self.readable = client, keep, readable
        self.concurrency = concurrency
        self.report = Report()
        self.flight: dict[Future[ChatReply], Key] = {}
        self.turned_away: list[tuple[Key, str]] = []
        self.hurried = False

    def begin(self, pool: ThreadPoolExecutor, key: Key, request: ChatRequest) -> None:
        self.flight[pool.submit(self.client.complete, request)] = key
        self.report.asked += 1

    def settle(self, seconds: float | None) -> int:
        """Wait for something to arrive and keep it; a call leaves the flight only once it is kept."""
        done, _ = wait(self.flight, seconds, FIRST_COMPLETED)
        for call in done:
            self._keep(self.flight[call], call)
            del self.flight[call]
        return len(done)

    def hurry(self) -> None:
        self.hurried = True
        if isinstance(self.client, Impatient):
            self.client.stop_waiting()

    def blame(self) -> None:
        """Turn the questions that an otherwise willing endpoint did not answer into failures."""
        if not self.hurried and 0 < 4 * len(self.turned_away) <= self.report.answered:
            for key, reason in self.turned_away:
                self._fail(key, reason)
            self.report.unavailable = 0
        elif self.turned_away and not (self.report.answered or self.report.failed):
            self.report.down = self.report.down or self.turned_away[0][1]

    def _keep(self, key: Key, call: "Future[ChatReply]") -> None:
        try:
            reply = call.result()
        except ModelRefusedError as refusal:
            self.report.refused = self.report.refused or str(refusal)
        except ModelUnavailableError as absence:
            self._turn_away(key, str(absence))
        except ReplyError as fault:
            self._fail(key, str(fault))
        except Exception as bug:  # noqa: BLE001 - a fault in a user's own client concerns this question, not the dream
            self._fail(key, f"{type(bug).__name__}: {bug}")
        else:
            self._read(key, reply)

    def _read(self, key: Key, reply: ChatReply) -> None:
        self.report.prompt_tokens += reply.prompt_tokens
        self.report.completion_tokens += reply.completion_tokens
        try:
            self.readable(reply.text)
        except ReplyError as fault:
            self._fail(key, str(fault))
        else:
            self.keep.reply(key, reply)
            self.report.answered += 1

    def _fail(self, key: Key, reason: str) -> None:
        self.keep.failure(key, reason)
        self.report.failed += 1

    def _turn_away(self, key: Key, reason: str) -> None:
        self.turned_away.append((key, reason))
        self.report.unavailable += 1
        gone = self.report.unavailable
        if gone >= max(4, self.concurrency) and not (self.report.answered or self.report.failed or self.hurried):
            self.report.down = self.report.down or reason
