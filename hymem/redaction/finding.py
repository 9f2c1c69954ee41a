"""Where the keys, passwords and tokens of a text stand.

People paste what they should not. A secret shows itself in one of four ways: by a shape that its issuer gave it
(`shapes`), by the place that carries it, such as a URL or a header (`carriers`), by the words before it (`telling`), or by
a checksum (`numbers`). What a secret was worth elsewhere in the same text, it is worth wherever it stands again.

Placeholders cut a text into segments that are read on their own. A segment in which nothing was found holds nothing when
it is read again, so redaction is idempotent by construction.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Final

from hymem.redaction.carriers import NEEDLES as NEEDLES_OF_CARRIERS
from hymem.redaction.carriers import OPTION, carried_secrets
from hymem.redaction.kinds import PLACEHOLDER, Kind, Secret
from hymem.redaction.numbers import checked_numbers
from hymem.redaction.private_keys import NEEDLES as NEEDLES_OF_KEYS
from hymem.redaction.private_keys import private_keys
from hymem.redaction.shapes import shaped_secrets
from hymem.redaction.telling import NEEDLES as NEEDLES_OF_TELLING
from hymem.redaction.telling import told_secrets

# Ordinary text ends here: what has neither a run of these kinds nor one of the needles holds no secret.
_RUN: Final = re.compile(
    r"[_.:$AS0-9-](?:(?<=[_.:-])[\w-]{16}|(?<=[AS])[A-Z][\w-]{14}|(?<=\$)[./\w]{16}|(?<=[0-9])[0-9]{3})", re.ASCII
)
_NEEDLES: Final = tuple({*NEEDLES_OF_TELLING, *NEEDLES_OF_CARRIERS, *NEEDLES_OF_KEYS})

_ROUNDS: Final = 4
_REPEATED_AT_MOST: Final = 1000
_REPEATED_LENGTH: Final = 512
_UNMISTAKABLE: Final = 8


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets in `text` by position, none overlapping; placeholders are none.

    Each round reads what the rounds before left over. Real text takes two, the second to see that nothing is left; a
    segment that still shows something new after `_ROUNDS` was made to, and counts as a secret as a whole.
    """
    cuts = [found.span() for found in PLACEHOLDER.finditer(text)] if "[redacted: " in text else []
    secrets: list[Secret] = []
    for _ in range(_ROUNDS):
        fresh = [secret for start, segment in _segments(text, cuts) for secret in _secrets_within(segment, start)]
        if not fresh:
            return _by_position(secrets)
        repeated = _repetitions(text, [*cuts, *map(_span, fresh)], _worth(text, [*secrets, *fresh]))
        secrets += _apart([*fresh, *repeated])
        cuts = sorted({*cuts, *map(_span, secrets)})
    tangled = [
        Secret("secret", start, start + len(segment))
        for start, segment in _segments(text, cuts)
        if _secrets_within(segment, start)
    ]
    return _by_position([*secrets, *tangled])


def _secrets_within(segment: str, start: int) -> list[Secret]:
    """The secrets of one segment, which stands at `start`, judged by nothing but the segment."""
    secrets: list[Secret] = []
    if _RUN.search(segment):
        secrets += chain(shaped_secrets(segment), checked_numbers(segment))
    folded = _folded(segment)
    if "@" in segment or OPTION.search(segment) or _holds_one_of(_NEEDLES, folded):
        secrets += chain(private_keys(segment), carried_secrets(segment, folded), told_secrets(segment, folded))
    return [secret.moved(start) for secret in _apart(secrets)] if secrets else secrets


def _holds_one_of(needles: tuple[str, ...], folded: str) -> bool:
    for needle in needles:  # noqa: SIM110 - a generator would cost more than the search
        if needle in folded:
            return True
    return False


def _folded(text: str) -> str:
    """`text` in small letters, place for place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else re.sub("[A-Z]+", lambda capitals: capitals[0].lower(), text)


def _segments(text: str, cuts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """What lies between the cuts, each piece with its start."""
    if not cuts:
        yield 0, text
        return
    for (_, start), (end, _) in pairwise([(0, 0), *sorted(cuts), (len(text), len(text))]):
        if start < end:
            yield start, text[start:end]


def _apart(secrets: Iterable[Secret]) -> list[Secret]:
    """The secrets by position; those that overlap are one, of the first one's kind."""
    apart: list[Secret] = []
    for secret in sorted(secrets, key=lambda found: (found.start, -found.end)):
        if apart and secret.start < apart[-1].end:
            last = apart.pop()
            secret = Secret(last.kind, last.start, max(last.end, secret.end))
        apart.append(secret)
    return apart


def _worth(text: str, secrets: Iterable[Secret]) -> dict[str, Kind]:
    """The secrets' own words with their kinds, the longest first."""
    worth: dict[str, Kind] = {text[secret.start : secret.end]: secret.kind for secret in secrets}
    short = sorted((value for value in worth if len(value) <= _REPEATED_LENGTH), key=len, reverse=True)
    return {value: worth[value] for value in short[:_REPEATED_AT_MOST]}


def _repetitions(text: str, cuts: list[tuple[int, int]], worth: dict[str, Kind]) -> Iterator[Secret]:
    """Where the words of known secrets stand once more; short ones only as words of their own."""
    for start, segment in _segments(text, cuts):
        for value, kind in worth.items():
            if value not in segment:
                continue
            words = re.escape(value) if len(value) >= _UNMISTAKABLE else rf"(?<!\w){re.escape(value)}(?!\w)"
            for found in re.finditer(words, segment):
                yield Secret(kind, found.start() + start, found.end() + start)


def _span(secret: Secret) -> tuple[int, int]:
    return secret.start, secret.end


def _by_position(secrets: list[Secret]) -> tuple[Secret, ...]:
    return tuple(sorted(secrets, key=_span))
