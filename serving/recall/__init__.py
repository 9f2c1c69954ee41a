"""Recall: what is remembered about a message, with the reasons. No model is asked."""

from serving.recall.augment import AugmentedContext, augment
from serving.recall.facts import GraphFact, sentence

__all__ = ["AugmentedContext", "GraphFact", "augment", "sentence"]
