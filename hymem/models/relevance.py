"""How well passages answer a question, graded from 1 to 5: by a language model, which sees all of them at once.

`Reranker` is what recall asks, whoever answers. A reply that leaves a passage out, or grades one twice, is no answer: half an
order is none.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, Protocol, cast

from hymem.errors import ReplyError
from hymem.models.chat import ChatRequest, LLMClient
from hymem.models.json_in_text import read_object

LOWEST: Final = 1.0
HIGHEST: Final = 5.0
LONGEST: Final = 1_200
"""Characters of a passage that are judged."""

_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["grades"],
    "properties": {
        "grades": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["passage", "grade"],
                "properties": {"passage": {"type": "integer"}, "grade": {"type": "number"}},
            },
        },
    },
}


class Reranker(Protocol):
    """Whoever can judge passages by a question."""

    def grades(self, question: str, passages: Sequence[str], /) -> list[float]:
        """A grade from 1 to 5 for each passage, in their order; raises a `HyMemError` where there is none for all."""
        ...


@dataclass(frozen=True)
class ModelReranker:
    """A language model as a `Reranker`: one question about all passages."""

    client: LLMClient

    def grades(self, question: str, passages: Sequence[str], /) -> list[float]:
        """What the model says of each passage."""
        told = [passage[:LONGEST] for passage in passages]
        numbered = "\n\n".join(f"[{number}] {passage}" for number, passage in enumerate(told, start=1))
        material = {"question": question, "passages": told}
        user = f"Question: {question[:LONGEST]}\n\nPassages:\n\n{numbered}"
        reply = self.client.complete(ChatRequest("relevance", instructions(), user, _SCHEMA, material))
        return read_grades(reply.text, len(passages))


def instructions() -> str:
    """The system prompt."""
    return files("hymem.models").joinpath("relevance.md").read_text(encoding="utf-8")


def read_grades(text: str, passages: int) -> list[float]:
    """The grades of a reply, by the passages' numbers. Raises `ReplyError` where any passage has none, or two."""
    grades = dict[int, float]()
    for item in read_object(text, ("grades",))["grades"]:
        told = cast(dict[str, Any], item) if isinstance(item, dict) else dict[str, Any]()
        number, grade = _number(told.get("passage")), _number(told.get("grade"))
        if number is None or grade is None or number in grades:
            raise ReplyError(f"the reply's grades cannot be read: {json.dumps(item)[:100]}")
        grades[int(number)] = min(HIGHEST, max(LOWEST, grade))
    if sorted(grades) != list(range(1, passages + 1)):
        raise ReplyError(f"the reply grades {len(grades)} passages, and not the {passages} that it was asked about")
    return [grades[number] for number in range(1, passages + 1)]


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if known else None
