"""Asking the model about chunks: the bridge from a frame of prompts to a client, and back to a frame of replies."""

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from dataflows.tables import Prompt, Reply, Table, table
from hymem.models.asking import Report, ask_all
from hymem.models.chat import ChatReply, ChatRequest, LLMClient
from hymem.models.replies import read_extraction
from hymem.store.replies import ReplyKeeper, ReplyKey

EXTRACTION_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "subject": {"type": "string"},
                    "predicate": {"type": "string"},
                    "object": {"type": "string"},
                    "polarity": {"type": "integer", "enum": [1, -1]},
                    "quote": {"type": "string"},
                    "value_text": {"type": ["string", "null"]},
                    "value_numeric": {"type": ["number", "null"]},
                    "value_unit": {"type": ["string", "null"]},
                    "temporal_scope": {"type": ["string", "null"]},
                },
            },
        },
        "markers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string"},
                    "statement": {"type": "string"},
                    "quote": {"type": "string"},
                },
            },
        },
        "entity_types": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "type": {"type": "string"}}},
        },
    },
}


class Asker(ABC):
    """Who answers prompts. A frame of prompts goes in, a frame of readable replies comes out; the others wait."""

    @abstractmethod
    def ask(
        self, prompts: Table[Prompt], instructions: str, negative_examples: list[dict[str, str]], version: str
    ) -> Table[Reply]:
        """Answer as many of the prompts as possible."""


class Silence(Asker):
    """Answers nothing: for looking at memory as the ledger alone gives it."""

    def ask(
        self, prompts: Table[Prompt], instructions: str, negative_examples: list[dict[str, str]], version: str
    ) -> Table[Reply]:
        """No reply to anything."""
        return table(Reply)


@dataclass
class ModelAsker(Asker):
    """Asks a language model, several questions at once, and keeps each reply in the ledger as it comes."""

    client: LLMClient
    keeper: ReplyKeeper
    concurrency: int = 8
    stop: threading.Event | None = None
    progress: Callable[[int, int], None] | None = None
    report: Report = field(default_factory=Report)
    _rows: list[tuple] = field(default_factory=list)

    def ask(
        self, prompts: Table[Prompt], instructions: str, negative_examples: list[dict[str, str]], version: str
    ) -> Table[Reply]:
        """Ask all prompts in their order; what became of them is in `report`."""
        self._rows = []
        self.keeper.beside = {"negative_examples": negative_examples}
        requests = [
            (self._key(prompt, version), _request(prompt, instructions, negative_examples))
            for prompt in prompts.itertuples()
        ]
        if requests:
            self.report = ask_all(
                requests,
                self.client,
                self,
                read_extraction,
                concurrency=self.concurrency,
                stop=self.stop,
                progress=self.progress,
            )
        return table(Reply, self._rows)

    def reply(self, key: ReplyKey, reply: ChatReply) -> None:
        """Keep a readable reply, in the ledger first."""
        replied_at = self.keeper.reply(key, reply)
        if replied_at is not None:
            self._rows.append((key.chunk_id, key.prompt_version, key.model, reply.text, replied_at))

    def failure(self, key: ReplyKey, reason: str) -> None:
        """Count a question that got nothing readable."""
        self.keeper.failure(key, reason)

    def _key(self, prompt: NamedTuple, version: str) -> ReplyKey:
        seqs = (int(prompt.first_seq), int(prompt.last_seq))
        return ReplyKey("extraction", int(prompt.chunk_id), version, self.client.model, prompt.session_id, *seqs)


def _request(prompt: NamedTuple, instructions: str, negative_examples: list[dict[str, str]]) -> ChatRequest:
    """The question about one chunk. All that people wrote is JSON text, so that none of it can pose as instructions."""
    material = {
        "speaker": prompt.speaker,
        "said_at": prompt.said_at.isoformat(),
        "context": prompt.context,
        "text": prompt.text,
    }
    shown = {
        "speaker": material["speaker"],
        "said_at": material["said_at"],
        "assistant_before": material["context"],
        "turn": material["text"],
        "known_to_be_wrong": negative_examples,
    }
    return ChatRequest("extraction", instructions, json.dumps(shown, ensure_ascii=False), EXTRACTION_SCHEMA, material)
