"""A question as recall goes about it: the message, the relations it asks for, the moment, and how an edge stands at it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

from hymem.config import HyMemConfig
from hymem.decay import elapsed_days
from hymem.ranking import recency_weight, routed_score
from hymem.records import Edge
from hymem.times import microseconds
from serving.recall.routing import routed_predicates


@dataclass(frozen=True)
class Question:
    """What is asked, when, and with which numbers."""

    text: str
    predicates: tuple[str, ...]
    now: str
    config: HyMemConfig

    @classmethod
    def of(cls, message: str, now: str, config: HyMemConfig) -> Self:
        """A message as a question."""
        return cls(message, routed_predicates(message), now, config)

    @cached_property
    def _moment(self) -> int:
        return microseconds(self.now)

    def days(self, edge: Edge) -> float:
        """Days since the edge was last seen; 0 where that lies ahead."""
        return max(0.0, elapsed_days(microseconds(edge.last_seen), self._moment))

    def recency(self, edge: Edge) -> float:
        """How much of its weight time has left the edge."""
        return recency_weight(self.days(edge), self.config.graph_recency_half_life_days)

    def boost(self, edge: Edge) -> float:
        """The factor for bearing a predicate that is asked for."""
        return self.config.graph_predicate_boost if edge.predicate in self.predicates else 1.0

    def prospect(self, edge: Edge) -> float:
        """The edge's score as far as it can be told without its meaning."""
        return routed_score(edge.confidence, self.recency(edge), None, self.boost(edge))
