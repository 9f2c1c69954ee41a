"""Whom a verb speaks of where its own clause leaves it open: joined verbs, what "using" hangs on, what "it" means.

"I want to rest and use the time" wishes both; a bare verb that goes on an infinitive or a modal states nothing.
"""

from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause
from hymem.models.rules.moods import FACT
from hymem.models.rules.phrases import Phrase, tidy
from hymem.models.rules.reading import Sentenced
from hymem.models.rules.subjects import UNKNOWN, Subject, main_subject, names_of, subject_of
from hymem.models.rules.tokens import Token

_SHIPPED: Final = small.words("deploy ship release publish test")
"""Verbs whose "it" is the program that was spoken of, and not what it uses."""
_DONE_TO_IT: Final = _SHIPPED | small.words("host run serve configure build write rewrite port")


def verb_subject(sentence: Sentenced, number: int, start: int, inherited: Subject, verb: Token) -> Subject:
    """The subject of a verb group; a bare verb that goes on an infinitive or a modal ("to rest and use…") has none."""
    tokens, clause = sentence.tokens, sentence.parts[number]
    subject = subject_of(tokens, clause, start, inherited, verb)
    if (
        subject is inherited
        and clause.joined
        and number
        and "base" in verb.forms
        and _is_open(tokens, sentence.parts[number - 1])
    ):
        return UNKNOWN
    return subject


def user_of(sentence: Sentenced, number: int, verb: int, inherited: Subject) -> Subject:
    """Who uses what "using" names: the speaker, where the clause is the speaker's and tells of no plan."""
    tokens, clause = sentence.tokens, sentence.parts[number]
    if verb == 0:
        return Subject("singular")
    owner = main_subject(tokens, clause, inherited)
    planned = _is_open(tokens, Clause(clause.start, verb))
    return owner if owner.first and owner.kind != "wish" and not planned and verb > clause.start else UNKNOWN


def meant_by_it(sentence: Sentenced, number: int, topic: Subject, base: str) -> Phrase | None:
    """What "it" stands for as the object of what the speaker does: the subject of the clause before, or the topic.

    To run, host or move something may as well be said of what that clause names last, unless it tells what its subject is.
    """
    if base not in _DONE_TO_IT:
        return None
    before = sentence.parts[number - 1] if number else None
    if before is None:
        subject = topic
    elif before.opener or sentence.moods[number - 1] != FACT or _is_crowded(sentence, number - 1):
        return None
    else:
        subject = main_subject(sentence.tokens, before, UNKNOWN)
        words = {token.lower for token in sentence.tokens[before.start : before.end]}
        if base not in _SHIPPED and not words & {"is", "'s"}:
            return None
    names = names_of(subject, "", "") if subject.kind == "thing" and len(subject.phrases) == 1 else []
    return tidy(subject.phrases[0]) if names else None


def _is_crowded(sentence: Sentenced, number: int) -> bool:
    """Whether a clause before the one at `number` speaks of a thing of its own."""
    return any(main_subject(sentence.tokens, each, UNKNOWN).kind == "thing" for each in sentence.parts[:number])


def _is_open(tokens: list[Token], clause: Clause) -> bool:
    """Whether a clause holds an infinitive, a modal or a helper whose verbs a joined clause may go on with."""
    return any(
        token.lower in small.MODALS | {"let", "help", "helps", "make", "makes"}
        or (token.lower == "to" and place + 1 < clause.end and "base" in tokens[place + 1].forms)
        or (
            token.lower == "to"
            and place > clause.start
            and tokens[place - 1].base in ("try", "want", "need", "plan", "hope")
        )
        for place, token in enumerate(tokens[clause.start : clause.end], clause.start)
    )
