"""What came of messages, and what would go without them; and so, what would remove something, and what else with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hymem.digests import shown
from hymem.store.aftermath import Resting
from hymem.store.receipts import Receipt
from serving.recall.origin import Origin
from serving.recall.told_origin import TOLD_FACT

TOLD: Final = ("knowledge_graph", "profile_entries", "insights", "episodes", "procedures", "facts", "markdown_sections")
"""The tables of which it is told what would go: what people see."""

_CUT_FROM_IT: Final = ("chunks", "processed_chunks")


@dataclass(frozen=True)
class CameOf:
    """Something that a message has a part in, and whether it would go without the message."""

    table: str
    id: str
    text: str
    would_go: bool


@dataclass(frozen=True)
class Removal:
    """What would remove something, and what else would go.

    `retract` names the edges that a retraction would deny, which leaves the messages; `messages` are those that support it;
    `facts` are numbers of told facts, which can be forgotten without the messages that told them.
    `suffices` says whether it goes when these are forgotten; `goes` is all else that would go with them, by table.
    """

    retract: tuple[str, ...]
    messages: tuple[str, ...]
    suffices: bool
    goes: Mapping[str, tuple[str, ...]]
    facts: tuple[str, ...] = ()


def came_of(resting: list[Resting], receipt: Receipt) -> list[CameOf]:
    """What rests on messages, each with whether it is among what would go; lines of the files at the end."""
    gone = {(table, text) for table, texts in receipt.examples.items() for text in texts}
    told = [
        CameOf(
            one.table,
            _shown(one),
            one.text,
            one.table in _CUT_FROM_IT or (one.table, one.text.removesuffix(" (derived)")) in gone,
        )
        for one in resting
    ]
    lines = receipt.examples.get("markdown_sections", ())
    return [*told, *(CameOf("markdown_sections", "", line, True) for line in lines)]


def _shown(one: Resting) -> str:
    """Its id as people see it: a told fact has a number."""
    if one.id is None:
        return ""
    return str(one.id) if one.table == "facts" else shown(one.id)


def messages_to_forget(origin: Origin) -> tuple[str, ...]:
    """The messages without which it would go: those that support it, or, of a told fact, the one that told it."""
    if origin.kind != TOLD_FACT:
        return origin.supporting_messages()
    return tuple(message for step in origin.steps if step.kind == "telling" for message in step.supporting_messages())


def removal(origin: Origin, receipt: Receipt) -> Removal:
    """What would remove the thing of that origin, where the receipt tells what goes with the messages that support it."""
    going = {table: receipt.examples.get(table, ()) for table in TOLD}
    messages = messages_to_forget(origin)
    names = [side.name for side in origin.steps] if origin.kind == "conflict" else [origin.name]
    told = (origin.id,) if origin.kind == TOLD_FACT else ()
    suffices = bool(messages) if told else any(name in texts for texts in going.values() for name in names)
    itself = {origin.name, origin.name.removeprefix("- "), f"- {origin.name}"}
    goes = {table: left for table, texts in going.items() if (left := tuple(t for t in texts if t not in itself))}
    edges = (step.name for step in origin.walk() if step.kind in ("edge", "derived edge"))
    return Removal(tuple(dict.fromkeys(edges)), messages, suffices, goes, told)
