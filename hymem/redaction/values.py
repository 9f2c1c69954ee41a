"""What stands behind an equals sign, a colon or an "is": a value with its bounds, quoted or bare."""

import re
from dataclasses import dataclass
from typing import Final

_JUDGED: Final = 256
"""Characters of a bare value that are looked at; the rest goes with them."""

_QUOTED: Final = re.compile(
    r"""[rbfuRBFU]{0,2}(?:
        (?P<quote>["'`])(?P<plain>(?:\\[^\n]|(?!(?P=quote))[^\\\n]){1,1024}+)(?P=quote)
      | \\{1,3}"(?P<escaped>[^"\\\n]{1,1024})\\{1,3}" )""",
    re.VERBOSE,
)
_BARE: Final = re.compile(rf"\\{{0,3}}[\"'`]?(?P<bare>[^\s\"'`<]{{1,{_JUDGED}}})")
_REST: Final = re.compile(r"[^\s\"'`<,;&)\]}]*")
_NEXT_FIELD: Final = re.compile(r"[,;&?] ?[\w.-]{1,32}=", re.ASCII)
_TRAILING: Final = ".,;:?)]}>\\*"


@dataclass(frozen=True)
class Value:
    """`text[start:end]`, which is `word`."""

    word: str
    start: int
    end: int
    quoted: bool = False


def value_at(text: str, place: int) -> Value | None:
    """The value that begins at `place`, without its quotes or the punctuation of the sentence around it."""
    if found := _QUOTED.match(text, place):
        name = "plain" if found["plain"] is not None else "escaped"
        return Value(found[name], *found.span(name), quoted=True)
    found = _BARE.match(text, place)
    return _trimmed(text, *found.span("bare")) if found else None


def end_of(text: str, value: Value) -> int:
    """Where the value really ends, when it is longer than what was judged."""
    cut_off = value.end - value.start == _JUDGED and not value.quoted
    found = _REST.match(text, value.end) if cut_off else None
    return found.end() if found else value.end


def _trimmed(text: str, start: int, end: int) -> Value | None:
    next_field = _NEXT_FIELD.search(text, start, end)
    word = text[start : next_field.start() if next_field else end].rstrip(_TRAILING)
    return Value(word, start, start + len(word)) if word else None
