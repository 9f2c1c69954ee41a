"""Does a clause state anything? Questions, conditions, guesses, plans, requests and reports do not.

A mood spreads: what depends on "if", "I think" or "he said" is as unreal as they are, to the end of the sentence or to
a clause in which the speaker takes up the word again.
"""

from itertools import pairwise
from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause, skip_adverbs
from hymem.models.rules.technologies import TECHNOLOGIES
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
_WRITING: Final = small.words("write read show state describe")
"""Verbs that report only where nothing but the report follows."""
_SUPPOSE: Final = small.words(
    "suppose supposing imagine assuming hypothetically theoretically according allegedly rumor rumour"
)
_UNSURE: Final = small.words("wondering curious unsure considering debating tempted contemplating undecided")
_PHRASES: Final = (
    ("let", "'s", "say"), ("for", "example"), ("for", "instance"), ("in", "theory"), ("e.g",), ("would", "be"),
    ("was", "told"), ("as", "if"), ("as", "though"), ("no", "idea"), ("in", "case"), ("at", "some", "point"),
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
_TELLING: Final = small.words("use need depend rely require talk connect")
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
        elif place > clause.start and _ends_search(token, speaks):
            return False
    return False


def _ends_search(token: Token, speaks: bool) -> bool:
    """Whether a token is the main verb, so that no other one needs to be looked for."""
    if token.lower in small.AUXILIARIES:
        return False
    if speaks:
        return bool(token.forms & {"s", "past", "base"})
    return bool(token.forms) and token.forms <= {"s", "past", "part"} and token.base not in NOUN_VERBS


def _is_main(tokens: list[Token], place: int, clause: Clause) -> bool:
    """Whether a verb is the clause's own, and neither a noun, a gerund nor the passive of another verb."""
    token, before = tokens[place], tokens[place - 1].lower
    if token.base in _WRITING and place + 1 < clause.end:
        return False
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
    if token.initial and token.base in NOUN_VERBS and _is_told_of(tokens, place + 1, clause.end):
        return False
    return (
        "base" in token.forms
        and token.base not in ATTITUDES
        and token.lower not in ("love", "like", "hate", "need", "let")
        and not (place + 1 < clause.end and tokens[place + 1].lower in small.AUXILIARIES | {"to", "on"})
        and not any(item.lower in small.FIRST for item in tokens[clause.start : place])
    )


def _is_told_of(tokens: list[Token], place: int, end: int) -> bool:
    """Whether a verb tells of the word before it ("Search needs Solr"): in the third person, with a name after it."""
    while place < end and (tokens[place].lower in small.ADVERBS or tokens[place].lower == "no"):
        place += 1
    if place + 1 >= end or tokens[place].base not in _TELLING or "s" not in tokens[place].forms:
        return False
    following = tokens[place + 1]
    return following.lower in ("on", "to") or following.text[0].isupper() or following.lower in TECHNOLOGIES


def _is_planned(lowers: list[str]) -> bool:
    return any(word in _FUTURE for word in lowers) or any(
        word == "next" and following in _NEXT for word, following in pairwise(lowers)
    )


def _own_mood(tokens: list[Token], clause: Clause) -> tuple[str, bool]:
    """The mood of a clause by itself, and whether it spreads to what follows."""
    lowers = _lowers(tokens, clause)
    tests = (
        ("conditional", True, lambda: clause.opener in _CONDITIONAL or "if" in lowers[:3]),
        ("question", True, lambda: _is_question(tokens, clause)),
        ("supposed", True, lambda: not _SUPPOSE.isdisjoint(lowers) or any(_holds(lowers, each) for each in _PHRASES)),
        ("unsure", True, lambda: not _UNSURE.isdisjoint(lowers) or any(_holds(lowers, each) for each in _OPEN)),
        ("generic", False, lambda: clause.opener in _GENERIC),
        ("guessed", True, lambda: _speaker_verb(tokens, clause, _GUESSES, first_person=True)),
        ("reported", True, lambda: _speaker_verb(tokens, clause, _REPORTS, first_person=False)),
        ("guessed", False, lambda: not small.HEDGES.isdisjoint(lowers)),
        ("planned", False, lambda: _is_planned(lowers)),
        ("requested", True, lambda: _is_request(tokens, clause)),
    )
    return next(((mood, spreads) for mood, spreads, holds in tests if holds()), (FACT, False))


def _takes_up(tokens: list[Token], clause: Clause) -> bool:
    """Whether the speaker takes up the word again: a coordinated clause with "I" or "we" of its own."""
    place = skip_adverbs(tokens, clause.start, clause.end)
    coordinated = clause.joined in ("and", "but", "so", "yet", ",")
    return coordinated and place < clause.end and tokens[place].lower in small.FIRST


def _goes_on(spreading: str, own: str, tokens: list[Token], clause: Clause) -> str:
    """The mood that still spreads when this clause begins."""
    led = tokens[clause.start - 1].lower if clause.start else ""
    if spreading == "requested" and not clause.opener and not clause.joined and led != ":":
        return ""
    lasting = spreading in ("reported", "conditional", "supposed")
    return "" if not lasting and own == FACT and _takes_up(tokens, clause) else spreading


def _asks(tokens: list[Token]) -> bool:
    """Whether the last word asks ("then i upgrade how")."""
    return next((token.lower for token in reversed(tokens) if token.is_word), "") in small.WH


def moods(tokens: list[Token], parts: list[Clause], asks: bool) -> list[str]:
    """The mood of each clause."""
    found: list[str] = []
    spreading = ""
    for clause in parts:
        own, spreads = _own_mood(tokens, clause)
        spreading = _goes_on(spreading, own, tokens, clause)
        if own == "conditional" and found and clause.opener and not clause.joined and found[-1] == FACT:
            found[-1] = own
        if own == FACT and clause.opener in _RELATIVE and found:
            own = found[-1]
        found.append(spreading if spreading and own == FACT else own)
        spreading = own if spreads else spreading
    if (asks or _asks(tokens)) and "question" not in found:
        return ["question"] * len(found)
    return found
