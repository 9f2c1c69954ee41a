"""Explicit signals of how the speaker wants things: preferences, rejections, corrections, matters of style.

Only what is said in so many words counts; a mood is not inferred. An imperative counts where it opens the sentence and
is no word of courtesy ("don't worry").
"""

import re
from typing import Final

from hymem.models.rules.findings import Marker
from hymem.models.rules.moods import FACT
from hymem.models.rules.reading import Sentenced
from hymem.models.rules.sentences import Sentence
from hymem.models.rules.verbs import VERBS
from hymem.models.rules.words import TIME_WORDS, words

_LEAD: Final = r"(?i)^(?:(?:please|pls|and|also|but|so|ok|okay|hey|from now on|in (?:the )?future|going forward)[, ]+)*"
_MANNER: Final = re.compile(
    _LEAD
    + r"(?:always |never |do(?: not|n['’]t) )?(?:(?:answer|reply|respond|write|speak|talk|explain|summari[sz]e|format|phrase|"
    r"include|provide|show|list|cite|give|use|keep|make|address me)\b|be (?:more |less |very )?(?:brief|concise|short|"
    r"terse|direct|blunt|formal|informal|verbose)\b|no (?:emojis?|bullets?|bullet points|preamble|fluff)\b)"
)
_MATTER: Final = re.compile(
    r"(?i)\b(?:answers?|repl(?:y|ies)|respon[ds]\w*|explanations?|summar(?:y|ies)|tone|bullets?|bullet points|emojis?|concise|"
    r"brief|short|terse|blunt|verbose|formal|informal|step[ -]by[ -]step|code (?:blocks?|snippets?|examples?)|address me|"
    r"in (?:english|dutch|german|french|spanish)|markdown|whenever I ask|when I ask|preamble|fluff)\b"
)
_CALLED: Final = re.compile(
    r"(?:^|[,;] |\band )(?:[Pp]lease |[Jj]ust )?(?P<not>(?:[Dd]o(?: not|n['’]t)|[Nn]ever) )?[Cc]all me "
    r"(?P<name>[A-Z]\w+(?:[ -][A-Z]\w+)?)(?:,? (?:please|thanks))?[.!]*$"
)
_ALWAYS: Final = re.compile(_LEAD + r"always (\w+)")
_NEVER: Final = re.compile(_LEAD + r"(?:never|do(?: not|n['’]?t)|stop|quit|avoid)(?: ever)? (\w+)")
_PREFERS: Final = re.compile(
    r"(?i)(?:^|[,;:.–-]\s|\b(?:and|but|so|because|since|as|that)\s)I(?: \w+ly| always| also| still| much| do| would|['’]d)? ?"
    r"(?:prefer(?!red)|rather (?!than|like)|(?<!would )(?<!['’]d )(?:really like|like|love|enjoy))\b"
)
_REJECTS: Final = re.compile(
    r"(?i)\bI(?: \w+ly| also| still)? (?:hate|dislike|detest|despise|loathe|avoid|can['’]?t stand|cannot stand|"
    r"do(?:n['’]?t| not)(?: \w+ly)? (?:like|want(?! to\b| the\b| it\b| that\b)(?: to use\b)?)|"
    r"never (?:use|eat|drink))\b"
)
_CORRECTS: Final = re.compile(
    r"(?i)^(?:(?:no|nope|wait|sorry|actually|hm+|correction)[,:.!-]+\s*)+(?:I (?:meant|said|mean|asked|wanted)|it(?:['’]s| is)|"
    r"that(?:['’]s| is)|not|the|we|my)\b|^(?:that(?:['’]s| is) (?:wrong|not (?:right|correct|true|what I)|incorrect)|"
    r"you(?:['’]re| are) (?:wrong|mistaken)|I (?:meant|did(?:n['’]t| not) (?:say|mean|ask))|correction:)|"
    r"\bI (?:meant|said) .{1,80},? not\b"
)
_POINTS: Final = re.compile(
    r"(?i)\bI(?: \w+)?(?: \w+)? (?:like|love|enjoy|prefer|hate|dislike)(?: \w+ing)? (?:you|your|it|that|this|how|"
    r"the (?:way|idea)|these|those|them|him|her|what|when|not|some|to (?:know|see|ask|discuss|get|understand|have|hear|say))\b"
)
_HEDGED: Final = re.compile(r"(?i)\b(?:if|maybe|perhaps|might|could|whether|(?:he|she|they) said)\b|\?\s*$")
_COURTESIES: Final = words(
    """mind worry know think forget hesitate care say give get be have see need want let remember understand lose quit
    miss go stop leave come look feel wait shout even underestimate by it"""
)
_SHARES: Final = re.compile(
    r"(?i)(?:(?:also|really|still|do|always) )?(?:like|love|enjoy|prefer|hate|dislike|detest|despise|loathe|avoid|"
    r"can['’]?t stand|do(?:n['’]t| not) (?:like|want))\b"
)
_JOINT: Final = re.compile(r"(?i)[\s,;:–—-]*(?:\b(?:and|but|so|yet|then)\b[\s,]*)?$")
_LONGEST: Final = 240
_SHORT: Final = 130


def _statement(text: str) -> str:
    """The words of a marker as they stand in a profile: folded, without politeness and the closing mark."""
    folded = " ".join(text.split())
    bare = re.sub(r"(?i)^(?:please|pls|and|but|so|also)[, ]+", "", folded).rstrip(" .!,;:")
    return re.sub(r"(?i),? (?:please|pls|thanks|thank you)$", "", bare)


def _commands(found: re.Match[str] | None) -> bool:
    """Whether an imperative names a deed: a verb's base or, after "stop", its "-ing"; no courtesy."""
    if found is None:
        return False
    base, forms = VERBS.get(found.group(1).lower(), ("", frozenset[str]()))
    return bool(forms & {"base", "ing"}) and base not in _COURTESIES


def _called(text: str) -> tuple[str, str]:
    """The kind and statement of what the speaker wants to be called, or two empty words."""
    found = _CALLED.search(text)
    if found is None or found["name"].lower() in TIME_WORDS:
        return "", ""
    return ("rejection" if found["not"] else "preference"), f"called {found['name']}"


def _imperative(text: str) -> str:
    """What an imperative that opens the text signals, or nothing."""
    if _MANNER.search(text) and _MATTER.search(text):
        return "style"
    if _commands(_NEVER.search(text)):
        return "rejection"
    return "preference" if _commands(_ALWAYS.search(text)) else ""


def _attitude(text: str) -> str:
    """What the first person says of likes and dislikes, or nothing."""
    if _POINTS.search(text):
        return ""
    if _REJECTS.search(text):
        return "rejection"
    return "preference" if _PREFERS.search(text) else ""


def marker(text: str, opening: bool = True, addressed: bool = False) -> Marker | None:
    """The marker in a stretch of the speaker's own words, if it holds one.

    Imperatives and corrections count only at the `opening` of a sentence, and not where another person is addressed.
    """
    text = text.strip()
    if not 3 < len(text) <= _LONGEST:
        return None
    told = opening and not addressed
    kind, statement = _called(text) if told else ("", "")
    if kind:
        return Marker(kind, statement, text)
    kind = "correction" if told and _CORRECTS.search(text) else ""
    if not kind and not _HEDGED.search(text):
        kind = (_imperative(text) if told else "") or _attitude(text)
    return Marker(kind, _statement(text), text) if kind else None


def _shared(text: str) -> Marker | None:
    """The marker of a clause that takes its "I" from the one before ("… but hate YAML")."""
    found = marker(f"I {text}", opening=False) if _SHARES.match(text) else None
    return Marker(found.kind, found.statement, text) if found else None


def _speaks(clause: str) -> bool:
    """Whether a clause is a signal, or one that points or hedges and so is none."""
    hedged = _HEDGED.search(clause) and re.match(r"I\b", clause)
    return bool(marker(clause) or _shared(clause) or _POINTS.search(clause) or hedged)


def _parts(text: str, apart: Sentenced, end: int) -> list[str]:
    """The sentence cut before every coordinated clause that is a signal like the stretch before it."""
    start, found = apart.tokens[0].start, list[str]()
    for part in apart.parts[1:]:
        first, last = apart.tokens[part.start].start, apart.tokens[part.end - 1].end
        before, clause = _JOINT.sub("", text[start:first]), text[first:last]
        signals = marker(before) or _shared(before) or _POINTS.search(before)
        if not part.opener and part.joined != "or" and signals and _speaks(clause):
            found.append(before)
            start = first
    return [*found, text[start:end]]


def _short_markers(text: str, apart: Sentenced, end: int, addressed: bool) -> list[Marker | None]:
    first, *others = _parts(text, apart, end)
    return [marker(first, True, addressed), *(marker(part, True, addressed) or _shared(part) for part in others)]


def sentence_markers(text: str, apart: Sentenced, sentence: Sentence, addressed: bool) -> list[Marker]:
    """The markers of a sentence: of its coordinated parts where it is short and asks nothing, else of each clause."""
    if not sentence.asks and sentence.end - sentence.start <= _SHORT:
        found = _short_markers(text, apart, sentence.end, addressed)
    else:
        stating = [part for part, mood in zip(apart.parts, apart.moods, strict=True) if mood == FACT]
        found = [
            marker(text[apart.tokens[part.start].start : apart.tokens[part.end - 1].end], False, addressed)
            for part in stating
        ]
    return [each for each in found if each is not None]
