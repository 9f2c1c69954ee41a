"""What moved where, told in two steps: "the printer no longer uses RabbitMQ, we moved it to NATS".

What has just been denied of a thing, or told of its past, says in which relation it now stands to the successor.
"""

from dataclasses import replace
from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause
from hymem.models.rules.findings import Triple
from hymem.models.rules.reading import Maker, Reading, Sentenced
from hymem.models.rules.slots import fill
from hymem.models.rules.subjects import names_of
from hymem.models.rules.tokens import Token

_MOVES: Final = small.words("move switch migrate transition convert change port")
_TIES: Final = small.words("uses runs_on depends_on connects_to deploys_to")
_TO: Final = ("to|over_to|onto", "E")


def _is_move(tokens: list[Token], clause: Clause, verb: int) -> bool:
    """Whether the word at `verb` says that "we" or "I" moved "it"."""
    token = tokens[verb]
    before = [each.lower for each in tokens[clause.start : verb]]
    while before and before[-1] in small.HAVE | small.ADVERBS:
        before.pop()
    moved = token.base in _MOVES and bool(token.forms & {"past", "part"}) and tokens[verb + 1].lower == "it"
    return moved and bool(before) and before[-1] in small.FIRST


def _destination(tokens: list[Token], clause: Clause) -> list[str]:
    """The technologies that "we moved it to …" names."""
    verb = next((place for place in range(clause.start, clause.end - 2) if _is_move(tokens, clause, place)), None)
    slots = fill(tokens, verb + 2, clause.end, _TO, denied=False) if verb is not None else None
    return [phrase.text for phrase in slots["E"].phrases] if slots else []


def _last_told(reading: Reading, quote: str) -> list[Triple]:
    """What was last said of the one thing that the sentence, or the one before it, is about."""
    found: list[Triple] = []
    for triple in reversed(reading.triples):
        meant = triple.quote == quote or triple.subject in names_of(reading.topic, "", "")
        if not meant or triple.predicate not in _TIES or (found and triple.subject != found[0].subject):
            break
        found.append(triple)
    return [triple for triple in found if triple.subject not in (reading.speaker, reading.project)]


def read_move(reading: Reading, sentence: Sentenced, clause: Clause) -> None:
    """Add what took the place of what the thing spoken of has given up."""
    names = _destination(sentence.tokens, clause)
    maker = Maker(reading, sentence, clause)
    over = any(token.lower == "used" for token in sentence.tokens[: clause.start])
    gone = [
        each for each in _last_told(reading, maker.quote) if each.polarity < 0 or (over and each.predicate == "uses")
    ]
    if not names or not gone:
        return
    ended = {each.key: replace(each, polarity=-1) for each in gone}
    reading.triples[:] = [ended.get(each.key, each) for each in reading.triples]
    for name in names:
        maker.add(gone[0].subject, gone[0].predicate, name, 1)
        for each in gone:
            maker.add(name, "replaces", each.object, 1)
