"""The steps between somebody's saying something and its being recalled, and what was lost at one of them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Step = Literal[
    "question", "ledger", "chunking", "extraction", "retraction", "trust", "matching", "entity_cut", "graph_cut", "words",
    "fts_cut", "rerank_cut", "experience_cut", "facts_cut", "recalled",
]  # fmt: skip


class Lost(NamedTuple):
    """The step, what to tell, and the scores where there are any."""

    at: Step
    told: str
    score: float | None = None
    last_score: float | None = None


def placed(place: int, scores: Sequence[float], most: int, step: Step, what: str) -> Lost:
    """What became of that which has this place (from 0) among the scores, `most` of which are returned; `step` is the cut."""
    last = scores[:most][-1:]
    told = f"it is number {place + 1} of {what}, and {most} are returned"
    return Lost("recalled" if place < most else step, told, scores[place], last[0] if last else None)
