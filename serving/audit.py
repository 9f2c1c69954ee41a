"""How good memory is: what stands in it twice, what nothing supports, what contradicts itself, what is stale, secret or lost.

The doctor asks whether memory works; the audit, whether it can be relied on. Nothing is kept for it but the number of edges
after each dream, from which the trend is told; all else is counted when it is asked for.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hymem.redaction import find_secrets
from hymem.store import audit, health
from hymem.store.audit import GraphCounts
from hymem.store.connection import Connection
from serving.recall.conflicts import conflicts

if TYPE_CHECKING:
    from serving.memory import HyMem

DREAMS: Final = 10
"""Dreams in the trend."""


@dataclass(frozen=True)
class Concern:
    """One thing that memory is looked through for: how often it was found, some of it, and what to do about it."""

    name: str
    count: int
    examples: tuple[str, ...]
    remedy: str


@dataclass(frozen=True)
class Audit:
    """All concerns, the graph as it stands, and as it stood after the last dreams that changed it, the oldest first."""

    concerns: tuple[Concern, ...]
    graph: GraphCounts
    stale_share: float
    trend: tuple[GraphCounts, ...]


def audited(memory: "HyMem", examples: int = 3) -> Audit:
    """Look through a memory at one moment, with so many examples of each concern."""
    with memory.reading() as connection:
        graph = audit.graph_counts(connection)
        found = (
            _duplicates(connection),
            _unsupported(connection),
            _contradictions(connection),
            (graph.stale, _sentences(audit.stale_edges(connection, examples)), _STALE),
            _secrets(connection),
            _orphans(connection),
        )
        trend = audit.graph_trend(connection, DREAMS)
    concerns = [
        Concern(name, count, tuple(told[:examples]), remedy if count else "")
        for name, (count, told, remedy) in zip(NAMES, found, strict=True)
    ]
    return Audit(tuple(concerns), graph, graph.stale_share, tuple(trend))


NAMES: Final = ("duplicates", "unsupported", "contradictions", "stale", "secrets", "orphans")
_STALE: Final = "nothing has to be done: what is said again is active again; `hymem retract` what is wrong"

Found = tuple[int, Sequence[str], str]
"""How often, in words, and the remedy."""


def _duplicates(connection: Connection) -> Found:
    alike, repeated = audit.alike_entities(connection), audit.repeated_facts(connection)
    told = [*(" = ".join(names) for names in alike), *(f'told twice: "{content}"' for content in repeated)]
    return len(told), told, "`hymem merge NAME INTO` makes two entities one; a fact is told once"


def _unsupported(connection: Connection) -> Found:
    edges, entries = audit.unsupported_edges(connection), audit.unsupported_entries(connection)
    told = [*_sentences(edges), *entries]
    return len(told), told, "something else wrote here: `hymem doctor`, then `hymem dream` makes memory anew"


def _contradictions(connection: Connection) -> Found:
    told = [str(conflict) for conflict in conflicts(connection)]
    return len(told), told, "`hymem retract SUBJECT PREDICATE OBJECT` the one that is wrong"


def _secrets(connection: Connection) -> Found:
    kinds = Counter[str]()
    told: list[str] = []
    for table, number, text in audit.all_texts(connection):
        for secret in find_secrets(text):
            kinds[secret.kind] += 1
            told.append(f"{secret.kind} in {table}, {number}")
    remedy = "change them where they are used; `hymem forget --message ID` erases, HYMEM_REDACT=store keeps them out"
    return kinds.total(), told, remedy


def _orphans(connection: Connection) -> Found:
    lost = [f"entity {name}" for name in audit.lost_entities(connection)]
    told = [*health.orphans(connection), *lost]
    return len(told), told, "`hymem dream` removes lost entities; rows that refer to nothing are the doctor's"


def _sentences(edges: Sequence[tuple[str, str, str]]) -> list[str]:
    return [" ".join(edge) for edge in edges]
