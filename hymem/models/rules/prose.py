"""The speaker's own words: what is quoted, pasted or code is blanked out before anything is read.

The blanked text has the length of the original, so every place in it is a place in the message.
"""

import re
from typing import Final

from hymem.models.rules.english import is_english

OPAQUE: Final = "\x1a"
"""What a masked stretch inside a sentence becomes: a word that is no name."""

_FENCE: Final = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_SPAN: Final = re.compile(r"`([^`\n]{1,200})`")
_QUOTED: Final = re.compile(r"[\"“«]([^\"“”«»\n]{1,300})[\"”»]")
_SINGLE: Final = re.compile(r"(?<!\w)'([^'\n]{2,200})'(?!\w)")
_URL: Final = re.compile(r"\b(?:https?|ftp)://[^\s)>\]]+|\bwww\.[^\s)>\]]+")
_ADDRESS: Final = re.compile(r"[ \t]*@?([\w|\[\]^{}`-]{2,24}?)([:,>]+)[ \t]")
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_MACHINE: Final = re.compile(
    r"^\s*(?:>|\||#{1,6}\s|\$ |%\s|>>> |\.\.\. |Traceback|at \w+[\w.$]*\(|File \"|\d{4}-\d\d-\d\d[T ]\d\d:|\[\d|"
    r"\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b|[EWN]: |error(?:\[\w+\])?: |warning: |fatal: |"
    r"(?:import|from|def|class|const|let|var|return|export|package|func|fn|public|private|select|SELECT)\s+[\w.{*]+"
    r"(?:\s*[=({;:]|\s+(?:import|from|FROM)\b)|<[/!a-zA-Z]|\w+(?:\.\w+)*(?:Error|Exception|Warning)\b|"
    r"[\w.-]+@[\w.-]+:|\+\+\+ |--- |@@ |diff )"
)
_CODE_END: Final = re.compile(r"[{};\\]\s*$|^\s*[)\]}]|^\s*[\w.\[\]]+\s*=\s*\S")
_INDENTED: Final = re.compile(r"^(?:\t| {4,})\S")
_PASTE: Final = re.compile(
    r"(?i)(?:\b(?:readme|docs?|documentation|manual|man ?page|changelog|logs?|output|error|article|email|message|wiki|"
    r"log file|stack ?trace|traceback|release notes|website|blog post|paper|job (?:post|ad|description)|"
    r"description|spec)\b[^.\n]{0,40}(?:says?|reads?|states?|is|are|shows?|prints?|gives?|follows|below)?|"
    r"\b(?:wrote|writes|quote|quoting|pasted?|copied|here it is|this is what it says))\s*:\s*$"
)


def _blank(text: str, start: int, end: int, filler: str = " ") -> str:
    return text[:start] + filler * (end - start) + text[end:]


def _without_fences(lines: list[str]) -> list[str]:
    """Fenced code goes, from a fence to the next, or to the end where none closes it."""
    fenced = False
    kept: list[str] = []
    for line in lines:
        fence = _FENCE.match(line) is not None
        kept.append(" " * len(line) if fenced or fence else line)
        fenced ^= fence
    return kept


def _without_pastes(lines: list[str]) -> list[str]:
    """Quoted lines, machine output, code, and whatever follows "the README says:" go."""
    pasted = apart = False
    kept: list[str] = []
    for before, line in zip(["", *lines], lines, strict=False):
        apart = _INDENTED.match(line) is not None and (apart or not before.strip())
        foreign = pasted or apart or _MACHINE.match(line) or _CODE_END.search(line)
        kept.append(" " * len(line) if foreign else line)
        pasted = pasted or _PASTE.search(line) is not None
    return kept


def _is_title(words: list[str]) -> bool:
    small = {"the", "of", "and", "a", "an", "in", "for", "to", "on", "with"}
    return (
        bool(words)
        and len(words) <= 6
        and all(word[0].isupper() or word in small or word[0].isdigit() for word in words)
    )


def _masked(match: re.Match[str]) -> str:
    """A quotation that is a name or one word stays without its marks; any other becomes opaque."""
    inner = match.group(1)
    words = inner.strip(" ,.").split()
    if _is_title(words) or (match.group(0)[0] == "`" and len(words) == 1):
        return f" {inner} "
    return OPAQUE + " " * (len(inner) + 1)


def _without_bullet(line: str) -> str:
    bullet = _BULLET.match(line)
    return line if bullet is None else _blank(line, 0, bullet.end())


def addressed(text: str) -> int:
    """Where the message proper begins after an address ("nick: …"), or 0 where there is none."""
    address = _ADDRESS.match(text)
    if address is None or is_english(address.group(1).lower()):
        return 0
    return address.end()


def own_words(text: str) -> str:
    """The message with everything blanked that its author did not say of themselves; same length as `text`."""
    lines = _without_pastes(_without_fences(text.split("\n")))
    prose = "\n".join(_without_bullet(line) for line in lines)
    for pattern in (_SPAN, _QUOTED, _SINGLE):
        prose = pattern.sub(_masked, prose)
    return _URL.sub(lambda match: OPAQUE + " " * (len(match.group()) - 1), prose)
