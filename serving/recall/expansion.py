"""From the entities that a message names to their like: those of one type, and those that share a rare part of the name.

Both are guesses. An edge that is reached only through a shared part of a name scores less, and every edge says by which way
it was reached.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hymem.canonical import canonical_or_none, name_parts
from hymem.config import HyMemConfig
from hymem.store.connection import Connection
from hymem.store.names import siblings

SIBLINGS_OF_A_TYPE: Final = 5
"""Entities of one type that are looked at beside those that are named, those first that were seen last."""

SHORTEST_PART: Final = 2
"""Letters in a part that may join two names."""


@dataclass(frozen=True)
class Anchors:
    """Where in the graph a message leads: the entities it names, and their like with the type or the part that they share."""

    named: tuple[str, ...] = ()
    by_type: Mapping[str, str] = field(default_factory=dict[str, str])
    by_part: Mapping[str, str] = field(default_factory=dict[str, str])

    def __iter__(self) -> Iterator[str]:
        """Every entity, those first that the message names."""
        return iter(dict.fromkeys([*self.named, *self.by_type, *self.by_part]))


class TokenIndex:
    """Which entities share which part of their names: the words of all their names, and what CamelCase divides."""

    def __init__(self, names: Iterable[tuple[str, str]], camel_case: Iterable[str] = ()) -> None:
        """An index of (canonical name, entity), with surface forms in CamelCase."""
        entities = dict(names)
        parts: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for name, entity in entities.items():
            parts[entity].update(dict.fromkeys(name.split("_")))
        for surface in camel_case:
            if (entity := entities.get(canonical_or_none(surface) or "")) is not None:
                parts[entity].update(dict.fromkeys(name_parts(surface)))
        self._parts = {entity: tuple(filter(_tells, found)) for entity, found in parts.items() if len(found) > 1}
        self._holders: defaultdict[str, list[str]] = defaultdict(list)
        for entity, found in sorted(parts.items()):
            for part in filter(_tells, found):
                self._holders[part].append(entity)

    def relatives(self, entity: str, threshold: int, most: int) -> list[tuple[str, str]]:
        """At most `most` entities that share a part with this one, each with that part, those with the rarest part first.

        Only names of several parts have relatives, and a part in more than `threshold` entities joins nobody.
        """
        rare = [part for part in self._parts.get(entity, ()) if len(self._holders[part]) <= threshold]
        found: dict[str, str] = {}
        for part in sorted(rare, key=lambda part: (len(self._holders[part]), part)):
            for other in self._holders[part]:
                if other != entity:
                    found.setdefault(other, part)
        return list(found.items())[:most]


def expand(
    connection: Connection, named: Sequence[str], tokens: Callable[[], TokenIndex], config: HyMemConfig
) -> Anchors:
    """The entities that a message names, with their like; the index is asked for only where something is named."""
    if not named:
        return Anchors()
    by_type = {found.entity: found.type for found in siblings(connection, named, SIBLINGS_OF_A_TYPE)}
    limits = config.graph_token_overlap_threshold, config.graph_token_overlap_max_per_entity
    index = tokens()
    relatives = [relative for entity in named for relative in index.relatives(entity, *limits)]
    by_part = {entity: part for entity, part in reversed(relatives) if entity not in named}
    return Anchors(tuple(named), by_type, by_part)


def _tells(part: str) -> bool:
    return len(part) >= SHORTEST_PART and not part.isdecimal()
