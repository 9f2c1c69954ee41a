"""What is another now: two memories side by side, fact by fact, each change with its numbers and its reason.

Memory may be another because time passed and more was said, because a person spoke, because some sessions are left out, or
because the numbers are others. The comparison looks at what both hold, and need not know which of these it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import SequenceMatcher
from typing import Final, Literal

from hymem.memory_files import FILES
from hymem.records import Edge, Insight, ProfileEntry
from hymem.told_facts import Fact

Kind = Literal["learnt", "returned", "strengthened", "weakened", "faded", "retracted", "forgotten", "reworded"]

KINDS: Final[Mapping[Kind, str]] = {
    "learnt": "it was not there before",
    "returned": "it was retracted, and is believed again",
    "strengthened": "it is believed more",
    "weakened": "it is believed less, since something was said against it or less is said for it",
    "faded": "it is believed less, since its topic returned without it",
    "retracted": "it is no longer believed",
    "forgotten": "nothing is known of it any more",
    "reworded": "it is believed as much, and has another value, status or time",
}
"""What may have happened to a fact or a profile entry, in the order of telling."""


@dataclass(frozen=True)
class EdgeChange:
    """An edge that is another now; None where there is none. `reasons` say with numbers what changed in its arithmetic."""

    kind: Kind
    before: Edge | None
    after: Edge | None
    reasons: tuple[str, ...]

    @property
    def edge(self) -> Edge:
        """The edge as it is, or as it was where it is gone."""
        edge = self.after or self.before
        assert edge is not None
        return edge


@dataclass(frozen=True)
class EntryChange:
    """A profile entry that is another now."""

    kind: Kind
    before: ProfileEntry | None
    after: ProfileEntry | None
    reasons: tuple[str, ...]

    @property
    def entry(self) -> ProfileEntry:
        """The entry as it is, or as it was where it is gone."""
        entry = self.after or self.before
        assert entry is not None
        return entry


@dataclass(frozen=True)
class ToldChange:
    """A told fact that is another now: its words, its labels or how far it is trusted."""

    kind: Kind
    before: Fact | None
    after: Fact | None

    @property
    def fact(self) -> Fact:
        """The fact as it is, or as it was where it is gone."""
        fact = self.after or self.before
        assert fact is not None
        return fact


@dataclass(frozen=True)
class LineChange:
    """A line of MEMORY.md or USER.md that came or went."""

    file: str
    added: bool
    line: str


@dataclass(frozen=True)
class MemoryDiff:
    """All that is another between two memories, and how many questions no model was asked about in the second."""

    before: str
    after: str
    edges: tuple[EdgeChange, ...]
    profile: tuple[EntryChange, ...]
    insights_added: tuple[Insight, ...]
    insights_removed: tuple[Insight, ...]
    lines: tuple[LineChange, ...]
    waiting: int = 0
    told: tuple[ToldChange, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether both are the same."""
        computed = self.edges or self.profile or self.insights_added or self.insights_removed or self.lines
        return not (computed or self.told)


@dataclass(frozen=True)
class Standing:
    """What a memory holds at a moment, as far as it is compared.

    `retractions` has the reason ("" for none) of every edge that a person retracted last, by subject, predicate and object.
    """

    moment: str
    edges: Sequence[Edge]
    profile: Sequence[ProfileEntry]
    insights: Sequence[Insight]
    sections: Mapping[str, str]
    retractions: Mapping[tuple[str, str, str], str]
    retract_threshold: float
    waiting: int
    told: Sequence[Fact] = ()


def difference(before: Standing, after: Standing) -> MemoryDiff:
    """What one memory has or believes otherwise than another."""
    old, new = ({line.statement: line for line in standing.insights} for standing in (before, after))
    return MemoryDiff(
        before.moment,
        after.moment,
        tuple(_edge_changes(before, after)),
        tuple(_entry_changes(before.profile, after.profile)),
        tuple(line for statement, line in new.items() if statement not in old),
        tuple(line for statement, line in old.items() if statement not in new),
        tuple(_line_changes(before.sections, after.sections)),
        after.waiting,
        tuple(_told_changes(before.told, after.told)),
    )


def _told_changes(before: Sequence[Fact], after: Sequence[Fact]) -> list[ToldChange]:
    old, new = ({fact.fact_id: fact for fact in side} for side in (before, after))
    sides = [(old.get(number), new.get(number)) for number in sorted({*old, *new})]
    found: list[ToldChange] = []
    for was, now in sides:
        kind = _told_kind(was, now)
        if kind is not None:
            found.append(ToldChange(kind, was, now))
    return sorted(found, key=lambda change: list(KINDS).index(change.kind))


def _told_kind(was: Fact | None, now: Fact | None) -> Kind | None:
    """What happened to a told fact; how often it was found is no change of it."""
    if was is None or now is None:
        return "forgotten" if now is None else "learnt"
    if now.trust_score != was.trust_score:
        return "strengthened" if now.trust_score > was.trust_score else "weakened"
    words = [(fact.content, fact.category, fact.tags) for fact in (was, now)]
    return "reworded" if words[0] != words[1] else None


def _edge_changes(before: Standing, after: Standing) -> list[EdgeChange]:
    old, new = ({edge.edge_id: edge for edge in standing.edges} for standing in (before, after))
    found: list[EdgeChange] = []
    for number in sorted({*old, *new}):
        was, now = old.get(number), new.get(number)
        kind = _edge_kind(was, now)
        if kind is not None:
            found.append(EdgeChange(kind, was, now, _edge_reasons(was, now, after)))
    return sorted(found, key=lambda change: (list(KINDS).index(change.kind), change.edge.derived, _name(change.edge)))


def _edge_kind(was: Edge | None, now: Edge | None) -> Kind | None:
    """What happened to an edge; None where nothing did, or nobody believed it before or after."""
    if was is None or now is None:
        known = was or now
        if known is None or (known.status == "retracted" and now is None):
            return None
        return "forgotten" if now is None else "retracted" if now.status == "retracted" else "learnt"
    if now.status == "retracted":
        return None if was.status == "retracted" else "retracted"
    if was.status == "retracted":
        return "returned"
    if now.confidence > was.confidence:
        return "strengthened"
    if now.confidence < was.confidence:
        return "faded" if now.decay_windows > was.decay_windows else "weakened"
    return "reworded" if _differ(was, now) else None


def _differ(was: Edge, now: Edge) -> bool:
    return any(getattr(was, each.name) != getattr(now, each.name) for each in fields(Edge))


def _edge_reasons(was: Edge | None, now: Edge | None, after: Standing) -> tuple[str, ...]:
    """Why an edge is another, as far as its own numbers tell."""
    if now is None:
        return ("what it followed from is gone",) if was is not None and was.derived else ("nothing says it any more",)
    if now.derived:
        return (f"it follows from {len(now.path)} others, by the product of their confidences",)
    words = [*_moved(was, now), *_decayed(was, now), *_judged(now, after)]
    return tuple(words) or (("its value or its times are others",) if was else ())


def _moved(was: Edge | None, now: Edge) -> list[str]:
    """What was said for and against an edge, more or less than before."""
    said_for = _counted("for", was.pos_evidence if was else 0, now.pos_evidence)
    return [*said_for, *_counted("against", _said_against(was), _said_against(now))]


def _counted(side: str, earlier: int, count: int) -> list[str]:
    """How many more or fewer words there are for or against something."""
    if count == earlier:
        return []
    return [f"{abs(count - earlier)} {'more' if count > earlier else 'fewer'} {side} it ({earlier} → {count})"]


def _said_against(edge: Edge | None) -> int:
    return edge.neg_evidence - edge.decay_windows if edge else 0


def _decayed(was: Edge | None, now: Edge) -> list[str]:
    earlier = was.decay_windows if was else 0
    more = now.decay_windows - earlier
    if more > 0:
        windows = "decay window" if more == 1 else "decay windows"
        return [f"its topic returned without it in {more} more {windows} ({earlier} → {now.decay_windows})"]
    return [f"decay was counted anew ({earlier} → {now.decay_windows} windows)"] if more < 0 else []


def _judged(now: Edge, after: Standing) -> list[str]:
    """By what a retracted edge is retracted."""
    if now.status != "retracted":
        return []
    if now.confidence < after.retract_threshold:
        return [f"its confidence {now.confidence:.3f} is below retract_threshold {after.retract_threshold:g}"]
    reason = after.retractions.get((now.subject, now.predicate, now.object), "")
    return [f"a person retracted it: {reason}" if reason else "a person retracted it"]


def _entry_changes(before: Sequence[ProfileEntry], after: Sequence[ProfileEntry]) -> list[EntryChange]:
    old, new = ({entry.entry_id: entry for entry in entries} for entries in (before, after))
    found: list[EntryChange] = []
    for number in sorted({*old, *new}):
        was, now = old.get(number), new.get(number)
        kind = _entry_kind(was, now)
        if kind is not None:
            found.append(EntryChange(kind, was, now, _entry_reasons(was, now)))
    return sorted(
        found, key=lambda change: (list(KINDS).index(change.kind), change.entry.peer_id, change.entry.statement)
    )


def _entry_kind(was: ProfileEntry | None, now: ProfileEntry | None) -> Kind | None:
    if was is None or now is None:
        return "learnt" if was is None else "forgotten"
    if now.confidence != was.confidence:
        return "strengthened" if now.confidence > was.confidence else "weakened"
    return None if was == now else "reworded"


def _entry_reasons(was: ProfileEntry | None, now: ProfileEntry | None) -> tuple[str, ...]:
    if now is None:
        return ("nothing says it any more",)
    said_for = _counted("for", was.pos_evidence if was else 0, now.pos_evidence)
    return (*said_for, *_counted("against", was.neg_evidence if was else 0, now.neg_evidence))


def _line_changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[LineChange]:
    """The lines of each managed section that came or went, in the order of the page."""
    found: list[LineChange] = []
    for section, file in FILES.items():
        old, new = (sections.get(section, "").splitlines() for sections in (before, after))
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                found += [LineChange(file, False, line) for line in old[a:b] if line.strip()]
                found += [LineChange(file, True, line) for line in new[c:d] if line.strip()]
    return found


def _name(edge: Edge) -> tuple[str, str, str]:
    return edge.subject, edge.predicate, edge.object
