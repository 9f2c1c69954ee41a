"""Explicit signals of how the speaker wants things: preferences, rejections, corrections, matters of style.

Only what is said in so many words counts; a mood is not inferred.
"""

import re
from typing import Final

from hymem.models.rules.findings import Marker

_STYLE: Final = re.compile(
    r"(?i)^(?:please |pls |always |never |and |can you please |from now on,? |in (?:the )?future,? |do not |don['’]t )*"
    r"(?:answer|reply|respond|write (?:your|the) (?:answers?|repl\w+)|speak|talk|explain|summari[sz]e|format|keep (?:it|your|the|all)? ?"
    r"(?:answers?|repl\w+|responses?|explanations?|messages?|it)|be (?:more |less |very )?(?:brief|concise|short|terse|direct|blunt|formal|informal|verbose)"
    r"|use (?:[\w-]+ ){0,3}(?:tone|language|english|dutch|german|french|spanish|bullets?|bullet points|emojis?|headings|markdown)|call me|address me|include|mention|provide|show|list|cite|give)\b"
)
_STYLED: Final = re.compile(
    r"(?i)\b(?:answers?|repl(?:y|ies)|respon[ds]\w*|explanations?|tone|bullets?|bullet points|emojis?|concise|brief|short|terse|verbose|"
    r"formal|informal|step[ -]by[ -]step|code (?:blocks?|snippets?|examples)|comments|call me|address me|in (?:english|dutch|german|french|spanish)|markdown|"
    r"when(?:ever)? I ask|tables?)\b"
)
_ALWAYS: Final = re.compile(r"(?i)^(?:please |pls |from now on,? )*(?:always|from now on)\b")
_PREFERENCE: Final = re.compile(
    r"(?i)(?:^|[,;:.]\s|\b(?:and|but|so|because|since|as|that)\s)I(?:['’]d| would|['’]ve| have)?(?: \w+ly| always| also| still| much)? ?(?:prefer(?!red)|rather (?!than)|really like|like|love|favou?r|enjoy)\b(?! to (?:know|see|ask|discuss|get|understand|have|hear))"
)
_REJECTION: Final = re.compile(
    r"(?i)^(?:please |pls |and |from now on,? )*(?:never|don['’]t|do not|dont|stop|quit|avoid|no more)\s+(?:ever )?[a-z]|"
    r"\bI(?: \w+ly| also| still)? (?:hate|dislike|detest|despise|loathe|avoid|can['’]?t stand|cannot stand|do(?:n['’]t| not)(?: \w+ly)? (?:like|want (?!to (?:be|miss|lose|get|make|know|seem|come|sound|overwhelm)))|never (?:use|want|eat|drink))\b"
)
_CORRECTION: Final = re.compile(
    r"(?i)^(?:(?:no|nope|wait|sorry|actually|hm+|correction)[,:.!\s-]+)+(?:I (?:meant|said|mean|asked|wanted)|it(?:['’]s| is)|that(?:['’]s| is)|not|the|we|my|you)\b|"
    r"^(?:that(?:['’]s| is) (?:wrong|not (?:right|correct|true|what I)|incorrect)|you(?:['’]re| are) (?:wrong|mistaken)|I (?:meant|did(?:n['’]t| not) (?:say|mean|ask))|correction:)|"
    r"\bI (?:meant|said) .{1,80},? not\b"
)
_IDLE: Final = re.compile(
    r"(?i)\b(?:never ?mind|do(?:n['’]t| not) (?:forget|worry|know|think|mind|get me wrong|mention|understand|have|see|hesitate|be|need|want|let|remember)|stop (?:by|it)|no more than|forget it|never (?:mind|knew|thought|heard))\b"
)
_HEDGED: Final = re.compile(
    r"(?i)\b(?:if|maybe|perhaps|might|could|whether|would like|i['’]d like|he said|she said|they said)\b|\?\s*$"
)
_OTHERS: Final = re.compile(
    r"(?i)\bI(?: \w+ly)? (?:like|love|enjoy|prefer) (?:you|your|it|that|this|how|the way|the idea|these|those|them|him|her|what)\b"
)
_LONGEST: Final = 240


def _statement(text: str) -> str:
    """The words of a marker as they stand in a profile: folded, without politeness and the closing mark."""
    folded = " ".join(text.split())
    bare = re.sub(r"(?i)^(?:please|pls|and|but|so|also)[, ]+", "", folded).rstrip(" .!,;:")
    return re.sub(r"(?i),? (?:please|pls|thanks|thank you)$", "", bare)


def _kind(text: str) -> str:
    """What a sentence or clause signals, or nothing."""
    if _CORRECTION.search(text):
        return "correction"
    if _HEDGED.search(text):
        return ""
    if _STYLE.search(text) and _STYLED.search(text):
        return "style"
    if _REJECTION.search(text) and not _IDLE.search(text):
        return "rejection"
    if _ALWAYS.search(text):
        return "preference"
    if _PREFERENCE.search(text) and not _OTHERS.search(text):
        return (
            "style"
            if re.search(r"(?i)\b(?:answers?|repl(?:y|ies)|responses?|explanations?)\b", text) and False
            else "preference"
        )
    return ""


def marker(text: str) -> Marker | None:
    """The marker in one stretch of the speaker's own words, if it holds one."""
    text = text.strip()
    if not 3 < len(text) <= _LONGEST:
        return None
    kind = _kind(text)
    return Marker(kind, _statement(text), text) if kind else None
