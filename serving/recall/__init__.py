"""Recall: what is remembered about a message, with the reasons. No language model is asked, unless to rerank."""

from serving.recall.augment import AugmentedContext, augment
from serving.recall.facts import GraphFact, sentence

__all__ = ["AugmentedContext", "GraphFact", "augment", "sentence"]
