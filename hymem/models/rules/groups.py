"""The verb with what stands before it: negation, modality, and verbs that lead into it ("stopped using").

Reading leftwards from a verb to its subject tells whether the statement is made, denied, wished, or coloured by an
attitude.
"""

from dataclasses import dataclass
from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.tokens import Token

STATED, DENIED, UNREAL = "stated", "denied", "unreal"

_STANCES: Final = {
    **dict.fromkeys(["decide", "choose", "opt", "start", "begin", "continue", "keep", "end", "resort", "manage", "happen", "tend", "elect", "finish", "switch"], STATED),
    **dict.fromkeys(["stop", "quit", "cease"], DENIED),
    **dict.fromkeys(["prefer", "like", "love", "enjoy", "adore"], "prefers"),
    **dict.fromkeys(["hate", "dislike", "detest", "despise", "refuse", "loathe"], "rejects"),
    "avoid": "avoids",
    **dict.fromkeys(
        ["want", "try", "plan", "need", "hope", "intend", "consider", "think", "look", "wish", "learn", "aim", "attempt", "recommend", "suggest", "expect", "seem", "appear", "promise", "offer", "agree", "mean", "struggle", "prepare", "wait", "require", "ask", "tell", "allow", "help", "work", "discuss", "explore", "evaluate", "go", "propose", "test", "practice", "investigate", "imagine", "remember", "forget", "figure", "fail", "be"],
        UNREAL,
    ),
}  # fmt: skip
_ABLE: Final = small.words("use run deploy stand tolerate work start function boot")
_KEPT: Final = small.words("use run rely depend deploy support work")
_LINKS: Final = (
    small.AUXILIARIES | small.GET | small.ADVERBS | small.words("to only going about supposed able let up ahead and")
)
_UNREAL: Final = (
    small.words(
        "will 'll would 'd might may could should shall must ought gonna wanna tryna needa lemme about supposed able going"
    )
    | small.HEDGES
)


@dataclass(frozen=True, slots=True)
class Group:
    """A verb group: where it starts, what it does to the statement, and its voice."""

    start: int
    force: str
    attitude: str = ""
    passive: bool = False
    bare: bool = False
    past: bool = False
    rather: bool = False
    start_word: str = ""


def _is_link(tokens: list[Token], place: int) -> bool:
    """Whether the token at `place` leads into the verb after it."""
    token, following = tokens[place], tokens[place + 1]
    if token.lower == "and":
        return False
    if token.lower in _LINKS:
        return True
    if token.base not in _STANCES or not token.forms:
        return False
    return following.lower in ("to", "up", "on", "not") or "ing" in following.forms


def _denials(lowers: list[str]) -> int:
    """How often the group negates: "not", "n't", "never", "no longer"; "not only" does not."""
    count = 0
    for place, word in enumerate(lowers):
        following = lowers[place + 1] if place + 1 < len(lowers) else ""
        if word in small.NEGATIONS and following not in ("only", "just", "merely"):
            count += 1
    return count + _holds_pair(lowers, "no", "longer")


def _holds_pair(lowers: list[str], first: str, second: str) -> int:
    return sum(1 for pair in zip(lowers, lowers[1:], strict=False) if pair == (first, second))


def _force(lowers: list[str], chain: list[Token], verb: Token) -> tuple[str, str]:
    """What the group does to the statement, and the attitude it adds."""
    denied = _denials(lowers) % 2 == 1
    stances = [_STANCES[token.base] for token in chain if token.base in _STANCES]
    if "let" in lowers:
        return (STATED, "rejects") if denied else (UNREAL, "")
    if ("'d" in lowers or "would" in lowers) and "rather" in lowers:
        return STATED, "rejects" if denied else "prefers"
    if any(token.base in ("forget", "fail") for token in chain):
        return (STATED, "") if denied else (UNREAL, "")
    if any(token.base == "remember" for token in chain) and len(chain) == 1:
        return STATED, ""
    if "'d" in lowers and "prefer" in lowers and "to" in lowers:
        return STATED, "prefers"
    if (denied and lowers[0] in ("will", "would")) or (denied and {"will", "would"} & set(lowers)):
        return STATED, "rejects"
    if denied and {"can", "did", "could"} & set(lowers):
        return (DENIED, "") if "can" in lowers and verb.base in _ABLE else (UNREAL, "")
    if "ing" in verb.forms and small.BE_PAST & set(lowers):
        return UNREAL, ""
    if any(word in _UNREAL for word in lowers) or "can" in lowers:
        return UNREAL, ""
    if "used" in lowers and "to" in lowers and "base" in verb.forms:
        return (UNREAL if denied else DENIED), ""
    if UNREAL in stances:
        return UNREAL, ""
    attitude = next((stance for stance in stances if stance in ("prefers", "rejects", "avoids")), "")
    denied ^= DENIED in stances
    if "to" in lowers and not stances and verb.base not in _KEPT:
        return UNREAL, ""
    if "to" in lowers and not stances and not {"have", "had", "has", "'ve"} & set(lowers):
        return UNREAL, ""
    return (DENIED if denied else STATED), attitude


def group(tokens: list[Token], verb: int, floor: int) -> Group:
    """The group that ends in the verb at `verb`, not reaching before `floor`."""
    start = verb
    while start > floor and _is_link(tokens, start - 1):
        start -= 1
    while start < verb and tokens[start].lower == "no":
        start += 1
    if start > floor + 0 and tokens[start - 1].lower == "no" and tokens[start].lower == "longer":
        start -= 1
    part = tokens[start:verb]
    lowers = [token.lower for token in part]
    chain = [token for token in part if token.base in _STANCES and token.lower not in small.AUXILIARIES]
    force, attitude = _force(lowers or [""], chain, tokens[verb])
    auxiliary = next((word for word in reversed(lowers) if word in small.BE | small.GET | small.HAVE), "")
    participle = bool(tokens[verb].forms & {"part"}) and "ing" not in tokens[verb].forms
    passive = participle and (auxiliary in small.BE or auxiliary in small.GET)
    progressive_passive = passive and auxiliary == "'s"
    if progressive_passive and "been" not in lowers and tokens[verb].base in ("use", "switch", "move"):
        passive = False
    return Group(
        start,
        force,
        attitude,
        passive,
        bare="base" in tokens[verb].forms,
        past="past" in tokens[verb].forms
        and auxiliary == ""
        and "base" not in tokens[verb].forms
        and "to" not in lowers,
        rather="rather" in lowers,
        start_word=next((word for word in lowers if word not in small.ADVERBS), ""),
    )
