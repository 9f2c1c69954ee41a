"""What is known while a message is read, and how a statement found in it is written down."""

from dataclasses import dataclass, field
from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause, clauses
from hymem.models.rules.findings import Triple
from hymem.models.rules.moods import moods
from hymem.models.rules.phrases import Phrase
from hymem.models.rules.subjects import UNKNOWN, Subject
from hymem.models.rules.tokens import Token
from hymem.models.rules.values import temporal_scope

_WHOLE: Final = 420
_NEW: Final = small.words("now nowadays anymore")
"""Words by which a clause says that things were otherwise before."""


@dataclass(slots=True)
class Reading:
    """What is known while a message is read: its text, who speaks, and the project it has named."""

    text: str
    speaker: str
    project: str = ""
    advises: bool = False
    topic: Subject = UNKNOWN
    triples: list[Triple] = field(default_factory=list[Triple])


@dataclass(frozen=True, slots=True)
class Sentenced:
    """A sentence taken apart."""

    tokens: list[Token]
    parts: list[Clause]
    moods: list[str]


def sentenced(tokens: list[Token], asks: bool) -> Sentenced:
    """The clauses of a sentence with their moods."""
    parts = clauses(tokens)
    return Sentenced(tokens, parts, moods(tokens, parts, asks))


def quote(reading: Reading, tokens: list[Token], parts: list[Clause], clause: Clause) -> str:
    """The verbatim words: the sentence where it is short, else the clause."""
    first, last = tokens[0].start, tokens[-1].end
    if last - first > _WHOLE:
        start = next(
            (part.start for part in reversed(parts) if part.start <= clause.start and not (part.joined or part.opener)),
            clause.start,
        )
        first, last = tokens[start].start, tokens[clause.end - 1].end
    return reading.text[first:last].strip()


class Maker:
    """Makes the triples of one clause, each with its quote, value and time."""

    def __init__(self, reading: Reading, sentence: Sentenced, clause: Clause) -> None:
        self.reading = reading
        self.clause = clause
        self.quote = quote(reading, sentence.tokens, sentence.parts, clause)
        first, last = sentence.tokens[clause.start], sentence.tokens[clause.end - 1]
        self.is_new = any(token.lower in _NEW for token in sentence.tokens[clause.start : clause.end])
        self.scope = temporal_scope(reading.text[first.start : last.end])

    def add(self, subject: str, predicate: str, target: str, sign: int, phrase: Phrase | None = None) -> None:
        """One triple, unless it says of a thing that it relates to itself."""
        if subject.casefold() == target.casefold():
            return
        self.reading.triples.append(
            Triple(
                subject,
                predicate,
                target,
                sign,
                self.quote,
                (phrase.value or None) if phrase else None,
                phrase.number if phrase else None,
                (phrase.unit or None) if phrase else None,
                self.scope,
            )
        )


def project_named(triples: list[Triple], speaker: str) -> str:
    """The project that the speaker has said to be working on, by its proper name."""
    for triple in triples:
        if (
            triple.predicate == "part_of"
            and triple.subject == speaker
            and triple.polarity == 1
            and triple.object[:1].isupper()
        ):
            return triple.object
    return ""
