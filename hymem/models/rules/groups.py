"""The verb with what stands before it: negation, modality, and verbs that lead into it ("stopped using").

Reading leftwards from a verb to its subject tells whether the statement is made, denied or unreal, and which attitude
colours it.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.spelling import is_adverb
from hymem.models.rules.tokens import Token

STATED, DENIED, UNREAL = "stated", "denied", "unreal"

_LEADING: Final = {
    STATED: """decide choose opt start begin continue keep end resort manage happen tend elect finish switch""",
    DENIED: """stop quit cease""",
    "prefers": """prefer like love enjoy adore""",
    "rejects": """hate dislike detest despise refuse loathe""",
    "avoids": """avoid""",
    UNREAL: """want try plan need hope intend consider think look wish learn aim attempt recommend suggest expect seem
        appear promise offer agree mean struggle prepare wait require ask tell allow help work discuss explore evaluate
        go propose test practice investigate imagine remember forget figure fail""",
}
_STANCES: Final = {verb: stance for stance, verbs in _LEADING.items() for verb in verbs.split()}
"""What a verb does to the one it leads into."""
_ATTITUDES: Final = ("prefers", "rejects", "avoids")
_LINKS: Final = (
    small.AUXILIARIES | small.GET | small.ADVERBS | small.words("to only going about supposed able let up ahead")
)
_MODAL: Final = small.HEDGES | small.words(
    "will 'll would 'd might may could can should shall must ought gonna wanna tryna needa lemme about supposed able going"
)
_ABLE: Final = small.words("use run deploy stand tolerate work start function boot")
"""Verbs whose "cannot" is as good as a "does not"."""
_KEPT: Final = small.words("use run rely depend deploy support work")
"""Verbs whose "have to" tells what is done already."""


@dataclass(frozen=True, slots=True)
class Group:
    """A verb group: where it starts, what it does to the statement, and its voice."""

    start: int
    force: str
    attitude: str = ""
    passive: bool = False
    past: bool = False
    rather: bool = False
    auxiliary: str = ""


@dataclass(frozen=True, slots=True)
class _Lead:
    """What stands before the verb of a group: words, the stances of leading verbs, and whether it denies."""

    words: tuple[str, ...]
    stances: tuple[str, ...]
    bases: frozenset[str]
    denied: bool

    def has(self, *words: str) -> bool:
        """Whether one of these words is there."""
        return any(word in self.words for word in words)


def _is_link(token: Token, following: Token) -> bool:
    """Whether a token leads into the verb after it."""
    if token.lower in _LINKS or is_adverb(token):
        return True
    if token.base not in _STANCES:
        return False
    return following.lower in ("to", "up", "on", "not") or "ing" in following.forms


def _denies(lowers: list[str]) -> bool:
    """Whether the words deny: an odd count of "not", "n't", "never", "no longer"; "not only" does not."""
    pairs = list(pairwise([*lowers, ""]))
    plain = sum(word in small.NEGATIONS and after not in ("only", "just", "merely") for word, after in pairs)
    return (plain + pairs.count(("no", "longer"))) % 2 == 1


def _lead(part: list[Token]) -> _Lead:
    lowers = [token.lower for token in part]
    chain = [token.base for token in part if token.base in _STANCES and token.lower not in small.AUXILIARIES]
    return _Lead(tuple(lowers), tuple(_STANCES[base] for base in chain), frozenset(chain), _denies(lowers))


def _special(lead: _Lead, verb: Token) -> tuple[str, str] | None:
    """Idioms that decide at once: "let's not", "I'd rather", "don't forget to", "won't", "can't", "used to"."""
    if lead.has("let"):
        return (STATED, "rejects") if lead.denied else (UNREAL, "")
    if lead.has("'d", "would") and (lead.has("rather") or (lead.has("prefer") and lead.has("to"))):
        return STATED, "rejects" if lead.denied else "prefers"
    if lead.has("'d", "would") and verb.base == "prefer" and not lead.denied:
        return STATED, ""
    if lead.bases & {"forget", "fail"}:
        return (STATED, "uses") if lead.denied else (UNREAL, "")
    if lead.bases == frozenset({"remember"}):
        return STATED, "uses"
    if lead.denied and lead.has("will", "would"):
        return STATED, "rejects"
    if lead.denied and lead.has("can", "did", "could"):
        return (DENIED if lead.has("can") and verb.base in _ABLE else UNREAL), ""
    if lead.has("used") and lead.has("to") and "base" in verb.forms:
        return (UNREAL if lead.denied else DENIED), ""
    return None


def _is_unreal(lead: _Lead, verb: Token) -> bool:
    """Whether the group speaks of what may be, was going on once, or is still to be done."""
    if not _MODAL.isdisjoint(lead.words) or UNREAL in lead.stances:
        return True
    if "ing" in verb.forms and lead.has(*small.BE_PAST):
        return True
    obliged = lead.has("have", "had", "has", "'ve") and verb.base in _KEPT
    return lead.has("to") and not lead.stances and not obliged


def _force(lead: _Lead, verb: Token) -> tuple[str, str]:
    """What the group does to the statement, and the attitude it adds."""
    special = _special(lead, verb)
    if special is not None:
        return special
    if _is_unreal(lead, verb):
        return UNREAL, ""
    denied = lead.denied ^ (DENIED in lead.stances)
    attitude = next((stance for stance in lead.stances if stance in _ATTITUDES), "")
    return DENIED if denied else STATED, attitude


def _start(tokens: list[Token], verb: int, floor: int) -> int:
    start = verb
    while start > floor and _is_link(tokens[start - 1], tokens[start]):
        start -= 1
    longer = start > floor and tokens[start - 1].lower == "no" and tokens[start].lower == "longer"
    return start - 1 if longer else start


def group(tokens: list[Token], verb: int, floor: int) -> Group:
    """The group that ends in the verb at `verb`, not reaching before `floor`."""
    start = _start(tokens, verb, floor)
    lead = _lead(tokens[start:verb])
    force, attitude = _force(lead, tokens[verb])
    forms = tokens[verb].forms
    auxiliary = next((word for word in reversed(lead.words) if word in small.BE | small.GET | small.HAVE), "")
    return Group(
        start,
        force,
        attitude,
        passive="part" in forms and auxiliary in small.BE | small.GET,
        past="past" in forms and not auxiliary and "base" not in forms and not lead.has("to"),
        rather=lead.has("rather"),
        auxiliary=next((word for word in lead.words if word not in small.ADVERBS), ""),
    )
