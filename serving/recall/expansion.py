"""From the entities that a message names to their like: those of one type, and those that share a rare part of the name.

Both are guesses. An edge that is reached only through a shared part of a name scores less, and every edge says by which way
it was reached.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
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
    """Which entities share which part of their names: the words of all their names, and what CamelCase divides.

    The names stand in one text, a line each, and a part is looked for there: that takes less than a millisecond, and
    nothing has to be made ready before the first question.
    """

    def __init__(self, names: Iterable[tuple[str, str]], camel_case: Iterable[str] = ()) -> None:
        """An index of (canonical name, entity), with surface forms in CamelCase."""
        entities = dict(names)
        divided = [
            ("_".join(name_parts(surface)), entity)
            for surface in camel_case
            if (entity := entities.get(canonical_or_none(surface) or "")) is not None
        ]
        lines = [*entities.items(), *divided]
        self._text = "".join([f"\n_{name}_" for name, _ in lines])
        self._entities = [entity for _, entity in lines]
        self._ends = list(accumulate(len(name) + 3 for name, _ in lines))
        self._others: defaultdict[str, list[str]] = defaultdict(list)
        for name, entity in lines:
            if name != entity:
                self._others[entity].append(name)
        self._known = entities

    def relatives(self, entity: str, threshold: int, most: int) -> list[tuple[str, str]]:
        """At most `most` entities that share a part with this one, each with that part, those with the rarest part first.

        Only names of several parts have relatives, and a part in more than `threshold` entities joins nobody.
        """
        holders = {part: self._holders(part, threshold) for part in self._parts(entity)}
        found: dict[str, str] = {}
        for part in sorted(holders, key=lambda part: (len(holders[part]), part)):
            for other in sorted(holders[part]) if len(holders[part]) <= threshold else ():
                if other != entity:
                    found.setdefault(other, part)
        return list(found.items())[:most]

    def _parts(self, entity: str) -> list[str]:
        """The telling parts of an entity's names, where these have several."""
        own = [entity] if self._known.get(entity) == entity else []
        parts = dict.fromkeys(part for name in (*own, *self._others.get(entity, ())) for part in name.split("_"))
        return list(filter(_tells, parts)) if len(parts) > 1 else []

    def _holders(self, part: str, threshold: int) -> set[str]:
        """The entities with a part in one of their names; where they are more than `threshold`, some of them."""
        sought, found, place = f"_{part}_", set[str](), -1
        while len(found) <= threshold and (place := self._text.find(sought, place + 1)) >= 0:
            line = bisect_right(self._ends, place)
            found.add(self._entities[line])
            place = self._ends[line] - 1
        return found


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
