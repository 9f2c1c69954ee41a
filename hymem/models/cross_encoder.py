"""A cross-encoder on this machine: a small model that reads question and passage together, and needs no endpoint.

It runs in the `sentence-transformers` library (`pip install 'hymem[rerank]'`), which fetches the model's weights the first time.
Library and model come in with the first question that needs them, and stay.
"""

import math
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from hymem.errors import ConfigError, ModelUnavailableError
from hymem.models.relevance import HIGHEST, LONGEST, LOWEST


class CrossEncoderReranker:
    """A `Reranker` by the name of a model, or by the folder that holds it."""

    def __init__(self, model: str) -> None:
        self.model = model

    def grades(self, question: str, passages: Sequence[str], /) -> list[float]:
        """The model's probability that each passage answers, from 0 to 1, as a grade."""
        try:
            encoder = _encoder(self.model)
            pairs = [(question[:LONGEST], passage[:LONGEST]) for passage in passages]
            told = [float(one) for one in encoder.predict(pairs, show_progress_bar=False)]
        except ImportError as error:
            raise ConfigError(f"{self.model} cannot rerank: pip install 'hymem[rerank]' ({error})") from error
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            raise ModelUnavailableError(f"the cross-encoder {self.model} does not work: {error}") from error
        if len(told) != len(passages) or any(math.isnan(one) for one in told):
            raise ModelUnavailableError(f"{self.model} gives no score for each passage: it is no cross-encoder")
        return [LOWEST + (HIGHEST - LOWEST) * one for one in probabilities(told)]


def probabilities(scores: Sequence[float]) -> list[float]:
    """Scores from 0 to 1 as they are; those of a model that leaves its last step to others, by the logistic function."""
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    return [(1 + math.tanh(score / 2)) / 2 for score in scores]


@cache
def _encoder(model: str) -> Any:
    return import_module("sentence_transformers").CrossEncoder(model)
