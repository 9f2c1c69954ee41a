"""A stranger's words as one harmless line of a Markdown list.

What ends up in MEMORY.md and USER.md was said by someone, perhaps by someone who knows that an agent will read it. So a
statement can neither leave its line nor its section, start a heading, a quote, a list or a code block, carry HTML, or
hold characters that the reader does not see. What it says is left alone.
"""

import re
import unicodedata
from typing import Final

STATEMENT_LIMIT: Final = 240
"""Characters of a statement that are shown."""

_JOINER: Final = "\u200d"
# Format characters that are part of how a language or an emoji is written.
_SEEN_FORMATS: Final = frozenset("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])([^<>]*)(>?)")
_COMMENT_END: Final = re.compile(r"(--!?)>")
_FENCE: Final = re.compile(r"(`)`{2,}|(~)~{2,}")
_LEADING_STRUCTURE: Final = re.compile(r"(?:(?:#{1,6}(?=\s|$)|>|[-*+](?=\s|$))\s*)+")
_LEADING_NUMBER: Final = re.compile(r"([0-9]{1,9})([.)])(?=\s|$)")
_LEADING_REFERENCE: Final = re.compile(r"(?=\[[^\]]*\]:)")
_RULE: Final = re.compile(r"([-*_])(?:\s*\1){2,}")


def as_statement(text: str, limit: int = STATEMENT_LIMIT) -> str:
    """`text` as one line of at most `limit` characters (2 or more), safe as an item of a Markdown list.

    Empty only where nothing in `text` can be seen; a statement of a statement is itself.
    """
    line = " ".join(_visible(text).split())
    line = _TAG.sub(lambda tag: f"‹{tag[1]}{'›' if tag[2] else ''}", line)
    line = _FENCE.sub(r"\1\2", _COMMENT_END.sub(r"\1›", line))
    return _shortened(_without_structure(line), limit)


def _visible(text: str) -> str:
    """`text` with a blank for each control character and nothing for each invisible one."""
    return "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    if " " <= character <= "~":
        return character
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp" | "Zs":
            return " "
        case "Cs":
            return "\ufffd"
        case "Cf" if character not in _SEEN_FORMATS:
            return ""
        case _:
            return character


def _without_structure(line: str) -> str:
    """`line` without leading headings, quotes and bullets; what else would be structure is escaped."""
    content = _LEADING_STRUCTURE.sub("", line, count=1) if _LEADING_STRUCTURE.match(line) else line
    if line and (not content or _RULE.fullmatch(content)):
        return "\\" + (content or line)
    content = _LEADING_NUMBER.sub(r"\1\\\2", content, count=1) if _LEADING_NUMBER.match(content) else content
    return "\\" + content if _LEADING_REFERENCE.match(content) else content


def _shortened(line: str, limit: int) -> str:
    """`line`, or as much of it as fits with an ellipsis, not cut within a letter and its marks."""
    if len(line) <= limit:
        return line
    end = limit - 1
    while end > 1 and _continues(line, end):
        end -= 1
    return line[: end if end > 1 else limit - 1].rstrip() + "…"


def _continues(line: str, at: int) -> bool:
    """Whether the character at `at` belongs to the one before it."""
    return line[at] == _JOINER or line[at - 1] == _JOINER or unicodedata.category(line[at]).startswith("M")
