"""The words that memory is made of: which relations, types and attitudes exist, and no others.

A locked vocabulary keeps the graph clean and queryable. What does not fit is left unsaid.
"""

import re
from typing import Final

PREDICATES: Final = (
    "uses",
    "depends_on",
    "prefers",
    "rejects",
    "avoids",
    "replaces",
    "conflicts_with",
    "deploys_to",
    "part_of",
    "equivalent_to",
    "implements",
    "contains",
    "configured_with",
    "requires_version",
    "runs_on",
    "connects_to",
    "generates",
    "tested_by",
)
"""The eighteen relations an edge may bear."""

ENTITY_TYPES: Final = (
    "language",
    "framework",
    "library",
    "database",
    "service",
    "tool",
    "package_manager",
    "platform",
    "protocol",
    "file",
    "project",
    "person",
    "team",
    "organization",
    "concept",
)
"""What an entity may be."""

MARKER_KINDS: Final = ("correction", "preference", "rejection", "style")
"""The explicit behavioral signals that a profile is built from."""

EXCLUSIVE_PREDICATES: Final = frozenset({"runs_on", "requires_version", "deploys_to"})
"""One subject, one object: two objects compete."""

EXCLUSIVE_WITHIN_TYPE: Final = frozenset({"prefers"})
"""Two objects compete only where they are of one entity type (english, dutch)."""

OPPOSING_PREDICATES: Final = (
    ("prefers", "rejects"),
    ("prefers", "avoids"),
    ("uses", "rejects"),
    ("uses", "avoids"),
    ("depends_on", "conflicts_with"),
)
"""Pairs that cannot both hold between the same subject and object."""

OPPOSING_MARKERS: Final = {"preference": "rejection", "rejection": "preference"}
"""A preference and a rejection of one thing count against each other."""

ROLES: Final = ("user", "assistant", "system", "tool")
"""Who may speak in a session."""

DEFAULT_PEERS: Final = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
"""The peer who speaks where none is named."""

_VERB_PHRASES: Final = {
    "uses": ("uses", "does not use"),
    "depends_on": ("depends on", "does not depend on"),
    "prefers": ("prefers", "does not prefer"),
    "rejects": ("rejects", "does not reject"),
    "avoids": ("avoids", "does not avoid"),
    "replaces": ("replaces", "does not replace"),
    "conflicts_with": ("conflicts with", "does not conflict with"),
    "deploys_to": ("deploys to", "does not deploy to"),
    "part_of": ("is part of", "is not part of"),
    "equivalent_to": ("is the same as", "is not the same as"),
    "implements": ("implements", "does not implement"),
    "contains": ("contains", "does not contain"),
    "configured_with": ("is configured with", "is not configured with"),
    "requires_version": ("requires", "does not require"),
    "runs_on": ("runs on", "does not run on"),
    "connects_to": ("connects to", "does not connect to"),
    "generates": ("generates", "does not generate"),
    "tested_by": ("is tested by", "is not tested by"),
}


def verb_phrase(predicate: str, negated: bool = False) -> str:
    """The predicate as English says it: `uses` → "uses", negated "does not use"."""
    return _VERB_PHRASES[predicate][negated]


def fact_in_words(text: str) -> tuple[str, str, str] | None:
    """Subject, predicate and object of "billing depends on redis" or "billing does not use redis"; None for what is no fact."""
    told = " ".join(text.split())
    for phrase, predicate in _PHRASES:
        if found := re.fullmatch(rf"(.+?) {re.escape(phrase)} (.+)", told, re.IGNORECASE):
            return found[1], predicate, found[2]
    return None


def predicate_named(text: str) -> str | None:
    """The predicate that is called so, however it is written: "uses", "depends on", "is part of", "does not use"."""
    told = " ".join(text.replace("_", " ").replace("-", " ").split()).lower()
    return next((predicate for phrase, predicate in _PHRASES if phrase.replace("_", " ").lower() == told), None)


def _phrases() -> list[tuple[str, str]]:
    """Every way to write a predicate, the longest first."""
    ways = {(way, p) for p in PREDICATES for way in (p, p.replace("_", " "), verb_phrase(p), verb_phrase(p, True))}
    return sorted(ways, key=lambda way: (-len(way[0]), way))


_PHRASES: Final = _phrases()


FIRST_PERSON: Final = frozenset(
    {"i", "me", "my", "myself", "we", "us", "our", "user", "the user", "speaker", "the speaker"}
)
"""What a reply may call the peer who speaks."""
