"""Conclusions of a peer as memory draws them: what was said is explicit, what follows is deductive, what clashes contradicts.

A conclusion's id is made of what it rests on and of whose view it is, so that it stays the same from dream to dream: sixteen
hexadecimal digits that name the edge, the profile entry or the conflict, and five for observer and observed.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hymem.canonical import canonical_or_none
from hymem.confidence import EVEN
from hymem.digests import shown
from hymem.records import Edge, ProfileEntry
from hymem.store.conclusions import ConclusionRecord, Level
from hymem.store.connection import Connection
from hymem.store.graph import edges_by_id, edges_following, entity_of, profile
from hymem.store.perspectives import Source, edge_sources, edges_about, entry_sources
from serving.recall.conflicts import Conflict, conflicts
from serving.recall.facts import sentence

_OWN_WORDS: Final = re.compile(
    r"(?:(?:please|actually|well|so|and|but|also|no|yes)\b[,:;]?\s+)*(?:I|we|(?:the )?(?:user|speaker))\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_DENIAL: Final = re.compile(r"\s+(?:do(?:es)? not|do(?:es)?n['’]t)\s+(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_ATTITUDE: Final = re.compile(
    r"\s*(?P<how>(?:strongly|really|clearly|usually|always|never)\s+)?"
    r"(?P<verb>prefer|like|love|want|need|favou?r|reject|avoid|dislike|hate|refuse|use)(?P<s>s?)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Pair:
    """Whose view of whom."""

    observer: str
    observed: str

    def name(self, what: int) -> str:
        """The id of a conclusion about what is identified by 63 bits."""
        digest = hashlib.sha256(f"{self.observer}\x00{self.observed}".encode("utf-8", "surrogatepass"))
        return shown(what) + digest.hexdigest()[:5]


def conclusions_drawn(connection: Connection, observer: str, observed: str) -> list[ConclusionRecord]:
    """Everything that a memory holds of the observed peer, each level with the earliest first."""
    pair = Pair(observer, observed)
    name = canonical_or_none(observed)
    about = edges_about(connection, observed, entity_of(connection, name) if name else None)
    said = edge_sources(connection, about)
    stated = [_stated(pair, edge, said) for edge in edges_by_id(connection, about).values()]
    voiced = entry_sources(connection, observed)
    told = {record.content for record in stated}
    held = [entry for entry in profile(connection) if entry.peer_id == observed and entry.confidence >= EVEN]
    wishes = [_wish(pair, entry, voiced) for entry in held]
    wishes = [wish for wish in wishes if wish.content not in told]
    explicit = {record.conclusion_id: record for record in stated}
    derived = [_derived(pair, edge, explicit) for edge in edges_following(connection, about)]
    clashes = [
        _contradiction(pair, clash, explicit)
        for clash in conflicts(connection)
        if {clash.first.edge_id, clash.second.edge_id} <= about
    ]
    return [*_by_time(stated + wishes), *_by_time(derived), *_by_time(clashes)]


def in_words(edge: Edge) -> str:
    """An edge as a sentence: "billing service depends on redis"."""
    return sentence(replace(edge, subject=_spaced(edge.subject), object=_spaced(edge.object)))


def wish_in_words(peer_id: str, entry: ProfileEntry) -> str:
    """A profile entry as a sentence about the peer: "I prefer tabs" → "ann prefers tabs", "no emojis" → "ann asks: no emojis"."""
    statement = entry.statement.strip()
    own = _OWN_WORDS.fullmatch(statement)
    if own and (denial := _DENIAL.fullmatch(own["rest"])):
        return f"{peer_id} does not {denial['rest']}"
    told = _ATTITUDE.fullmatch(own["rest"] if own else statement)
    if told is None or not (own or told["s"]):
        return f"{peer_id} asks: {statement}"
    return f"{peer_id} {(told['how'] or '').lower()}{told['verb'].lower()}s{told['rest']}"


def wishes_reading(connection: Connection, peer_id: str, content: str) -> list[int]:
    """The profile entries of a peer that read like this; what an edge says as well is told once."""
    own = (entry for entry in profile(connection) if entry.peer_id == peer_id)
    return [entry.entry_id for entry in own if wish_in_words(peer_id, entry) == content]


def _stated(pair: Pair, edge: Edge, said: Mapping[tuple[int, int], Sequence[Source]]) -> ConclusionRecord:
    sources = said.get((edge.edge_id, -1 if edge.negated else 1), ())
    return _record(pair, edge.edge_id, in_words(edge), (edge.first_seen, edge.last_seen), sources)


def _wish(pair: Pair, entry: ProfileEntry, voiced: Mapping[int, Sequence[Source]]) -> ConclusionRecord:
    words = wish_in_words(pair.observed, entry)
    seen = (entry.first_seen, entry.last_seen)
    return _record(pair, entry.entry_id, words, seen, voiced.get(entry.entry_id, ()))


def _derived(pair: Pair, edge: Edge, explicit: Mapping[str, ConclusionRecord]) -> ConclusionRecord:
    steps = [explicit[pair.name(step)] for step in edge.path]
    return _following(pair, edge.edge_id, in_words(edge), steps, "deductive")


def _contradiction(pair: Pair, clash: Conflict, explicit: Mapping[str, ConclusionRecord]) -> ConclusionRecord:
    sides = [explicit[pair.name(edge.edge_id)] for edge in (clash.first, clash.second) if not edge.derived]
    told = f"{in_words(clash.first)}, and {in_words(clash.second)}: {_spaced(clash.reason)}"
    return _following(pair, clash.conflict_id, told, sides, "contradiction")


def _record(pair: Pair, what: int, content: str, seen: tuple[str, str], sources: Sequence[Source]) -> ConclusionRecord:
    return ConclusionRecord(
        pair.name(what),
        content,
        pair.observer,
        pair.observed,
        _only(source.session_id for source in sources),
        seen[0],
        times_derived=max(1, len(sources)),
        message_ids=tuple(dict.fromkeys(source.message_id for source in sources)),
        renewed_at=seen[1],
    )


def _following(
    pair: Pair, what: int, content: str, premises: Sequence[ConclusionRecord], level: Level
) -> ConclusionRecord:
    return ConclusionRecord(
        pair.name(what),
        content,
        pair.observer,
        pair.observed,
        _only(premise.session_id for premise in premises),
        max(premise.created_at for premise in premises),
        level,
        tuple(premise.conclusion_id for premise in premises),
        message_ids=tuple(dict.fromkeys(message for premise in premises for message in premise.message_ids)),
        renewed_at=max(premise.renewed_at for premise in premises),
    )


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _only(sessions: Iterable[str | None]) -> str | None:
    """The one session of all; None where there are several, or one is not known."""
    found = set(sessions)
    return found.pop() if len(found) == 1 else None


def _by_time(records: Iterable[ConclusionRecord]) -> list[ConclusionRecord]:
    return sorted(records, key=lambda record: (record.created_at, record.conclusion_id))
