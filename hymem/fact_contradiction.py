"""When two told facts cannot well both hold: they speak of the same thing in the same words, and differ in what they say of it.

"Zephyr uses Postgres" and "Zephyr uses MySQL" share a name and a relation, and differ in the object. So the likeness of their
wording speaks for a contradiction and not against it. What one denies and the other says contradicts it too, where they say
the same otherwise. These are pairs worth a person's look, not proof: one may well like both tea and coffee.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from hymem.canonical import folded_words
from hymem.models.rules.technologies import TECHNOLOGIES
from hymem.models.rules.words import CLOSED, words
from hymem.vocabulary import FIRST_PERSON

_DENIALS: Final = words(
    "not never no cannot without stopped nor neither isn aren don doesn didn won wasn weren can shouldn"
)
_AUXILIARIES: Final = {"t", "s"}
_ORDERING: Final = words("over than instead rather before after")
SPEAKER: Final = "user"
"""What facts about their teller share: "I", "my" and "the user"."""


@dataclass(frozen=True)
class Saying:
    """What a fact is about, what it says in which order, and whether it denies it."""

    topics: frozenset[str]
    terms: tuple[str, ...]
    denied: bool
    ordered: bool


def saying(content: str, topics: Collection[str], name_words: Collection[str]) -> Saying:
    """A fact's topics, which are the roots of what it names, and its other words without endings."""
    told = folded_words(content)
    speaks = {SPEAKER} if any(word in FIRST_PERSON for word in told) else set[str]()
    terms = [
        _stem(word)
        for word in told
        if word and word not in {*CLOSED, *FIRST_PERSON, *_DENIALS, *_AUXILIARIES, *name_words}
    ]
    denied = sum(word in _DENIALS and word != "can" for word in told) % 2 == 1
    return Saying(frozenset({*topics, *speaks}), tuple(terms), denied, any(word in _ORDERING for word in told))


def contradiction(first: Saying, second: Saying) -> float:
    """How far two facts contradict each other, from 0 to 1: the share of the shorter that both say, squared.

    0 where they share no topic or no relation, say the same, say things of two kinds (a language and a database), or deny two
    things.
    """
    shared = first.topics & second.topics
    said, other = ({*fact.terms, *(fact.topics - shared)} for fact in (first, second))
    common, apart = {*first.terms} & {*second.terms}, (said - other, other - said)
    if not shared or not common:
        return 0.0
    if first.denied != second.denied:
        return _agreement(shared, common, min(map(len, apart))) if not all(apart) else 0.0
    if not any(apart):
        turned = first.ordered and second.ordered and first.terms != second.terms
        return 1.0 if turned and Counter(first.terms) == Counter(second.terms) else 0.0
    if first.denied or not all(apart) or _are_of_two_kinds(*apart):
        return 0.0
    return _agreement(shared, common, min(map(len, apart)))


def _agreement(shared: Collection[str], common: Collection[str], apart: int) -> float:
    both = len(shared) + len(common)
    return (both / (both + apart)) ** 2


def _are_of_two_kinds(first: set[str], second: set[str]) -> bool:
    kinds = [{TECHNOLOGIES[name] for name in names if name in TECHNOLOGIES} for names in (first, second)]
    return all(kinds) and not kinds[0] & kinds[1]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 2 and word.endswith(ending) and not word.endswith("ss"):
            return word.removesuffix(ending).removesuffix("e")
    return word.removesuffix("e")
