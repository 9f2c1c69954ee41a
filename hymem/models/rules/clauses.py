"""A sentence comes apart into clauses: stretches with one verb and one mood.

Boundaries are punctuation, subordinators, and those commas and conjunctions after which a new clause begins. What
follows a subordinator keeps it as its opener, for it decides whether the clause states anything.
"""

from dataclasses import dataclass
from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.phrases import noun_phrase
from hymem.models.rules.spelling import is_adverb
from hymem.models.rules.tokens import Token

_HARD: Final = small.words("; : ( ) — – | [ ] . - -- --- { } = ~")
_SOFT: Final = small.words(", and or but so & plus yet then nor")
_SUBJECTS: Final = small.words(
    "i we you he she it they u this that there everyone everybody someone somebody nobody who"
)
_TEMPORAL: Final = small.words("since until till once")
_DRESSING: Final = small.words("a an the my our your his her their this that these those it them me us him myself")


@dataclass(frozen=True, slots=True)
class Clause:
    """Tokens `start` to `end`; `opener` is its subordinator, `joined` the conjunction that ties it to the one before."""

    start: int
    end: int
    opener: str = ""
    joined: str = ""


def skip_adverbs(tokens: list[Token], place: int, end: int) -> int:
    """The first place at or after `place` that holds no adverb."""
    while place < end and is_adverb(tokens[place]):
        place += 1
    return place


def is_finite(token: Token) -> bool:
    """Whether a token may be the finite verb after a subject."""
    return token.lower in small.AUXILIARIES or token.lower in small.GET or bool(token.forms & {"s", "past", "part"})


def begins_verb(tokens: list[Token], place: int, end: int) -> bool:
    """Whether a verb, and no noun, stands at `place`."""
    token = tokens[place]
    if token.lower in small.AUXILIARIES:
        return True
    if token.text[0].isupper() and not token.initial:
        return False
    if ("past" in token.forms and "base" not in token.forms) or (not token.base and token.lower.endswith("ed")):
        return True
    if not token.base:
        return False
    following = tokens[place + 1].lower if place + 1 < end else ""
    if following in _DRESSING or following in ("to", "on", "with", "off", "away", "against", "from", "up"):
        return True
    return noun_phrase(tokens, place, min(end, place + 2)) is None


def begins_clause(tokens: list[Token], place: int, end: int) -> bool:
    """Whether a clause of its own starts at `place`: a subject with its verb, or a verb that shares the subject."""
    place = skip_adverbs(tokens, place, end)
    if place >= end:
        return False
    token = tokens[place]
    if token.lower in small.WH or token.lower in ("let", "if", "because", "although", "while"):
        return True
    after = skip_adverbs(tokens, place + 1, end)
    if token.lower in _SUBJECTS and after < end and (is_finite(tokens[after]) or tokens[after].base):
        return True
    if begins_verb(tokens, place, end):
        return True
    phrase = noun_phrase(tokens, place, min(end, place + 8))
    if phrase is None:
        return False
    verb = skip_adverbs(tokens, phrase.end, end)
    return verb < end and is_finite(tokens[verb])


def _is_temporal(tokens: list[Token], place: int) -> bool:
    """Whether "since", "until" or "once" dates a statement here and opens no clause."""
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    return following is None or not begins_clause(tokens, place + 1, len(tokens))


def _opens(tokens: list[Token], place: int) -> bool:
    """Whether the subordinator at `place` opens a clause."""
    lower = tokens[place].lower
    following = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    if lower == "but":
        return following not in ("also", "not") and begins_clause(tokens, place + 1, len(tokens))
    if lower == "so":
        return begins_clause(tokens, place + 1, len(tokens))
    if lower == "that":
        return place > 0 and begins_clause(tokens, place + 1, len(tokens))
    if lower in _TEMPORAL:
        return not _is_temporal(tokens, place)
    return True


def _cut(tokens: list[Token], place: int) -> tuple[int, str, str] | None:
    """A boundary at `place`: where the next clause starts, its opener and its conjunction; None where there is none."""
    token = tokens[place]
    if token.lower in _HARD:
        return place + 1, "", ""
    if token.lower in small.SUBORDINATORS and token.lower not in ("but", "so"):
        return (place + 1, token.lower, "") if _opens(tokens, place) else None
    if token.lower not in _SOFT:
        return None
    start = place + 1
    joined = token.lower
    while start < len(tokens) and tokens[start].lower in _SOFT and start - place < 3:
        joined = tokens[start].lower
        start += 1
    if start < len(tokens) and tokens[start].lower in small.SUBORDINATORS and _opens(tokens, start):
        return start + 1, tokens[start].lower, joined
    if start < len(tokens) and (tokens[start].lower == "not" or (joined == "but" and tokens[start].lower == "also")):
        return None
    anew = [each.lower for each in tokens[start : start + 2]] == ["no", "more"]
    return (start, "", joined) if anew or begins_clause(tokens, start, len(tokens)) else None


def _introduces(tokens: list[Token], clause: Clause) -> bool:
    """Whether a first clause is only an adverb or a preposition's phrase ("From now on, …")."""
    return clause.start == 0 and not any(is_finite(token) or "base" in token.forms for token in tokens[: clause.end])


def clauses(tokens: list[Token]) -> list[Clause]:
    """The clauses of a sentence, in order; what only introduces the second does not tie it to the first."""
    found = _split(tokens)
    if len(found) > 1 and found[1].joined == "," and not found[1].opener and _introduces(tokens, found[0]):
        found[1] = Clause(found[1].start, found[1].end)
    return found


def _split(tokens: list[Token]) -> list[Clause]:
    """The clauses of a sentence, in order; empty ones are left out."""
    found: list[Clause] = []
    start, opener, joined, place = 0, "", "", 0
    while place < len(tokens):
        cut = _cut(tokens, place)
        if cut is None:
            place += 1
            continue
        if place > start or opener:
            found.append(Clause(start, place, opener, joined))
            opener, joined = "", ""
        start, new_opener, new_joined = cut
        opener, joined = new_opener or opener, new_joined or joined
        place = max(start, place + 1)
    if start < len(tokens):
        found.append(Clause(start, len(tokens), opener, joined))
    return found
