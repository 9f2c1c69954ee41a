"""Asking the model: the bridge from a frame of prompts to a client, and back to a frame of replies."""

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from dataflows.rows import Prompt, Reply
from dataflows.tables import Table, each, table
from hymem.models.asking import Report, ask_all
from hymem.models.chat import ChatReply, ChatRequest, LLMClient
from hymem.store.messages import storable
from hymem.store.replies import ReplyKeeper, ReplyKey


@dataclass(frozen=True)
class Kind:
    """A kind of question: its name in the ledger, the object asked for, and who can read it (raises `ReplyError`)."""

    name: str
    schema: Mapping[str, Any]
    read: Callable[[str], object]


class Asker(ABC):
    """Who answers prompts. A frame of prompts goes in, a frame of readable replies comes out; the others wait."""

    @abstractmethod
    def ask(self, kind: Kind, instructions: str, prompts: Table[Prompt]) -> Table[Reply]:
        """Answer as many of the prompts as possible."""


class Silence(Asker):
    """Answers nothing: for looking at memory as the ledger alone gives it."""

    def ask(self, kind: Kind, instructions: str, prompts: Table[Prompt]) -> Table[Reply]:
        """No reply to anything."""
        return table(Reply)


@dataclass
class ModelAsker(Asker):
    """Asks a language model, several questions at once, and keeps each reply in the ledger as it comes.

    Budgets hold for all that it is asked; 0 is no limit.
    """

    client: LLMClient
    keeper: ReplyKeeper
    concurrency: int = 8
    call_budget: int = 0
    token_budget: int = 0
    stop: threading.Event | None = None
    progress: Callable[[int, int], None] | None = None
    report: Report = field(default_factory=Report)
    _rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])

    def ask(self, kind: Kind, instructions: str, prompts: Table[Prompt]) -> Table[Reply]:
        """Ask all prompts in their order; what became of them is added to `report`."""
        self.collected()
        if len(prompts) and not (self.report.refused or self.report.down):
            report = ask_all(
                self.questions(kind, instructions, prompts),
                self.client,
                self,
                kind.read,
                concurrency=self.concurrency,
                call_budget=self.calls_left(),
                token_budget=self.tokens_left(),
                stop=self.stop,
                progress=self.progress,
            )
            self.count(report)
        return self.collected()

    def questions(self, kind: Kind, instructions: str, prompts: Table[Prompt]) -> list[tuple[ReplyKey, ChatRequest]]:
        """What is asked, and under which key its reply is kept."""
        return [(self._key(kind, prompt), _request(kind, instructions, prompt)) for prompt in each(prompts)]

    def calls_left(self) -> int | None:
        """How many questions may still be asked; None where there is no limit."""
        return max(0, self.call_budget - self.report.asked) if self.call_budget else None

    def tokens_left(self) -> int | None:
        """How many tokens may still be spent; None where there is no limit."""
        return self.token_budget - self.report.tokens if self.token_budget else None

    def count(self, report: Report) -> None:
        """Add how some of the asking went to how all of it went."""
        self.report = _sum(self.report, report)

    def collected(self) -> Table[Reply]:
        """The replies kept since this was last called."""
        rows, self._rows = self._rows, []
        return table(Reply, rows)

    def reply(self, key: ReplyKey, reply: ChatReply) -> None:
        """Keep a readable reply, in the ledger first."""
        replied_at = self.keeper.reply(key, reply)
        if replied_at is not None:
            self._rows.append((key.chunk_id, key.prompt_version, key.model, storable(reply.text), replied_at))

    def failure(self, key: ReplyKey, reason: str) -> None:
        """Count a question that got nothing readable."""
        self.keeper.failure(key, reason)

    def _key(self, kind: Kind, prompt: Any) -> ReplyKey:
        seqs = (int(prompt.first_seq), int(prompt.last_seq))
        about = (kind.name, int(prompt.chunk_id), prompt.prompt_version, self.client.model, prompt.session_id, *seqs)
        return ReplyKey(*about, between=tuple(json.loads(prompt.between)), beside=prompt.beside)


def question(beside: Mapping[str, Any], **material: Any) -> str:
    """The user part of a prompt. All that people wrote is JSON text, so that none of it can pose as instructions."""
    return json.dumps({**material, **beside}, ensure_ascii=False)


def _request(kind: Kind, instructions: str, prompt: Any) -> ChatRequest:
    return ChatRequest(kind.name, instructions, prompt.question, kind.schema, json.loads(prompt.question))


def _sum(one: Report, other: Report) -> Report:
    """Two reports as one; counts add up, and of the endpoint's words the first are kept."""
    pairs = {f.name: (getattr(one, f.name), getattr(other, f.name)) for f in fields(Report)}
    summed: dict[str, Any] = {name: a or b if isinstance(a, str | bool) else a + b for name, (a, b) in pairs.items()}
    return Report(**summed)
