"""Who or what a clause speaks of.

First persons are the speaker, or for "we" the project the message has named as being worked on. A clause without a
subject of its own takes the one of the clause it is joined to; an imperative is the speaker's wish. What "it", "they"
or "you" stand for is not guessed.
"""

from dataclasses import dataclass
from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause, begins_verb, skip_adverbs
from hymem.models.rules.names import is_proper, is_thing
from hymem.models.rules.phrases import Phrase, noun_phrase, tidy
from hymem.models.rules.spelling import is_name
from hymem.models.rules.technologies import TECHNOLOGIES
from hymem.models.rules.tokens import Token

_STANDALONE: Final = small.words(
    """prod production staging logs traces metrics ci dev backend frontend tests analytics events deploys builds logging
    caching auth authentication monitoring deployment"""
)
_BEFORE: Final = small.words(", and but so yet then also that because & - which")


_VAGUE: Final = nouns.VAGUE - small.words("search support context") | small.TIME_WORDS
_PLAIN: Final = small.words("type code config server schema image")
"""Vague heads that a determiner makes definite enough."""


@dataclass(frozen=True, slots=True)
class Subject:
    """`kind` is singular, plural (first persons), nobody, you, it, thing, wish (an imperative), or unknown."""

    kind: str
    phrases: tuple[Phrase, ...] = ()
    name: str = ""

    @property
    def first(self) -> bool:
        """Whether the speaker is meant."""
        return self.kind in ("singular", "plural", "wish")


UNKNOWN: Final = Subject("unknown")


def _pronoun(token: Token) -> Subject | None:
    if token.lower == "nobody":
        return Subject("nobody")
    if token.lower in small.FIRST_SINGULAR:
        return Subject("singular")
    if token.lower in small.FIRST_PLURAL:
        return Subject("plural")
    if token.lower in ("you", "u", "ya"):
        return Subject("you")
    if token.lower == "it":
        return Subject("it")
    return UNKNOWN if token.lower in small.PRONOUNS else None


def _is_capitalised_technology(phrase: Phrase) -> bool:
    """Whether a technology named by a plain word opens the sentence ("Cypress got replaced")."""
    return len(phrase.tokens) == 1 and phrase.tokens[0].text[0].isupper() and phrase.head in TECHNOLOGIES


def is_subject(phrase: Phrase) -> bool:
    """Whether a phrase may be what a fact is about: a proper name, or a thing that the speaker points at."""
    if not phrase.tokens or phrase.determiner in small.OTHERS | small.QUANTIFIERS | {"no"}:
        return False
    if phrase.determiner in small.DEMONSTRATIVES:
        return phrase.head in nouns.PROJECT_HEADS and len(phrase.tokens) <= 3
    if phrase.determiner in ("a", "an"):
        return False
    if is_proper(phrase) or _is_capitalised_technology(phrase):
        return True
    if phrase.determiner in small.OWN and phrase.head in nouns.PROJECT_HEADS | nouns.TEAM_HEADS | nouns.ROLES:
        return len(phrase.tokens) <= 4
    if (
        phrase.determiner == "the"
        and len(phrase.tokens) == 1
        and phrase.head in nouns.PROJECT_HEADS | nouns.ROLES | nouns.TEAM_HEADS
    ):
        return True
    if phrase.determiner:
        return is_thing(phrase) or phrase.head.removesuffix("s") in _PLAIN
    return phrase.head in _STANDALONE and len(phrase.tokens) <= 2


def is_bare(phrase: Phrase) -> bool:
    """Whether a capital at the sentence's start may make a name of a common noun ("Billing depends on Redis").

    Only a technical statement can tell; what is spoken of in general ("Life depends on …") is no name even there.
    """
    if len(phrase.tokens) != 1 or phrase.determiner or is_subject(phrase):
        return False
    token, singular = phrase.tokens[0], phrase.head.removesuffix("s")
    general = nouns.GENERAL | nouns.PEOPLE | nouns.TITLES | nouns.EMPTY | nouns.TEAM_HEADS | nouns.RESOURCES | _VAGUE
    return token.initial and token.text[0].isupper() and len(token.text) > 2 and not {phrase.head, singular} & general


def _leading(tokens: list[Token], clause: Clause, end: int) -> Subject | None:
    """The noun phrase that opens the clause, with whatever prepositions hang on it, up to `end`."""
    place = skip_adverbs(tokens, clause.start, end)
    found: list[Phrase] = []
    if [token.lower for token in tokens[place : place + 2]] in (["no", "one"], ["none", "of"]):
        return Subject("nobody") if _only_hangs_on(tokens, skip_adverbs(tokens, place + 2, end), end, us=True) else None
    while place < end:
        pronoun = _pronoun(tokens[place])
        if pronoun is not None and not (tokens[place].lower in small.DEMONSTRATIVES and place + 1 < end):
            if found:
                return UNKNOWN
            return pronoun if _only_hangs_on(tokens, skip_adverbs(tokens, place + 1, end), end) else None
        phrase = noun_phrase(tokens, place, end)
        if phrase is None:
            return None
        found.append(phrase)
        place = skip_adverbs(tokens, phrase.end, end)
        if place < end and tokens[place].lower in ("and", "&", ",") and place + 1 < end:
            place += 1
            continue
        break
    return Subject("thing", tuple(found)) if found and _only_hangs_on(tokens, place, end) else None


def _only_hangs_on(tokens: list[Token], place: int, end: int, us: bool = False) -> bool:
    """Whether nothing but prepositional phrases lies between `place` and `end`, or "us"."""
    if us and place + 1 == end and tokens[place].lower == "us":
        return True
    while place < end:
        if tokens[place].lower not in ("in", "of", "for", "on", "from", "at", "behind", "inside", "with"):
            return False
        phrase = noun_phrase(tokens, place + 1, end)
        if phrase is None:
            return False
        place = skip_adverbs(tokens, phrase.end, end)
    return True


def _nearest(tokens: list[Token], clause: Clause, end: int) -> Subject | None:
    """The pronoun or phrase that stands directly before the verb group."""
    if end <= clause.start:
        return None
    pronoun = _pronoun(tokens[end - 1])
    if pronoun is not None:
        return pronoun
    for start in range(max(clause.start, end - 6), end):
        if (
            start > clause.start
            and tokens[start - 1].lower not in _BEFORE
            and tokens[start - 1].lower not in small.ADVERBS
        ):
            continue
        phrase = noun_phrase(tokens, start, end)
        if phrase is not None and phrase.end == end:
            return Subject("thing", (phrase,))
    return None


def antecedent(tokens: list[Token], previous: Clause) -> Subject:
    """What a relative pronoun stands for: the last phrase of the clause before it."""
    for start in range(max(previous.start, previous.end - 6), previous.end):
        phrase = noun_phrase(tokens, start, previous.end)
        if phrase is not None and phrase.end == previous.end:
            hangs = start > previous.start and tokens[start - 1].lower in ("of", "in", "at", "on", "from", "with")
            return UNKNOWN if hangs else Subject("thing", (phrase,))
    return UNKNOWN


def subject_of(tokens: list[Token], clause: Clause, group_start: int, inherited: Subject, verb: Token) -> Subject:
    """The subject of the verb group that starts at `group_start` and ends in `verb`."""
    place = skip_adverbs(tokens, clause.start, group_start)
    if place >= group_start:
        if clause.joined or (clause.opener in ("which", "that", "who") and "ing" not in verb.forms):
            return inherited
        if clause.opener:
            return UNKNOWN
        if "base" in verb.forms:
            return Subject("wish")
        return Subject("singular") if clause.start == 0 and verb.forms & {"past", "ing"} else UNKNOWN
    return _leading(tokens, clause, group_start) or _nearest(tokens, clause, group_start) or UNKNOWN


def main_subject(tokens: list[Token], clause: Clause, inherited: Subject) -> Subject:
    """The subject that a clause hands on to the clauses joined to it."""
    place = skip_adverbs(tokens, clause.start, clause.end)
    if place >= clause.end:
        return inherited
    pronoun = _pronoun(tokens[place])
    if pronoun is not None and tokens[place].lower not in small.DEMONSTRATIVES:
        return pronoun
    if begins_verb(tokens, place, clause.end):
        if tokens[place].lower in small.DO | {"let"} and not clause.joined:
            return Subject("wish")
        if clause.joined or "base" in tokens[place].forms:
            return inherited if clause.joined else Subject("wish")
        return Subject("singular") if clause.start == 0 else UNKNOWN
    phrase = noun_phrase(tokens, place, clause.end)
    return Subject("thing", (phrase,)) if phrase is not None else UNKNOWN


def bare_names(subject: Subject) -> list[str]:
    """The surface forms of a subject that only a technical statement makes names."""
    return [] if subject.name else [phrase.text for phrase in subject.phrases if is_bare(phrase)]


def names_of(subject: Subject, speaker: str, project: str) -> list[str]:
    """The surface forms that a subject stands for, none where nothing sensible is meant."""
    if subject.kind in ("singular", "wish"):
        return [speaker]
    if subject.kind == "plural":
        return [project or speaker]
    if subject.name:
        return [subject.name]
    tidied = [tidy(phrase) for phrase in subject.phrases]
    return [
        phrase.text for phrase in tidied if is_subject(phrase) or (len(tidied) > 1 and any(map(is_name, phrase.tokens)))
    ]
