"""How a person names an edge on the command line, and what they may have meant where there is none of that name."""

from collections.abc import Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from hymem.canonical import canonical_or_none
from hymem.errors import UnknownError
from hymem.vocabulary import fact_in_words

if TYPE_CHECKING:
    from hymem.records import Edge
    from serving.memory import HyMem

NEAR: Final = 3
"""Edges that are suggested, and near names that are looked at for each end."""


class EdgeName(NamedTuple):
    """Subject, predicate and object, as they were written."""

    subject: str
    predicate: str
    object: str

    def __str__(self) -> str:
        """In the order of a sentence."""
        return " ".join(self)


def edge_named(words: Sequence[str]) -> EdgeName:
    """The edge that three arguments name, or a sentence: `billing "depends on" redis`, "billing does not use redis"."""
    if len(words) == 3:
        return EdgeName(*words)
    if found := fact_in_words(" ".join(words)):
        return EdgeName(*found)
    raise click.UsageError("name a fact by its SUBJECT, PREDICATE and OBJECT; `hymem show graph` lists them")


def with_near_names(error: UnknownError, memory: "HyMem", named: EdgeName) -> UnknownError:
    """The error, with the edges that may have been meant."""
    from serving.recall.facts import sentence

    near = near_edges(memory.edges(include_retracted=True), named)
    meant = "".join(f"\n  {sentence(edge)}" for edge in near)
    return UnknownError(f"{error}; near it:{meant}") if near else error


def near_edges(edges: "Sequence[Edge]", named: EdgeName) -> "list[Edge]":
    """The edges whose ends are most like those that were named."""
    subjects = _near(named.subject, {edge.subject for edge in edges})
    objects = _near(named.object, {edge.object for edge in edges})
    candidates = [edge for edge in edges if edge.subject in subjects or edge.object in objects]
    return sorted(candidates, key=lambda edge: (-_likeness(edge, named), edge.edge_id))[:NEAR]


def _near(name: str, known: set[str]) -> set[str]:
    key = canonical_or_none(name) or name
    return {key} & known or set(get_close_matches(key, known, NEAR))


def _likeness(edge: "Edge", named: EdgeName) -> float:
    ends = (canonical_or_none(named.subject) or "", canonical_or_none(named.object) or "")
    alike = (SequenceMatcher(None, *pair).ratio() for pair in zip((edge.subject, edge.object), ends, strict=True))
    return sum(alike) + 0.5 * (edge.predicate == named.predicate)
