"""Every number that shapes memory, under the name by which it is set, with its default.

A configuration is a value: two equal ones give equal memories. `HyMemConfig(decay_window_days=14)` changes one number;
`replace` makes a variant. Secrets and addresses are no part of it (see `settings.py`).
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Literal, Self

from hymem.errors import ConfigError


@dataclass(frozen=True)
class HyMemConfig:
    """How memory forms and how it is recalled. Raises `ConfigError` for a value that makes no sense."""

    salience_min_chars: int = 30
    """Length from which a user's turn is salient by itself; characters of CJK scripts count double."""
    fts_top_k: int = 5
    """Chunks that recall returns."""
    fusion: Literal["convex", "rrf"] = "convex"
    """How words and meaning become one order: as shares, with cues and neighbours, or by reciprocal ranks alone."""
    graph_top_k_per_entity: int = 3
    """Facts anchored at each matched entity."""
    embedding_max_scan: int = 5000
    """Vectors compared at most where sqlite-vec cannot load."""
    graph_semantic_top_k: int = 10
    """Candidate facts drawn by similarity."""
    graph_predicate_top_k: int = 10
    """Candidate facts drawn by a routed predicate."""
    graph_top_k: int = 8
    """Facts that recall returns."""
    graph_recency_half_life_days: float = 30.0
    """The scale of recency, exp(-days / scale): for facts in recall and for the standing of profile entries."""
    graph_recency_recent_days: float = 7.0
    """A fact younger than this carries a `recency_Nd` reason."""
    graph_predicate_boost: float = 1.5
    """Factor on the score of a fact whose predicate the question asks for."""
    graph_token_overlap_weight: float = 0.5
    """Factor on the score of a fact reached only through a shared part of a name."""
    graph_token_overlap_threshold: int = 20
    """A part of a name that more entities share is noise; an entity with more edges is ubiquitous, and no topic by itself."""
    graph_token_overlap_max_per_entity: int = 5
    """Entities reached through shared parts of one name."""
    decay_window_days: float = 30.0
    """The length of a decay window; the first after each restatement is a period of grace."""
    decay_factor: float = 0.9
    """Reserved; has no effect."""
    retract_threshold: float = 0.15
    """An edge less confident than this is retracted; a derived one is not drawn."""
    profile_max_entries: int = 16
    """Entries shown in USER.md."""
    insights_max_entries: int = 12
    """Insights shown in MEMORY.md."""
    prompt_version: str = "v7"
    """Another version asks about every chunk again."""
    dream_budget: int = 50
    """Chunks that one dream asks about, and as many session windows; 0 for all."""
    dream_call_budget: int = 0
    """Questions that one dream asks the model, about chunks and session windows together; 0 for no limit."""
    dream_token_budget: int = 0
    """Tokens after which a dream asks no more; 0 for no limit."""
    max_chunks: int = 50_000
    """Chunks kept with their text, softly; the oldest silent ones go first."""
    retention_days: float = 90.0
    """Chunks younger than this always keep their text."""
    rerank_top_k: int = 20
    """Candidates of words, and as many of meaning, that a reranker judges."""
    rerank_model: Literal["llm", "cross-encoder"] | None = None
    """Who reranks, if anyone: the language model, or a model on this machine."""
    rerank_cross_encoder_model: str = "mixedbread-ai/mxbai-rerank-base-v1"
    """The model behind `cross-encoder`."""
    rerank_ambiguity_threshold: float = 0.05
    """Reranking is for questions whose two best answers lie closer than this, as a share of the best one's score."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense, naming the parameter."""
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
                raise ConfigError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
            if name in _WHOLE and not isinstance(value, int):
                raise ConfigError(f"{name} must be a whole number, not {value!r}")
            if name not in _WHOLE:
                object.__setattr__(self, name, float(value))
        for name in ("prompt_version", "rerank_cross_encoder_model"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise ConfigError(f"{name} must be text that is not empty, not {text!r}")
        if self.fusion not in ("convex", "rrf"):
            raise ConfigError(f"fusion must be convex or rrf, not {self.fusion!r}")
        if self.rerank_model not in (None, "llm", "cross-encoder"):
            raise ConfigError(f"rerank_model must be llm, cross-encoder or nothing, not {self.rerank_model!r}")

    @classmethod
    def from_texts(cls, texts: dict[str, str]) -> Self:
        """A configuration from `name=value` texts, as the command line gives them."""
        return cls(**{name: _read(name, text) for name, text in texts.items()})

    def with_texts(self, texts: Mapping[str, str]) -> Self:
        """The same configuration with some values changed by `name=value` texts."""
        return self.replace(**{name: _read(name, text) for name, text in texts.items()})

    def replace(self, **changes: Any) -> Self:
        """The same configuration with some values changed."""
        unknown = changes.keys() - {field.name for field in fields(self)}
        if unknown:
            raise ConfigError(f"there is no parameter {', '.join(sorted(unknown))}; see docs/configuration.md")
        return replace(self, **changes)

    def tunables(self) -> dict[str, Any]:
        """All parameters by name, as the dataflow takes them."""
        return asdict(self)

    def digest(self) -> str:
        """Equal for equal configurations, on every machine."""
        return hashlib.sha256(json.dumps(self.tunables(), sort_keys=True).encode()).hexdigest()[:16]


_COUNT: Final = (0, 10**9)
_RANGES: Final = {
    "salience_min_chars": _COUNT,
    "fts_top_k": _COUNT,
    "graph_top_k_per_entity": _COUNT,
    "embedding_max_scan": _COUNT,
    "graph_semantic_top_k": _COUNT,
    "graph_predicate_top_k": _COUNT,
    "graph_top_k": _COUNT,
    "graph_token_overlap_threshold": _COUNT,
    "graph_token_overlap_max_per_entity": _COUNT,
    "profile_max_entries": _COUNT,
    "insights_max_entries": _COUNT,
    "dream_budget": _COUNT,
    "dream_call_budget": _COUNT,
    "dream_token_budget": _COUNT,
    "max_chunks": _COUNT,
    "rerank_top_k": _COUNT,
    "graph_recency_half_life_days": (1e-6, 1e6),
    "graph_recency_recent_days": (0, 1e6),
    "graph_predicate_boost": (0, 1e6),
    "graph_token_overlap_weight": (0, 1e6),
    "decay_window_days": (1e-3, 1e6),
    "decay_factor": (0, 1),
    "retract_threshold": (0, 1),
    "retention_days": (0, 1e6),
    "rerank_ambiguity_threshold": (0, math.inf),
}
_WHOLE: Final = {name for name, bounds in _RANGES.items() if bounds is _COUNT}


def _read(name: str, text: str) -> Any:
    kinds = {field.name: field.type for field in fields(HyMemConfig)}
    if name not in kinds:
        raise ConfigError(f"there is no parameter {name}; see docs/configuration.md")
    try:
        if kinds[name] is int:
            return int(text)
        return float(text) if kinds[name] is float else text or None
    except ValueError:
        raise ConfigError(f"{name} must be a number, not {text!r}") from None
