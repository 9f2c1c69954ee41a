"""A made-up year of conversations: seeded, of any length, and read again by the language model that belongs to it.

Names and words are drawn as they come in life, a few often and most of them rarely. A turn states about three facts in
the vocabulary's own phrases, among some two hundred characters that state nothing; so the model of this world can read
the facts from the text alone, and needs no second copy of them.
"""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any, Final

from hymem.testing import ScriptedModel
from hymem.times import format_time
from hymem.vocabulary import ENTITY_TYPES, PREDICATES, verb_phrase

ENTITIES: Final = 4000
SESSION_TURNS: Final = 20
BEGINNING: Final = datetime(2025, 1, 1, tzinfo=UTC)
END: Final = "2026-01-01T00:00:00.000000Z"
"""The `now` of every dream over a whole year."""

MODEL: Final = "scripted"

_SAYING: Final = {
    verb_phrase(predicate, negated): (predicate, -1 if negated else 1)
    for predicate in PREDICATES
    for negated in (False, True)
}
_FACT: Final = re.compile(rf"(?P<subject>[\w ]+?) (?P<said>{'|'.join(_SAYING)}) (?P<object>[\w ]+)")
_TYPE: Final = re.compile(r"(?P<name>[\w ]+) is a kind of (?P<type>\w+)")
_WISH: Final = re.compile(r"Please always (?P<statement>[\w ]+)")
_SAID_OF_ALL: Final = ("uses",) * 3 + tuple(predicate for predicate in PREDICATES if predicate != "depends_on")
_SYLLABLES: Final = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]


@dataclass(frozen=True)
class Turn:
    """What was said once, after which words of the assistant."""

    number: int
    session: str
    said_at: datetime
    before: str
    text: str


def turns(first: int, behind: int, of: int) -> Iterator[Turn]:
    """The turns numbered from `first` to just before `behind`, of a year that has `of` of them."""
    for number in range(first, behind):
        chance = random.Random(number)
        said_at = BEGINNING + timedelta(days=365) * (number / of)
        yield Turn(number, f"session-{number // SESSION_TURNS:05}", said_at, _small_talk(chance, 20), _text(chance))


def messages(turn: Turn) -> list[dict[str, Any]]:
    """A turn as it is logged: the assistant's words, then the user's."""
    spoken = (("assistant", turn.before, timedelta()), ("user", turn.text, timedelta(seconds=30)))
    return [
        {
            "session_id": turn.session,
            "role": role,
            "content": content,
            "created_at": format_time(turn.said_at + later),
            "message_id": message_id(turn, role),
        }
        for role, content, later in spoken
    ]


def message_id(turn: Turn, role: str) -> str:
    """The id of one of a turn's two messages."""
    return f"{turn.number:07}-{role}"


def reply(text: str) -> str:
    """What this world's language model says of a text."""
    read = {"triples": [], "markers": [], "entity_types": []}
    for sentence in text.rstrip(".").split(". "):
        if fact := _FACT.fullmatch(sentence):
            predicate, polarity = _SAYING[fact["said"]]
            ends = {"subject": fact["subject"], "predicate": predicate, "object": fact["object"]}
            read["triples"].append({**ends, "polarity": polarity, "quote": sentence})
        elif kind := _TYPE.fullmatch(sentence):
            read["entity_types"].append({"name": kind["name"], "type": kind["type"]})
        elif wish := _WISH.fullmatch(sentence):
            read["markers"].append({"kind": "preference", "statement": wish["statement"], "quote": sentence})
    return json.dumps(read)


def session_reply(text: str) -> str:
    """What it says of a whole session."""
    opening = " ".join(text.split()[:3])
    told = {"title": opening, "summary": f"They spoke of {opening}", "first": 1, "last": 6, "quote": opening}
    return json.dumps({"summaries": [f"They spoke of {opening}."], "episodes": [told], "procedures": []})


def model(latency: float = 0.0) -> ScriptedModel:
    """This world's language model; an answer takes it so many seconds."""
    return ScriptedModel(reply, sessions=session_reply, model=MODEL, latency=latency)


def _text(chance: random.Random) -> str:
    told = [_fact(chance) for _ in range(chance.choice((2, 3, 3, 4)))]
    told += [f"{_small_talk(chance, 12)} {_name(chance)} {_small_talk(chance, 9).lower()}", _small_talk(chance, 19)]
    if chance.random() < 0.2:
        told.append(f"{_name(chance)} is a kind of {chance.choice(ENTITY_TYPES)}")
    if chance.random() < 0.1:
        told.append(f"Please always {_small_talk(chance, 2).lower()}")
    chance.shuffle(told)
    return ". ".join(told) + "."


def _fact(chance: random.Random) -> str:
    subject = _drawn(chance, _ENTITY_WEIGHTS)
    if subject and chance.random() < 0.25:
        dependency = subject // 9 if subject % 5 == 0 and chance.random() < 0.5 else subject // 4
        return f"{_named(subject)} depends on {_named(dependency)}"
    predicate = chance.choice(_SAID_OF_ALL)
    named = "the user" if chance.random() < 0.15 else _named(subject)
    return f"{named} {verb_phrase(predicate, chance.random() < 0.06)} {_name(chance)}"


def _name(chance: random.Random) -> str:
    return _named(_drawn(chance, _ENTITY_WEIGHTS))


def _named(entity: int) -> str:
    """One word for the first two thousand, two words for the others."""
    return _word(entity + 90_000) if entity < 2000 else f"{_word(entity + 90_000)} {_word(entity % 50)}"


def _small_talk(chance: random.Random, words: int) -> str:
    return " ".join(
        map(_word, chance.choices(range(len(_WORD_WEIGHTS)), cum_weights=_WORD_WEIGHTS, k=words))
    ).capitalize()


def _word(number: int) -> str:
    """The word of a number: the small ones are short."""
    syllables = []
    while number or not syllables:
        number, syllable = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return "".join(syllables)


def _drawn(chance: random.Random, weights: list[float]) -> int:
    return chance.choices(range(len(weights)), cum_weights=weights)[0]


def _natural(count: int) -> list[float]:
    """Cumulative weights by Zipf's law: the second comes half as often as the first, the third a third as often."""
    return list(accumulate(1 / rank for rank in range(1, count + 1)))


_ENTITY_WEIGHTS: Final = _natural(ENTITIES)
_WORD_WEIGHTS: Final = _natural(8000)
