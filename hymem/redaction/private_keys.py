"""Private keys in armour: whole blocks, and those of which a paste or a terminal has cut off the head or the tail."""

import re
from bisect import bisect
from collections.abc import Iterator
from typing import Final

from hymem.redaction.kinds import Secret

NEEDLES: Final = ("key", "b3blbnnzac1rzxktdje")
"""A text in small letters without any of these has nothing that `private_keys` could find."""

_BEGIN: Final = re.compile(r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END: Final = re.compile(r"-{4,5} ?END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_LONGEST: Final = 20_000
"""Characters between head and tail; an RSA key of 16,384 bits has 12,700."""

# Line ends may be escaped, and lines quoted, where a key stands in code or in a mail.
_BREAK: Final = r"(?:[\s>|\"',]|\\[nrt])"
_BODY: Final = re.compile(
    rf"(?:{_BREAK}++(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]*+|[A-Za-z0-9+/=]{{16,}}+))*+"
    rf"(?:{_BREAK}++[A-Za-z0-9+/=]+\Z)?"
)
_MATERIAL: Final = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_LAST_LINE: Final = re.compile(r"[A-Za-z0-9+/=]+")
_BETWEEN_LINES: Final = re.compile(rf"({_BREAK}++)")
_OPENSSH: Final = "b3BlbnNzaC1rZXktdjE"
"""How each private key of OpenSSH begins: `openssh-key-v1` in base64."""
_OPENSSH_BODY: Final = re.compile(rf"{_OPENSSH}[A-Za-z0-9+/=]*+(?:{_BREAK}++[A-Za-z0-9+/=]{{16,}}+)*+")


def private_keys(text: str) -> Iterator[Secret]:
    """The private keys in `text`, each with as much of its armour as there is."""
    if "PRIVATE KEY" in text:
        yield from _keys_with_head(text)
        yield from _keys_with_tail(text)
    if _OPENSSH in text:
        for found in _OPENSSH_BODY.finditer(text):
            yield Secret("private key", *found.span())


def _keys_with_head(text: str) -> Iterator[Secret]:
    """From BEGIN to END, or where there is no END, to where the lines of a key stop."""
    ends = [end.end() for end in _END.finditer(text)]
    after = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < after:
            continue
        following = bisect(ends, begin.end())
        within_reach = following < len(ends) and ends[following] - begin.end() <= _LONGEST
        after = ends[following] if within_reach else _end_of_body(text, begin.end())
        if _MATERIAL.search(text, begin.end(), after):
            yield Secret("private key", begin.start(), after)


def _end_of_body(text: str, place: int) -> int:
    """Where the lines of a key stop that begin at `place`."""
    body = _BODY.match(text, place)
    return body.end() if body else place


def _keys_with_tail(text: str) -> Iterator[Secret]:
    """From the first line of a key that stands right before an END to that END."""
    after = 0
    for end in _END.finditer(text):
        lines = _BETWEEN_LINES.split(text[max(after, end.start() - _LONGEST) : end.start()])
        length = _length_of_body(lines)
        if length:
            yield Secret("private key", end.start() - length, end.end())
        after = end.end()


def _length_of_body(parts: list[str]) -> int:
    """Characters at the end of lines and their breaks, in turn, that belong to a key."""
    body = pending = 0
    for place, part in enumerate(reversed(parts)):
        pending += len(part)
        if place % 2 or not part:
            continue
        shape = _MATERIAL if body else _LAST_LINE
        if not shape.fullmatch(part):
            break
        body = pending
    return body
