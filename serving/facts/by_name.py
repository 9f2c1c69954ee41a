"""Told facts by what they name: about one thing, about several at once, about what is connected with it, and at odds.

Links say which facts name an entity; how much of a fact is about it is told by holographic likeness to the entity in the part
of entities. (To unbind the entity from a fact's vector gives noise, since that vector is a bundle.) A name is looked for with
all its aliases. One that no fact shows to be a name is looked for in the words.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from hymem.canonical import canonical_name
from hymem.fact_contradiction import SPEAKER, contradiction, saying
from hymem.holographic import ROLE_ENTITY, encoded, in_role, similarities, snr_estimate
from hymem.store.connection import Connection
from hymem.store.facts import found
from hymem.store.facts.found import Scope
from hymem.store.facts.standing import dimension
from hymem.told_facts import Fact, FactHit

IN_WORDS: Final = 0.1
"""How far a fact is about what only its words hold."""

NEAR: Final = 0.5
_NEWEST: Final = 300


@dataclass(frozen=True)
class FactConflict:
    """Two facts that cannot well both hold, how far they are at odds, and what both are about."""

    newer: Fact
    older: Fact
    score: float
    about: tuple[str, ...]


@dataclass(frozen=True)
class BankLikeness:
    """A category's bank: how many facts it holds, how well they can be told apart, and how like it is to what was asked."""

    bank_name: str
    fact_count: int
    snr: float
    likeness: float | None


def probe(connection: Connection, scope: Scope, entity: str) -> list[FactHit]:
    """The facts about an entity, those that are about little else first."""
    about = _about(connection, scope, entity)
    return _hits(
        connection, scope, about, lambda fact_id: ("names_it" if about[fact_id] > IN_WORDS else "in_its_words",)
    )


def reason(connection: Connection, scope: Scope, entities: Sequence[str]) -> list[FactHit]:
    """The facts about all of the entities at once; each counts as far as it is about the one it is about least."""
    each = [_about(connection, scope, entity) for entity in entities]
    shared = set.intersection(*(set(about) for about in each)) if each else set[int]()
    least = {fact_id: min(about[fact_id] for about in each) for fact_id in shared}
    return _hits(connection, scope, least, lambda _: tuple(f"names:{entity}" for entity in entities))


def related(connection: Connection, scope: Scope, entity: str) -> list[FactHit]:
    """The facts about an entity, and after them those about what such facts name beside it."""
    direct = probe(connection, scope, entity)
    own = _forms(connection, scope, entity)
    beside = found.names_of(connection, [hit.fact.fact_id for hit in direct])
    links = {canonical: name for names in beside.values() for canonical, name in names.items() if canonical not in own}
    known = {hit.fact.fact_id for hit in direct}
    near = {
        fact_id: names
        for fact_id, names in found.facts_that_name(connection, scope, links).items()
        if fact_id not in known
    }
    strengths = _likeness(connection, near)
    reach = NEAR * min((hit.score for hit in direct), default=0.0)
    weights = {fact_id: reach * strengths[fact_id] for fact_id in near}
    further = _hits(
        connection, scope, weights, lambda fact_id: tuple(f"shares:{links[name]}" for name in sorted(near[fact_id]))
    )
    return [*direct, *further]


def contradict(connection: Connection, scope: Scope, threshold: float) -> list[FactConflict]:
    """Pairs of facts that are at odds, the worst first; of what very many facts are about, the newest are compared."""
    facts = {fact.fact_id: fact for fact in found.facts(connection, scope)}
    aliases = found.fact_aliases(connection, scope.peer_id)
    said = {
        fact_id: saying(
            facts[fact_id].content,
            {aliases.resolve(name) for name in names},
            {word for name in names for word in name.split("_")},
        )
        for fact_id, names in found.names_of(connection, list(facts)).items()
    }
    by_topic: dict[str, list[int]] = defaultdict(list)
    for fact_id, one in said.items():
        for topic in one.topics:
            by_topic[topic].append(fact_id)
    pairs = {pair for ids in by_topic.values() for pair in combinations(sorted(ids)[-_NEWEST:], 2)}
    scored = [(contradiction(said[older], said[newer]), older, newer) for older, newer in pairs]
    return [
        FactConflict(
            facts[newer], facts[older], score, tuple(sorted(said[older].topics & said[newer].topics - {SPEAKER}))
        )
        for score, older, newer in sorted(scored, key=lambda each: (-each[0], -each[2], -each[1]))
        if score > 0 and score >= threshold
    ]


def banks(connection: Connection, scope: Scope, entity: str | None) -> list[BankLikeness]:
    """The banks of a peer's categories; with an entity, those that are most like it first."""
    dim = dimension(connection)
    held = found.banks(connection, scope)
    alike = [
        _best(np.stack([bank.vector]), _forms(connection, scope, entity), dim)[0] if entity else None for bank in held
    ]
    told = [
        BankLikeness(bank.bank_name, bank.fact_count, snr_estimate(dim, bank.fact_count), likeness)
        for bank, likeness in zip(held, alike, strict=True)
    ]
    return sorted(told, key=lambda bank: (-(bank.likeness or 0.0), bank.bank_name))


def _about(connection: Connection, scope: Scope, entity: str) -> dict[int, float]:
    """The ids of the facts that are about an entity, and how far each is."""
    forms = _forms(connection, scope, entity)
    linked = found.facts_that_name(connection, scope, forms)
    strengths = _likeness(connection, dict.fromkeys(linked, forms))
    in_words = {} if linked else dict.fromkeys(found.facts_in_words(connection, scope, entity), IN_WORDS)
    return {**in_words, **strengths}


def _forms(connection: Connection, scope: Scope, entity: str) -> frozenset[str]:
    return found.fact_aliases(connection, scope.peer_id).surface_forms(canonical_name(entity))


def _likeness(connection: Connection, names: Mapping[int, Set[str]]) -> dict[int, float]:
    """How like each fact is to the names in the part of entities: just more than to words, at least."""
    ids, codes = found.vectors(connection, list(names))
    sought = {name for each in names.values() for name in each}
    alike = {} if not ids else {name: _best(codes, [name], dimension(connection)) for name in sought}
    return {
        fact_id: max(IN_WORDS + 1e-6, max(alike[name][row] for name in names[fact_id]))
        for row, fact_id in enumerate(ids)
    }


def _best(codes: found.Codes, names: Iterable[str], dim: int) -> list[float]:
    """For each vector, its likeness to the name that it is most like."""
    alike = [similarities(codes, encoded(in_role(name, ROLE_ENTITY, dim))) for name in names]
    return np.max(alike, axis=0).astype(float).tolist()


def _hits(
    connection: Connection, scope: Scope, weights: dict[int, float], reasons: Callable[[int], tuple[str, ...]]
) -> list[FactHit]:
    known = found.facts_by_id(connection, scope, weights)
    hits = [
        FactHit(fact, round(weights[fact_id] * fact.trust_score, 6), reasons(fact_id))
        for fact_id, fact in known.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.fact.fact_id))
