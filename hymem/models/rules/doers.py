"""Whom a verb speaks of where its own clause leaves it open: joined verbs, and what "using" hangs on.

"I want to rest and use the time" wishes both; a bare verb that goes on an infinitive or a modal states nothing.
"""

from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause
from hymem.models.rules.reading import Sentenced
from hymem.models.rules.subjects import UNKNOWN, Subject, main_subject, subject_of
from hymem.models.rules.tokens import Token


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
