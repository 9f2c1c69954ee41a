"""What a reading of one message finds: triples, markers and entity types, each with the words that carry it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Triple:
    """One statement as it was said: surface forms, polarity (1 asserts, -1 denies) and the verbatim words."""

    subject: str
    predicate: str
    object: str
    polarity: int
    quote: str
    value_text: str | None = None
    value_numeric: float | None = None
    value_unit: str | None = None
    temporal_scope: str | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What makes two triples of one message the same statement."""
        return (self.subject.casefold(), self.predicate, self.object.casefold(), self.polarity)

    def as_json(self) -> dict[str, Any]:
        """The triple as it stands in a reply: what has no value is left out."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Marker:
    """An explicit signal of how the speaker wants things: a correction, preference, rejection or style."""

    kind: str
    statement: str
    quote: str

    def as_json(self) -> dict[str, Any]:
        """The marker as it stands in a reply."""
        return dict(vars(self))


@dataclass(frozen=True)
class EntityType:
    """What a named thing is, where the wording or the word lists say so."""

    name: str
    type: str

    def as_json(self) -> dict[str, Any]:
        """The entity type as it stands in a reply."""
        return dict(vars(self))


@dataclass(frozen=True)
class Extraction:
    """All that was found in one message, in the order of the text."""

    triples: tuple[Triple, ...] = ()
    markers: tuple[Marker, ...] = ()
    entity_types: tuple[EntityType, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The extraction reply."""
        return {
            "triples": [triple.as_json() for triple in self.triples],
            "markers": [marker.as_json() for marker in self.markers],
            "entity_types": [entity.as_json() for entity in self.entity_types],
        }
