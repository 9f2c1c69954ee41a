"""Asking beyond one thread: the extraction's questions in batches, on threads, or on the workers of a Dask or Ray cluster.

The three nodes here take the place of `extraction_replies`: the questions are cut into batches, each batch is answered by
whichever worker is free, and the replies are collected. A worker gets a batch and a copy of the client, and touches no
database: what comes back is kept in the ledger by the process that dreams, batch by batch, as soon as a batch is there.
Everything else of the dream stays where it is, so that the tables come out equal.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, cast

from hamilton.htypes import Collect, Parallelizable
from hamilton.lifecycle import TaskReturnHook

from dataflows.asking import Asker, Kind, ModelAsker
from dataflows.extraction import EXTRACTION
from dataflows.rows import Prompt, Reply
from dataflows.tables import Table
from hymem.models.asking import Report, ask_all
from hymem.models.chat import ChatReply, ChatRequest, LLMClient
from hymem.store.replies import ReplyKey

BATCHES_PER_WORKER: Final = 4
"""So that a worker whose batch was quick takes another, and a crash loses little."""

LARGEST_BATCH: Final = 64


@dataclass
class Answered:
    """What a worker made of its batch; it keeps its answers until they are handed over."""

    report: Report = field(default_factory=Report)
    replies: list[tuple[ReplyKey, ChatReply]] = field(default_factory=list[tuple[ReplyKey, ChatReply]])
    failures: list[tuple[ReplyKey, str]] = field(default_factory=list[tuple[ReplyKey, str]])

    def reply(self, key: ReplyKey, reply: ChatReply) -> None:
        """Note a readable reply."""
        self.replies.append((key, reply))

    def failure(self, key: ReplyKey, reason: str) -> None:
        """Note a question that got nothing readable."""
        self.failures.append((key, reason))


@dataclass(frozen=True)
class Batch:
    """Some questions, with all that a worker needs to ask them; it may be pickled where its client may."""

    client: LLMClient
    kind: Kind
    questions: tuple[tuple[ReplyKey, ChatRequest], ...]
    concurrency: int
    token_budget: int | None

    def answered(self) -> Answered:
        """Ask them all."""
        answered = Answered()
        limits = {"concurrency": self.concurrency, "token_budget": self.token_budget}
        answered.report = ask_all(self.questions, self.client, answered, self.kind.read, **limits)
        return answered


@dataclass
class SharingAsker(ModelAsker):
    """An asker that lets others do the asking, `workers` of them, within the concurrency and the budgets of one dream.

    A budget of tokens is divided among the batches, since no worker knows what another has spent.
    """

    workers: int = 1

    def batches(self, kind: Kind, instructions: str, prompts: Table[Prompt]) -> Iterator[Batch]:
        """The questions, in their order, cut so that every worker gets several batches."""
        self.collected()
        ended = self.report.refused or self.report.down
        questions = self.questions(kind, instructions, prompts)[: 0 if ended else self.calls_left()]
        self.count(Report(left_over=len(prompts) - len(questions)))
        size = max(1, min(LARGEST_BATCH, -(-len(questions) // (BATCHES_PER_WORKER * self.workers))))
        cuts = range(0, len(questions), size)
        share = None if (left := self.tokens_left()) is None else max(1, left // max(1, len(cuts)))
        for cut in cuts:
            asked = tuple(questions[cut : cut + size])
            yield Batch(self.client, kind, asked, max(1, self.concurrency // self.workers), share)

    def keep(self, answered: Answered) -> None:
        """Make a batch durable, and count it."""
        for key, reply in answered.replies:
            self.reply(key, reply)
        for key, reason in answered.failures:
            self.failure(key, reason)
        self.count(answered.report)
        if self.progress is not None:
            self.progress(self.report.asked, self.report.asked + self.report.left_over)
        if self.stop is not None and self.stop.is_set():
            raise KeyboardInterrupt


class BatchKeeper(TaskReturnHook):
    """Keeps each batch when it comes back, in the process that dreams; a worker's copy of it keeps nothing."""

    def __init__(self, asker: SharingAsker | None) -> None:
        self._asker = asker

    def __reduce__(self) -> tuple[type["BatchKeeper"], tuple[None]]:
        return type(self), (None,)

    def run_after_task_return(self, *, result: Any, success: bool, **_: Any) -> None:
        """Keep what a worker brought."""
        for value in (result or {}).values() if success else ():
            if self._asker is not None and isinstance(value, Answered):
                self._asker.keep(value)


def question_batches(
    extraction_prompts: Table[Prompt], extraction_instructions: str, asker: Asker
) -> Parallelizable[Batch]:
    """The questions that are to be asked, in batches for the workers."""
    yield from cast(SharingAsker, asker).batches(EXTRACTION, extraction_instructions, extraction_prompts)


def answered_batch(question_batches: Batch) -> Answered:
    """What a worker made of one batch."""
    return question_batches.answered()


def extraction_replies(answered_batch: Collect[Answered], asker: Asker) -> Table[Reply]:
    """The readable replies of all batches; each is in the ledger by now."""
    list(answered_batch)  # one by one as they come back, each of which `BatchKeeper` has kept before it is here
    return cast(SharingAsker, asker).collected()
