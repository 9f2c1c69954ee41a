"""Recall: what is remembered about a message, with the reasons. No model is asked."""

from serving.recall.augment import AugmentedContext, GraphFact, augment

__all__ = ["AugmentedContext", "GraphFact", "augment"]
