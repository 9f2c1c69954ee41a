"""Extraction without a language model: a pattern grammar over clauses, built for precision."""

from typing import TYPE_CHECKING, Any

from hymem.models.rules.client import RulesExtractor

if TYPE_CHECKING:
    from hymem.models.rules.extractor import extract
    from hymem.models.rules.findings import EntityType, Extraction, Marker, Triple

__all__ = ["EntityType", "Extraction", "Marker", "RulesExtractor", "Triple", "extract"]


def __getattr__(name: str) -> Any:
    """The grammar's own names, which load it."""
    if name == "extract":
        from hymem.models.rules.extractor import extract

        return extract
    if name in __all__:
        from hymem.models.rules import findings

        return getattr(findings, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
