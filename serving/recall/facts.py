"""A fact as recall returns it: an edge, its score, and the reasons for which it was found."""

from dataclasses import dataclass

from hymem.records import Edge
from hymem.vocabulary import verb_phrase


@dataclass(frozen=True)
class GraphFact:
    """An edge that recall returns, with its score and the reasons for it; higher scores come first."""

    edge: Edge
    score: float
    why_retrieved: tuple[str, ...]

    def __str__(self) -> str:
        """The fact as a sentence."""
        return sentence(self.edge)

    @property
    def subject(self) -> str:
        """The edge's subject."""
        return self.edge.subject

    @property
    def predicate(self) -> str:
        """The edge's predicate."""
        return self.edge.predicate

    @property
    def object(self) -> str:
        """The edge's object."""
        return self.edge.object

    @property
    def confidence(self) -> float:
        """How far the edge is believed."""
        return self.edge.confidence

    @property
    def pos_evidence(self) -> int:
        """The chunks that say it holds."""
        return self.edge.pos_evidence

    @property
    def neg_evidence(self) -> int:
        """The chunks that say it does not, and the decay windows."""
        return self.edge.neg_evidence

    @property
    def derived(self) -> bool:
        """Whether it follows from others and was never said."""
        return self.edge.derived

    @property
    def negated(self) -> bool:
        """Whether the fact is to be read with its verb denied."""
        return self.edge.negated

    @property
    def faded(self) -> bool:
        """Whether it is to be read with doubt."""
        return self.edge.faded

    @property
    def stale(self) -> bool:
        """Whether its topic returned without it."""
        return self.edge.status == "stale"


def sentence(edge: Edge) -> str:
    """An edge as people say it: "billing requires postgresql >= 15"; where it faded, with doubt."""
    doubt = "(perhaps no longer)" if edge.faded else ""
    told = (edge.subject, verb_phrase(edge.predicate, edge.negated), edge.object, value(edge), doubt)
    return " ".join(part for part in told if part)


def value(edge: Edge) -> str:
    """The value that an edge carries, with its unit: ">= 15", "512 MB"; "" where it carries none."""
    text = edge.value_text or _number(edge.value_numeric)
    unit = edge.value_unit or ""
    return text if not text or unit.casefold() in text.casefold() else f"{text} {unit}"


def _number(number: float | None) -> str:
    if number is None:
        return ""
    return str(int(number)) if number.is_integer() else repr(number)
