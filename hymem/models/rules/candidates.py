"""Which verbs of a clause may state something, by their form and place.

A word after a determiner is a noun, "-ing" needs its auxiliary, the simple past of a state tells of what is over.
"""

from collections.abc import Iterator
from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause
from hymem.models.rules.frames import HEADS
from hymem.models.rules.groups import Group
from hymem.models.rules.reading import Sentenced
from hymem.models.rules.subjects import Subject
from hymem.models.rules.tokens import Token

_STATES: Final = small.words(
    """run depend rely need require prefer like connect talk include contain belong work live read own serve speak
    conflict support want stand"""
)
"""Verbs that in the simple past tell of a state that is over."""


def verb_base(token: Token) -> str:
    """The base under which a verb has its frames."""
    if token.lower in small.BE:
        return "be"
    return "have" if token.lower in ("have", "has") else token.base


def _is_noun_here(tokens: list[Token], verb: int, clause: Clause) -> bool:
    """Whether a word that may be a verb follows a determiner or an adjective and so is a noun."""
    if verb == clause.start:
        return False
    before = tokens[verb - 1].lower
    return before in small.DETERMINERS - {"this", "that", "both", "all", "one"} or (
        before in small.WEAK_ADJECTIVES - {"own"} and tokens[verb].base != "be"
    )


def _has(tokens: list[Token], clause: Clause, verb: int) -> bool:
    """Whether "have" is a verb of its own: "I'd rather have", or before a list that a colon opens."""
    listing = clause.end < len(tokens) and tokens[clause.end].lower == ":"
    return listing or (verb > clause.start and tokens[verb - 1].lower == "rather")


def _likes(tokens: list[Token], clause: Clause, verb: int) -> bool:
    """Whether "like" is the verb: directly after "I" or "we", adverbs and "do" aside."""
    place = verb
    while place > clause.start and (tokens[place - 1].lower in small.ADVERBS | small.DO | small.NEGATIONS):
        place -= 1
    return place > clause.start and tokens[place - 1].lower in small.FIRST


def is_tried(sentence: Sentenced, clause: Clause, verb: int) -> bool:
    """Whether the word at `verb` may be a stating verb."""
    token = sentence.tokens[verb]
    if verb_base(token) not in HEADS or not token.is_word:
        return False
    if token.lower in small.HAVE:
        return _has(sentence.tokens, clause, verb)
    if token.lower in small.BE:
        return True
    if token.text[0].isupper() and not token.initial and not token.text.isupper():
        return False
    if token.lower == "like" and not _likes(sentence.tokens, clause, verb):
        return False
    return not _is_noun_here(sentence.tokens, verb, clause)


def verbs_of(sentence: Sentenced, clause: Clause) -> Iterator[int]:
    """The places in a clause where a stating verb may stand."""
    return (verb for verb in range(clause.start, clause.end) if is_tried(sentence, clause, verb))


def is_over(base: str, verb: Group, token: Token) -> bool:
    """Whether the simple past says that a state has ended, which says nothing of today."""
    return verb.past and base in _STATES and "base" not in token.forms


def is_led(tokens: list[Token], found: Group, verb: int) -> bool:
    """Whether a form of "be" or another verb leads into a form in "-ing"."""
    return any(
        item.lower in small.BE or (item.base and item.lower not in small.AUXILIARIES)
        for item in tokens[found.start : verb]
    )


def is_participle(tokens: list[Token], found: Group, verb: int, clause: Clause, base: str) -> bool:
    """Whether the form cannot be the verb of a statement: "-ing" or a participle without its auxiliary."""
    token = tokens[verb]
    lowers = {item.lower for item in tokens[found.start : verb]}
    if "ing" in token.forms:
        return not is_led(tokens, found, verb) and verb != 0 and base not in ("using", "be")
    if base in ("call", "name", "base", "write", "build") and "past" in token.forms and found.start == verb:
        return verb == clause.start or tokens[verb - 1].lower not in small.FIRST
    return (
        "part" in token.forms
        and not token.forms & {"past", "base"}
        and not lowers & (small.BE | small.HAVE | small.GET)
    )


def disagrees(subject: Subject, verb: Token, found: Group) -> bool:
    """Whether one thing stands before a plural verb form: then it is an address before an imperative, or no subject."""
    if subject.kind != "thing" or len(subject.phrases) != 1 or verb.forms != frozenset({"base"}) or found.auxiliary:
        return False
    return not subject.phrases[0].head.endswith("s")


def is_topic(tokens: list[Token]) -> bool:
    """Whether "Using X" is what another verb tells of ("Using X seems fine")."""
    return any(
        token.lower in small.AUXILIARIES - small.HAVE or "s" in token.forms
        for token in tokens[1:]
        if not token.text[0].isupper()
    )
