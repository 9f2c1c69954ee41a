"""The two sets as conversations with questions: LoCoMo (two people chat over months) and BEAM (a user and an assistant work)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from hymem.records import Message

LOCOMO: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""What the numbers of LoCoMo's categories stand for. Questions of the fifth name the wrong speaker, and are told apart."""

_EVIDENCE: Final = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True)
class Asked:
    """A question, of what kind it is, and the ids of the messages that answer it."""

    kind: str
    question: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """What was said, and what is asked about it."""

    name: str
    messages: tuple[Message, ...]
    asked: tuple[Asked, ...]


def conversations(folder: Path, name: str) -> list[Conversation]:
    """The conversations of a set, `locomo` or `beam`, of all its files in the folder."""
    read = {"locomo": _locomo, "beam": _beam}[name]
    files = sorted(folder.glob(f"{name}*.json"))
    return [read(told) for file in files for told in json.loads(file.read_text(encoding="utf-8"))]


def _locomo(told: dict[str, Any]) -> Conversation:
    messages = tuple(_locomo_messages(told["conversation"]))
    known = {message.message_id for message in messages}
    asked: list[Asked] = []
    for one in told["qa"]:
        named = {f"D{int(a)}:{int(b)}" for text in one.get("evidence", []) for a, b in _EVIDENCE.findall(text)}
        asked.append(Asked(LOCOMO[one["category"]], one["question"], frozenset(named & known)))
    return Conversation(str(told["sample_id"]), messages, tuple(one for one in asked if one.evidence))


def _locomo_messages(told: dict[str, Any]) -> Iterator[Message]:
    sessions = sorted(int(key[8:]) for key in told if re.fullmatch(r"session_\d+", key))
    for number in sessions:
        began = datetime.strptime(told[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for place, turn in enumerate(told[f"session_{number}"]):
            caption = turn.get("blip_caption")
            text = f"{turn['text']} [image: {caption}]" if caption else turn["text"]
            at = (began + timedelta(seconds=place)).isoformat()
            yield Message(f"session {number}", "user", text, turn["speaker"], at, turn["dia_id"])


def _beam(told: dict[str, Any]) -> Conversation:
    messages = tuple(_beam_messages(told["messages"]))
    asked = [
        Asked(one["kind"], one["question"], frozenset(map(str, one["evidence"])))
        for one in told["questions"]
        if one["evidence"]
    ]
    return Conversation(str(told["id"]), messages, tuple(asked))


def _beam_messages(told: list[dict[str, Any]]) -> Iterator[Message]:
    """A session a day; a message without a date is of the day of the one before."""
    day = datetime(2024, 1, 1, tzinfo=UTC)
    for place, turn in enumerate(told):
        if turn["date"]:
            day = datetime.strptime(turn["date"], "%B-%d-%Y").replace(tzinfo=UTC)
        at = (day + timedelta(seconds=place)).isoformat()
        yield Message(day.date().isoformat(), turn["role"], turn["content"], None, at, str(turn["id"]))
