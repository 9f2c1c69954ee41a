"""A peer as another sees it: the conclusions that matter, chosen and written as Markdown; and its card."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hymem.confidence import EVEN
from hymem.store.cards import read_card
from hymem.store.conclusions import ConclusionRecord, deletions
from hymem.store.graph import profile
from hymem.times import to_datetime
from serving.honcho.concluding import wish_in_words
from serving.honcho.nearness import within
from serving.honcho.perspective import Perspective
from serving.honcho.relevance import by_relevance

MOST: Final = 25
"""Conclusions in a representation where nobody says how many."""

COMPARED: Final = 100
"""Conclusions whose distance from a query is looked at, at most."""

CARD_LINES: Final = 40

_HEADINGS: Final = {
    "explicit": "## Explicit Observations",
    "deductive": "## Deductive Observations",
    "inductive": "## Inductive Observations",
    "contradiction": "## Contradictions",
}


@dataclass(frozen=True)
class Choice:
    """Which conclusions are wanted: `top_k` that bear on a query, within `max_distance`; those said most often; the newest."""

    query: str | None = None
    top_k: int | None = None
    most_frequent: bool = False
    most: int = MOST
    max_distance: float | None = None


def representation(perspective: Perspective, choice: Choice) -> str:
    """The chosen conclusions as Markdown; "" where there are none."""
    every = perspective.conclusions()
    return in_markdown(chosen(perspective, every, choice), {record.conclusion_id: record for record in every})


def chosen(perspective: Perspective, records: Sequence[ConclusionRecord], choice: Choice) -> list[ConclusionRecord]:
    """At most so many conclusions as are wanted: each thing that is asked for gets its share, and the newest fill the rest."""
    share = max(1, choice.most // (1 + bool(choice.query) + choice.most_frequent))
    kept = dict[str, ConclusionRecord]()
    if choice.query:
        found = by_relevance(perspective, choice.query, records, COMPARED)
        near = within(perspective.ledger.embedder, choice.query, found, choice.max_distance)
        kept.update((record.conclusion_id, record) for record in near[: min(choice.top_k or share, choice.most)])
    if choice.most_frequent:
        often = sorted(records, key=lambda record: (record.times_derived, record.created_at), reverse=True)
        kept.update((record.conclusion_id, record) for record in often[:share])
    for record in sorted(records, key=lambda record: record.created_at, reverse=True):
        kept.setdefault(record.conclusion_id, record)
    return list(kept.values())[: choice.most]


def in_markdown(records: Iterable[ConclusionRecord], known: dict[str, ConclusionRecord]) -> str:
    """Conclusions by level, the earliest first, each under its moment, with what it follows from below it."""
    by_level = {level: list[ConclusionRecord]() for level in _HEADINGS}
    for record in sorted(records, key=lambda record: (record.created_at, record.conclusion_id)):
        by_level[record.level].append(record)
    parts = [
        "\n".join([_HEADINGS[level], "", *(line for record in told for line in _lines(record, known))]) + "\n"
        for level, told in by_level.items()
        if told
    ]
    return "\n".join(parts)


def card(perspective: Perspective, *, generate: bool = True) -> list[str] | None:
    """The card that the observer keeps of the observed: as a client wrote it, else what its profile says; None for nothing."""
    with perspective.ledger.reading() as connection:
        written = read_card(connection, perspective.observer, perspective.observed)
    if written is not None or perspective.memory is None or not generate:
        return written
    with perspective.memory.reading() as connection:
        entries = [entry for entry in profile(connection) if entry.peer_id == perspective.observed]
    with perspective.ledger.reading() as connection:
        deleted = deletions(connection)
    kept = (entry for entry in entries if entry.last_seen > deleted.get(entry.entry_id, ""))
    held = sorted((entry for entry in kept if entry.confidence > EVEN), key=lambda entry: -entry.confidence)
    lines = dict.fromkeys(wish_in_words(perspective.observed, entry) for entry in held)
    return list(lines)[:CARD_LINES] or None


def _lines(record: ConclusionRecord, known: dict[str, ConclusionRecord]) -> list[str]:
    told = " ".join(record.content.split())
    premises = [known[source].content for source in record.source_ids if source in known]
    moment = to_datetime(record.created_at).strftime("%Y-%m-%d %H:%M:%S")
    return [f"[{moment}] {told}", *(f"   - {premise}" for premise in premises)]
