"""A told fact: a statement that somebody told as such, which no predicate fits, and what has become of it.

"Deploys go out on Thursdays unless Ada is away" is no edge, and worth remembering. What was told, and what was said of it
since, is ledger; `standing` gives what that comes to.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from hymem.errors import InputError
from hymem.redaction import redacted
from hymem.trust import CHANGES, trust_after

LONGEST: Final = 10_000
"""Characters of a told fact, at most."""

LABEL_LENGTH: Final = 200
GENERAL: Final = "general"


@dataclass(frozen=True)
class ToldFact:
    """A statement as it was told: trusted so far at first, perhaps said in a message."""

    fact_id: int
    peer_id: str
    content: str
    category: str
    tags: str
    trust: float
    created_at: str


@dataclass(frozen=True)
class FactAct:
    """What was said of a told fact: an update, a removal, or that it helped or did not; None leaves a thing as it was."""

    act: str
    content: str | None
    category: str | None
    tags: str | None
    trust_change: float | None
    created_at: str


@dataclass(frozen=True)
class Fact:
    """A told fact as it stands. Its content is without secrets; feedback does not move `updated_at`."""

    fact_id: int
    peer_id: str
    content: str
    category: str
    tags: str
    trust_score: float
    helpful_count: int
    retrieval_count: int
    created_at: str
    updated_at: str

    def __str__(self) -> str:
        """The statement."""
        return self.content

    def as_dict(self) -> dict[str, Any]:
        """The fact as plain values, by name."""
        return asdict(self)


@dataclass(frozen=True)
class FactHit:
    """A told fact that was found: relevance times trust, and the reasons for which it was found."""

    fact: Fact
    score: float
    why_retrieved: tuple[str, ...]

    def __str__(self) -> str:
        """The statement."""
        return self.fact.content


def standing(told: ToldFact, acts: Sequence[FactAct], retrieval_count: int = 0) -> Fact | None:
    """What a told fact has come to after these acts, oldest first; None where it was removed."""
    if any(act.act == "remove" for act in acts):
        return None
    updates = [act for act in acts if act.act == "update"]
    rewordings = [act for act in updates if (act.content, act.category, act.tags) != (None, None, None)]
    changes = [CHANGES.get(act.act, act.trust_change) or 0.0 for act in acts]
    return Fact(
        told.fact_id,
        told.peer_id,
        redacted(_last([act.content for act in updates], told.content)),
        _last([act.category for act in updates], told.category),
        redacted(_last([act.tags for act in updates], told.tags)),
        trust_after(told.trust, changes),
        sum(act.act == "helpful" for act in acts),
        retrieval_count,
        told.created_at,
        rewordings[-1].created_at if rewordings else told.created_at,
    )


def checked_content(text: object) -> str:
    """A statement as it may be told: text of 1 to `LONGEST` characters, without the blanks around it."""
    if not isinstance(text, str) or not text.strip():
        raise InputError("a fact must say something: give its text")
    if len(text.strip()) > LONGEST:
        raise InputError(f"a fact may have {LONGEST:,} characters: log longer text as a message, and dream")
    return text.strip()


def checked_label(value: object, name: str, default: str = "") -> str:
    """A category or tags: a line of at most `LABEL_LENGTH` characters."""
    if not isinstance(value, str) or len(value) > LABEL_LENGTH or not value.isprintable():
        raise InputError(f"{name} must be a line of at most {LABEL_LENGTH} characters, not {value!r:.60}")
    return value.strip() or default


def _last(values: Sequence[str | None], first: str) -> str:
    return next((value for value in reversed(values) if value is not None), first)
