"""Does a clause state anything? Questions, conditions, guesses, plans, requests and reports do not.

A mood spreads: what depends on "if", "I think" or "he said" is as unreal as they are, to the end of the sentence or to
a clause in which the speaker takes up the word again.
"""

from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause, skip_adverbs
from hymem.models.rules.tokens import Token
from hymem.models.rules.verbs import NOUN_VERBS

FACT: Final = "fact"
_CONDITIONAL: Final = small.words("if unless whether")
_GENERIC: Final = small.words("when whenever where how why what once until till")
_RELATIVE: Final = small.words("which who that whose")
_GUESSES: Final = small.words(
    """think guess believe suppose assume hope wish wonder doubt imagine bet hear read feel suspect expect dream
    reckon figure consider"""
)
_REPORTS: Final = small.words(
    """say tell claim mention suggest recommend report argue think believe insist warn write state promise advise
    assume hope want explain ask propose describe read show announce reckon wonder feel know"""
)
_SUPPOSE: Final = small.words(
    "suppose supposing imagine assuming hypothetically theoretically according allegedly rumor rumour"
)
_UNSURE: Final = small.words("wondering curious unsure considering debating tempted contemplating undecided")
_PHRASES: Final = (
    ("let", "'s", "say"), ("for", "example"), ("for", "instance"), ("in", "theory"), ("e.g",), ("would", "be"), ("was", "told"), ("as", "if"), ("as", "though"), ("no", "idea"), ("in", "case"), ("at", "some", "point"),
    ("one", "day"), ("'d", "be"), ("so", "that"),
)  # fmt: skip
_OPEN: Final = (
    ("not", "sure"), ("n't", "sure"), ("looking", "for"), ("thinking", "about"), ("thinking", "of"), ("feel", "like"),
    ("n't", "know"), ("not", "know"),
)  # fmt: skip
_ASKED: Final = small.words("i we you he she it they u")
_AGREEING: Final = small.words("so nor neither that as than all what")
_BEFORE_ASKING: Final = frozenset({""}) | small.words("and or but how what why where when which who")
_INVERTED: Final = small.words("can could should would will do does did is are may shall")
_FUTURE: Final = small.words("tomorrow soon")
_NEXT: Final = small.words("week month year quarter sprint time weekend spring summer autumn fall winter release")
ATTITUDES: Final = small.words(
    """use avoid stop prefer quit never always drop ditch forget remember stick keep stay steer"""
)
"""Imperatives that tell how the speaker wants things for good, and not what to do next."""


def _lowers(tokens: list[Token], clause: Clause) -> list[str]:
    return [token.lower for token in tokens[clause.start : clause.end]]


def _holds(lowers: list[str], phrase: tuple[str, ...]) -> bool:
    return any(tuple(lowers[place : place + len(phrase)]) == phrase for place in range(len(lowers) - len(phrase) + 1))


def _is_question(tokens: list[Token], clause: Clause) -> bool:
    """Whether the clause has the word order of a question."""
    place = skip_adverbs(tokens, clause.start, clause.end)
    if clause.opener in ("what", "how", "why", "who", "where", "when"):
        following = tokens[place].lower if place < clause.end else ""
        return following in small.QUESTION_AUX or following in small.BE
    if place + 1 >= clause.end:
        return False
    if _inverts(_lowers(tokens, clause)):
        return True
    first, second = tokens[place].lower, tokens[place + 1].lower
    if first in small.WH or first in ("whats", "any", "anyone", "anybody"):
        return True
    return first in small.QUESTION_AUX and first not in ("have", "had", "must") and second not in ("n't", "not", "been")


def _inverts(lowers: list[str]) -> bool:
    """Whether an auxiliary stands before its pronoun ("can i", "is it"), and no other subject before that."""
    return any(
        first in _INVERTED
        and second in _ASKED
        and (before in _BEFORE_ASKING or (first in small.MODALS and before not in _ASKED | _AGREEING))
        for before, first, second in zip(["", *lowers], lowers, lowers[1:], strict=False)
    )


def _speaker_verb(tokens: list[Token], clause: Clause, bases: frozenset[str], first_person: bool) -> bool:
    """Whether the clause's own main verb is one of `bases`, with the speaker, or someone else, as its subject."""
    speaks = False
    for place in range(clause.start, min(clause.end, clause.start + 12)):
        token = tokens[place]
        if token.lower in small.FIRST:
            speaks = True
        elif token.base in bases and token.base and place > clause.start and _is_main(tokens, place, clause):
            return speaks is first_person
        elif token.base and token.lower not in small.AUXILIARIES and token.forms & {"s", "past", "base"} and speaks:
            return False
        elif (
            token.forms
            and token.forms <= {"s", "past", "part"}
            and token.base not in NOUN_VERBS
            and place > clause.start
        ):
            return False
    return False


def _is_main(tokens: list[Token], place: int, clause: Clause) -> bool:
    """Whether a verb is the clause's own, and neither a noun, a gerund nor the passive of another verb."""
    token, before = tokens[place], tokens[place - 1].lower
    if "ing" in token.forms or before in small.DETERMINERS | {"to"}:
        return (
            token.lower in ("thinking", "hoping", "wondering", "guessing", "feeling")
            and before in small.BE | small.ADVERBS
        )
    if "part" in token.forms and any(item.lower in small.BE for item in tokens[clause.start : place]):
        return token.base in ("say", "tell", "advise")
    return True


def _is_request(tokens: list[Token], clause: Clause) -> bool:
    """Whether the clause is an imperative that asks for a deed."""
    if "following" in _lowers(tokens, clause):
        return True
    place = clause.start
    while place < clause.end and (tokens[place].lower in small.ADVERBS or tokens[place].lower == "and"):
        place += 1
    if place >= clause.end or clause.opener or tokens[place].kind != "word":
        return False
    token = tokens[place]
    return (
        "base" in token.forms
        and token.base not in ATTITUDES
        and token.lower not in ("love", "like", "hate", "need", "let")
        and not (place + 1 < clause.end and tokens[place + 1].lower in small.AUXILIARIES | {"to", "on"})
        and not any(item.lower in small.FIRST for item in tokens[clause.start : place])
    )


def _own_mood(tokens: list[Token], clause: Clause) -> tuple[str, bool]:
    """The mood of a clause by itself, and whether it spreads to what follows."""
    lowers = _lowers(tokens, clause)
    if clause.opener in _CONDITIONAL or "if" in lowers[:3]:
        return "conditional", True
    if _is_question(tokens, clause):
        return "question", True
    if any(word in _SUPPOSE for word in lowers) or any(_holds(lowers, phrase) for phrase in _PHRASES):
        return "supposed", True
    if any(word in _UNSURE for word in lowers) or any(_holds(lowers, phrase) for phrase in _OPEN):
        return "unsure", True
    if clause.opener in _GENERIC:
        return "generic", False
    if _speaker_verb(tokens, clause, _GUESSES, first_person=True):
        return "guessed", True
    if _speaker_verb(tokens, clause, _REPORTS, first_person=False):
        return "reported", True
    if any(word in small.HEDGES for word in lowers):
        return "guessed", False
    if any(word in _FUTURE for word in lowers) or any(
        word == "next" and following in _NEXT for word, following in zip(lowers, lowers[1:], strict=False)
    ):
        return "planned", False
    if _is_request(tokens, clause):
        return "requested", True
    return FACT, False


def _takes_up(tokens: list[Token], clause: Clause) -> bool:
    """Whether the speaker takes up the word again: a coordinated clause with "I" or "we" of its own."""
    place = skip_adverbs(tokens, clause.start, clause.end)
    return (
        clause.joined in ("and", "but", "so", "yet", ",") and place < clause.end and tokens[place].lower in small.FIRST
    )


def moods(tokens: list[Token], parts: list[Clause], asks: bool) -> list[str]:
    """The mood of each clause."""
    found: list[str] = []
    spreading = ""
    for clause in parts:
        own, spreads = _own_mood(tokens, clause)
        if (
            spreading
            and spreading not in ("reported", "conditional", "supposed")
            and own == FACT
            and _takes_up(tokens, clause)
        ):
            spreading = ""
        led = tokens[clause.start - 1].lower if clause.start else ""
        if spreading == "requested" and not clause.opener and clause.joined == "" and led != ":":
            spreading = ""
        if own == "conditional" and found and not clause.joined and clause.opener:
            found[-1] = "conditional" if found[-1] == FACT else found[-1]
        if own == FACT and clause.opener in _RELATIVE and found and found[-1] != FACT:
            own = found[-1]
        found.append(spreading if spreading and own == FACT else own)
        spreading = own if spreads else spreading
    asks = asks or (bool(tokens) and next((t.lower for t in reversed(tokens) if t.is_word), "") in small.WH)
    if asks and "question" not in found:
        return ["question"] * len(found)
    return found
