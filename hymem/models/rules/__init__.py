"""Extraction without a language model: a pattern grammar over clauses, built for precision."""

from hymem.models.rules.extractor import RulesExtractor, extract
from hymem.models.rules.findings import EntityType, Extraction, Marker, Triple

__all__ = ["EntityType", "Extraction", "Marker", "RulesExtractor", "Triple", "extract"]
