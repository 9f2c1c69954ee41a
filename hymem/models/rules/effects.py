"""What a wording that fits states: the effects of its frame, written down as triples.

Negation and attitude decide predicate and sign. A subject that is a name only for its capital ("Billing depends on …")
counts where the statement is technical.
"""

from collections.abc import Iterator
from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.frames import Effect, Frame
from hymem.models.rules.groups import DENIED, Group
from hymem.models.rules.names import is_technology
from hymem.models.rules.phrases import Phrase
from hymem.models.rules.reading import Maker
from hymem.models.rules.slots import Listed
from hymem.models.rules.subjects import Subject, bare_names, names_of
from hymem.models.rules.tokens import Token

_TECHNICAL: Final = small.words(
    "uses depends_on runs_on connects_to requires_version deploys_to tested_by configured_with prefers rejects avoids"
)
"""Predicates under which a bare capitalised noun is taken for a part of a system, or a person."""
_SINGULAR: Final = small.words("is 's does has")


class Effects:
    """What the frames of one verb state of its subject."""

    def __init__(self, maker: Maker, subject: Subject, token: Token, verb: Group, base: str) -> None:
        reading = maker.reading
        self.maker, self.subject, self.verb, self.base = maker, subject, verb, base
        self.speaker = (reading.project or reading.speaker) if subject.kind == "plural" else reading.speaker
        self.bare = bare_names(subject) if _agrees(subject, token, verb) else []
        self.subjects = names_of(subject, reading.speaker, reading.project) + self.bare

    def emit(self, frame: Frame, slots: dict[str, Listed]) -> bool:
        """Write down the effects of a frame that fits; whether there were any."""
        before = len(self.maker.reading.triples)
        main, *others = frame.effects
        predicate, sign = _predicate(main, self.verb, self.subject, self.base)
        self._add(main, predicate, sign, slots)
        for effect in others if self.verb.force != DENIED and not self.verb.attitude else ():
            if not effect.new or self.maker.is_new:
                self._add(effect, effect.predicate, effect.sign, slots)
        return len(self.maker.reading.triples) > before

    def _add(self, effect: Effect, predicate: str, sign: int, slots: dict[str, Listed]) -> None:
        denied = slots[effect.object].denied if effect.object in slots else ()
        for left, _ in self._ends(effect.subject, slots):
            if left in self.bare and not self._is_technical(predicate, slots):
                continue
            for right, phrase in self._ends(effect.object, slots):
                self.maker.add(left, predicate, right, sign, phrase)
            for phrase in denied:
                self.maker.add(left, predicate, phrase.text, -sign)

    @staticmethod
    def _is_technical(predicate: str, slots: dict[str, Listed]) -> bool:
        """Whether a statement is about technology: its predicate, and the first thing that it names."""
        first = next(iter(slots.values()), None)
        return predicate in _TECHNICAL and first is not None and is_technology(first.phrases[0])

    def _ends(self, name: str, slots: dict[str, Listed]) -> Iterator[tuple[str, Phrase | None]]:
        """The surface forms that a slot letter of an effect stands for."""
        if name == "I":
            yield self.speaker, None
        elif name in slots:
            yield from ((phrase.text, phrase) for phrase in slots[name].phrases)
        elif name == "C":
            yield from ((subject.rpartition(" ")[0].removesuffix("'s"), None) for subject in self.subjects)
        else:
            yield from ((subject, None) for subject in self.subjects)


def _agrees(subject: Subject, token: Token, verb: Group) -> bool:
    """Whether a verb has the form that it takes with one thing, or the subject is a list."""
    if len(subject.phrases) > 1 or "s" in token.forms or {token.lower, verb.auxiliary} & _SINGULAR:
        return True
    plural = any(phrase.head.endswith("s") for phrase in subject.phrases)
    return "past" in token.forms and not verb.auxiliary and not plural


def _runs(subject: Subject) -> bool:
    """Whether a subject is a program that may run on something, and neither a person nor a team."""
    if subject.name:
        return False
    return all(
        (phrase.determiner or phrase.text.islower() or phrase.head in nouns.ROLES)
        and phrase.head not in nouns.TEAM_HEADS | nouns.TITLES
        for phrase in subject.phrases
    )


def _predicate(effect: Effect, verb: Group, subject: Subject, base: str) -> tuple[str, int]:
    """The predicate and sign of a main effect under the group's force and attitude."""
    denied = verb.force == DENIED
    if verb.attitude and effect.predicate in ("uses", "deploys_to", "runs_on", "tested_by"):
        if verb.attitude == "prefers" and denied:
            return "rejects", 1
        return verb.attitude, -1 if denied else 1
    if effect.predicate == "prefers" and denied and base in ("like", "love", "enjoy", "be", "adore"):
        return "rejects", 1
    if effect.predicate == "uses" and subject.kind == "wish":
        return ("avoids" if denied else "prefers"), 1
    if effect.fixed:
        return effect.predicate, 1
    used = base == "be" and effect.predicate == "runs_on" and not _runs(subject)
    return "uses" if used else effect.predicate, -effect.sign if denied else effect.sign
