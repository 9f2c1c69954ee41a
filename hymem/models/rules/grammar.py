"""From a sentence to its statements: every verb of a stating clause is tried against its frames."""

from dataclasses import replace
from itertools import pairwise
from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.candidates import (
    disagrees,
    is_led,
    is_over,
    is_participle,
    is_topic,
    verb_base,
    verbs_of,
)
from hymem.models.rules.clauses import Clause
from hymem.models.rules.doers import meant_by_it, user_of, verb_subject
from hymem.models.rules.effects import Effects
from hymem.models.rules.frames import FRAMES, Frame
from hymem.models.rules.groups import DENIED, STATED, UNREAL, Group, group
from hymem.models.rules.moods import FACT
from hymem.models.rules.moves import read_move
from hymem.models.rules.reading import Maker, Reading, Sentenced, project_named, sentenced
from hymem.models.rules.slots import fill
from hymem.models.rules.subjects import UNKNOWN, Subject, antecedent, main_subject, names_of
from hymem.models.rules.tokens import Token

_DATA: Final = small.words("logs traces metrics events data reports errors alerts analytics messages backups spans")
_WISHES: Final = small.words("use avoid stop prefer stay steer keep stick")
_MANNERS: Final = small.words("correctly properly well right enough much often fully except but besides")
"""Words with which "nobody uses it" is not said of all use, or not of everybody."""
_RELATIVE: Final = small.words("which that who")


def _fits(frame: Frame, subject: Subject, verb: Group) -> bool:
    if frame.wants_denial and verb.force != DENIED:
        return False
    match frame.subject:
        case "I":
            return subject.first
        case "R":
            return subject.first and verb.rather
        case "C":
            return (
                bool(subject.phrases)
                and subject.phrases[0].head in nouns.CONFIGURATIONS
                and len(subject.phrases[0].tokens) > 1
            )
        case "Y":
            return subject.kind == "you"
        case "D":
            return bool(subject.phrases) and subject.phrases[0].head in _DATA
        case "S":
            return subject.first or subject.kind == "thing"
        case _:
            return subject.kind == "thing"


def _none_of_us(tokens: list[Token], clause: Clause, found: Group) -> tuple[Subject, Group]:
    """The subject and verb of a denial of all of us: "nobody here", "no one on our team", "none of us"."""
    lowers = [token.lower for token in tokens[clause.start : clause.end]]
    ours = any(each in small.OWN and following in nouns.CIRCLES for each, following in pairwise(lowers))
    if found.force != STATED or found.past or _MANNERS & set(lowers) or not (ours or {"here", "us"} & set(lowers)):
        return UNKNOWN, found
    return Subject("plural"), replace(found, force=DENIED)


def _is_advice(reading: Reading, tokens: list[Token], clause: Clause) -> bool:
    """Whether an imperative may be meant for another person: peers in a chat advise one another."""
    if reading.advises:
        return True
    lowers = {token.lower for token in tokens[clause.start : clause.end]}
    return reading.speaker != "user" and not lowers & {"always", "never", "rather", "over"}


def _group(tokens: list[Token], verb: int, clause: Clause, base: str) -> tuple[Group, int]:
    """The verb's group, and where what follows it starts: a form of "be" has its negation behind it."""
    found = group(tokens, verb, clause.start)
    place = verb + 1
    if base != "be":
        return found, place
    while place < clause.end and tokens[place].lower in small.ADVERBS | small.NEGATIONS | {"no"}:
        if tokens[place].lower == "no" and tokens[min(place + 1, clause.end - 1)].lower != "longer":
            break
        place += 1
    return _copula(tokens, verb, clause, found), place


def _states(
    reading: Reading, sentence: Sentenced, clause: Clause, verb: int, found: Group, subject: Subject, base: str
) -> bool:
    """Whether the verb, in this form and with this subject, is one by which the speaker states something."""
    tokens, token = sentence.tokens, sentence.tokens[verb]
    if is_participle(tokens, found, verb, clause, base) or disagrees(subject, token, found):
        return False
    if verb == 0 and "ing" in token.forms and is_topic(tokens):
        return False
    return subject.kind != "wish" or (base in _WISHES and not _is_advice(reading, tokens, clause))


def read_verb(reading: Reading, sentence: Sentenced, number: int, verb: int, inherited: Subject) -> None:
    """Try the frames of the verb at `verb` in clause `number`."""
    tokens, clause = sentence.tokens, sentence.parts[number]
    base = verb_base(tokens[verb])
    found, place = _group(tokens, verb, clause, base)
    if found.force == UNREAL or is_over(base, found, tokens[verb]):
        return
    subject = verb_subject(sentence, number, found.start, inherited, tokens[verb])
    subject = reading.topic if subject.kind == "it" else subject
    if subject.kind == "nobody":
        subject, found = _none_of_us(tokens, clause, found)
    if tokens[verb].lower == "using" and not is_led(tokens, found, verb):
        base, subject = "using", user_of(sentence, number, verb, inherited)
    if not _states(reading, sentence, clause, verb, found, subject, base):
        return
    meant = meant_by_it(sentence, number, reading.topic, base) if subject.first else None
    effects = Effects(Maker(reading, sentence, clause), subject, tokens[verb], found, base)
    for frame in FRAMES.get((base, found.passive), ()):
        slots = (
            fill(tokens, place, clause.end, frame.elements, found.force == DENIED, meant)
            if _fits(frame, subject, found)
            else None
        )
        if slots is not None and effects.emit(frame, slots) and not frame.goes_on:
            return


def _copula(tokens: list[Token], verb: int, clause: Clause, found: Group) -> Group:
    """The group of a form of "be": its negation follows it, and its past is over."""
    following = [token.lower for token in tokens[verb + 1 : min(clause.end, verb + 4)]]
    denied = bool(following) and (following[0] in ("not", "n't", "never") or following[:2] == ["no", "longer"])
    if len(following) > 1 and following[1] in ("only", "just", "merely") and denied:
        denied = False
    force = found.force
    if tokens[verb].lower in small.BE_PAST or (tokens[verb].lower in ("be", "been", "being") and found.start == verb):
        force = UNREAL
    elif denied and force != UNREAL:
        force = DENIED
    return Group(found.start, force, found.attitude)


def read_sentence(reading: Reading, tokens: list[Token], asks: bool) -> Sentenced:
    """Add to the reading what a sentence states."""
    sentence = sentenced(tokens, asks)
    inherited = UNKNOWN
    for number, clause in enumerate(sentence.parts):
        before = sentence.parts[number - 1] if number else None
        relative = before is not None and clause.opener in _RELATIVE and before.opener != "that"
        current = antecedent(tokens, before) if before is not None and relative else inherited
        if sentence.moods[number] == FACT:
            for verb in verbs_of(sentence, clause):
                read_verb(reading, sentence, number, verb, current)
            read_move(reading, sentence, clause)
        inherited = main_subject(tokens, clause, inherited)
    reading.topic = _topic(reading, sentence)
    return sentence


def _topic(reading: Reading, sentence: Sentenced) -> Subject:
    """What "it" may stand for in the next sentence: the thing this one is about, or the project it names."""
    if not sentence.parts or sentence.moods[0] != FACT:
        return UNKNOWN
    subject = main_subject(sentence.tokens, sentence.parts[0], UNKNOWN)
    if subject.kind == "it":
        return reading.topic
    told = {triple.subject for triple in reading.triples}
    if (
        subject.kind == "thing"
        and len(subject.phrases) == 1
        and (names_of(subject, "", "") or subject.phrases[0].text in told)
    ):
        return subject
    project = project_named(reading.triples, reading.speaker)
    return Subject("thing", name=project) if subject.first and project and project != reading.project else UNKNOWN
