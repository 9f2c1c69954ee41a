"""What of a recall fits into so many tokens: the best of every part first, and what had to be left out is counted.

Scores of different parts are no common currency, so each counts as a share of its part's best: what leads its part comes
before what trails in another. The two files have no scores. They get half of the tokens together, and lose lines from their ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from hymem.errors import InputError
from hymem.tokens import about_so_many_tokens

if TYPE_CHECKING:
    from serving.recall.augment import AugmentedContext

PARTS: Final = ("graph_facts", "facts", "episodes", "procedures", "fts_hits")
"""What has scores; of equal ones, what comes first here goes first."""


@dataclass(frozen=True)
class LeftOut:
    """How much of each part was left out for want of tokens: hits, and of the two files lines."""

    user_md: int = 0
    memory_md: int = 0
    fts_hits: int = 0
    graph_facts: int = 0
    episodes: int = 0
    procedures: int = 0
    facts: int = 0

    def __bool__(self) -> bool:
        """Whether anything was."""
        return any(vars(self).values())

    def __str__(self) -> str:
        """What was, in words: "2 graph facts, 1 episode"."""
        return ", ".join(_counted(number, name) for name, number in vars(self).items() if number)


NOTHING: Final = LeftOut()


class _Ranked(NamedTuple):
    """A hit's share of its part's best score, its place, and how many tokens it takes."""

    share: float
    part: str
    place: int
    tokens: int


def checked_budget(max_tokens: object) -> int | None:
    """The number of tokens, or None for any number; raises `InputError` for what is neither."""
    if max_tokens is None:
        return None
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise InputError(f"max_tokens must be a whole number from 1 on, not {max_tokens!r}")
    return max_tokens


def fitted(found: "AugmentedContext", max_tokens: int) -> "AugmentedContext":
    """The recall cut to so many tokens, with `left_out` telling what is gone."""
    user_md, memory_md, left = _files(found.user_md, found.memory_md, max_tokens)
    kept = set[tuple[str, int]]()
    for hit in sorted(_ranked(found), key=lambda hit: (-hit.share, PARTS.index(hit.part), hit.place)):
        if hit.tokens <= left:
            kept.add((hit.part, hit.place))
            left -= hit.tokens
    parts: dict[str, tuple[Any, ...]] = {part: tuple(getattr(found, part)) for part in PARTS}
    held = {part: tuple(hit for n, hit in enumerate(hits) if (part, n) in kept) for part, hits in parts.items()}
    gone = LeftOut(
        user_md=_lines(found.user_md) - _lines(user_md),
        memory_md=_lines(found.memory_md) - _lines(memory_md),
        **{part: len(parts[part]) - len(held[part]) for part in PARTS},
    )
    return replace(found, user_md=user_md, memory_md=memory_md, left_out=gone, **cast(Any, held))


def _ranked(found: "AugmentedContext") -> Iterator[_Ranked]:
    for part in PARTS:
        hits: tuple[Any, ...] = getattr(found, part)
        best = max((hit.score for hit in hits), default=0.0)
        for place, hit in enumerate(hits):
            text = hit.text if part == "fts_hits" else str(hit)
            yield _Ranked(hit.score / best if best > 0 else 0.0, part, place, about_so_many_tokens(text))


def _files(user_md: str, memory_md: str, max_tokens: int) -> tuple[str, str, int]:
    """Both files, cut to half of the tokens, and what is left of all."""
    share = max_tokens // 2
    user_md, used = _beginning(user_md, share)
    memory_md, also = _beginning(memory_md, share - used)
    return user_md, memory_md, max_tokens - used - also


def _beginning(text: str, most: int) -> tuple[str, int]:
    """The text's first lines, as many as fit, and how many tokens they take."""
    if (whole := about_so_many_tokens(text)) <= most:
        return text, whole
    lines = text.splitlines(keepends=True)
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if about_so_many_tokens("".join(lines[:middle])) <= most else (low, middle - 1)
    kept = "".join(lines[:low])
    return kept, about_so_many_tokens(kept)


def _lines(text: str) -> int:
    return len(text.splitlines())


def _counted(number: int, name: str) -> str:
    nouns = {
        "user_md": "line of USER.md",
        "memory_md": "line of MEMORY.md",
        "fts_hits": "passage",
        "facts": "told fact",
    }
    noun = nouns.get(name) or name.removesuffix("s").replace("_", " ")
    plural = noun.replace("line", "lines", 1) if noun.startswith("line") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
