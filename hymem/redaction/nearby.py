"""Secrets that stand a few words after their name, with nothing to join the two: long runs, and the words of a wallet."""

import re
from collections.abc import Iterator
from typing import Final

from hymem.redaction.judgement import is_drawn_by_lot, is_placeholder
from hymem.redaction.kinds import Secret
from hymem.redaction.values import Value

_NEARBY: Final = re.compile(
    r"[^\n]{0,40}?(?<![A-Za-z0-9+/_=.@:#-])(?P<run>[A-Za-z0-9+/_-]{20,512}={0,2})(?![A-Za-z0-9+/_=]|[.:(]\w)", re.ASCII
)
_OTHER_RUNS: Final = re.compile(
    r"commit|\bsha|hash|digest|checksum|integrity|revision|fingerprint|image|md5|etag|uuid|guid|\bid\b|address|contract|public",
    re.ASCII | re.IGNORECASE,
)
_DIGEST: Final = re.compile(
    r"0x.*|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)
_SEED: Final = re.compile(
    r"""(?:seed|recovery|mnemonic|wallet|secret)[ _-]phrase["']?(?:[ ]is)?[ ]?[:=]?\s{0,4}["'`]?
        (?P<words>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})\b""",
    re.ASCII | re.VERBOSE,
)


def run_nearby(text: str, place: int, before: str) -> Value | None:
    """A long run, drawn by lot, a few words on; not where the words speak of commits and checksums."""
    found = _NEARBY.match(text, place)
    if not found:
        return None
    run, start = found["run"], found.start("run")
    slashed = "/" in run and len(run) != 40
    if slashed or _DIGEST.fullmatch(run) or is_placeholder(run) or not is_drawn_by_lot(run):
        return None
    return None if _OTHER_RUNS.search(before[-40:] + text[place:start]) else Value(run, start, found.end("run"))


def seed_phrases(folded: str) -> Iterator[Secret]:
    """The twelve to twenty-four words from which a wallet can be restored; `folded` is the text in small letters."""
    for seed in _SEED.finditer(folded):
        yield Secret("seed phrase", *seed.span("words"))
