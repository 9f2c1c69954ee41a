import math
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.config import HyMemConfig
from hymem.errors import ConfigError

PARAMETERS = {field.name: field for field in fields(HyMemConfig)}
NUMBERS = sorted(name for name, field in PARAMETERS.items() if field.type in (int, float))
COUNTS = sorted(name for name, field in PARAMETERS.items() if field.type is int)


def test_configurations_are_values():
    assert HyMemConfig() == HyMemConfig()
    assert HyMemConfig(decay_window_days=14).replace(decay_window_days=30) == HyMemConfig()
    assert HyMemConfig().digest() == HyMemConfig(decay_window_days=30).digest()


def test_whole_days_are_as_good_as_fractions():
    assert HyMemConfig(decay_window_days=14).digest() == HyMemConfig(decay_window_days=14.0).digest()


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_is_part_of_the_digest_and_of_the_tunables(name: str):
    other = HyMemConfig().replace(**{name: getattr(HyMemConfig(), name) / 2 if name not in COUNTS else 7})

    assert other.digest() != HyMemConfig().digest()
    assert other.tunables().keys() == PARAMETERS.keys()
    assert other.tunables()[name] == getattr(other, name)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [-1, math.nan, True, "7", None], ids=str)
def test_a_number_that_makes_no_sense_is_refused_by_name(name: str, value: Any):
    with pytest.raises(ConfigError, match=f"{name} must be a number from"):
        HyMemConfig(**{name: value})


@pytest.mark.parametrize("name", COUNTS)
def test_what_is_counted_is_whole(name: str):
    with pytest.raises(ConfigError, match=f"{name} must be a whole number"):
        HyMemConfig(**{name: 1.5})


@pytest.mark.parametrize("name", ["prompt_version", "rerank_cross_encoder_model"])
@pytest.mark.parametrize("value", ["", "  ", None, 7])
def test_a_text_must_say_something(name: str, value: Any):
    with pytest.raises(ConfigError, match=name):
        HyMemConfig(**{name: value})


def test_an_unknown_reranker_is_refused():
    with pytest.raises(ConfigError, match="rerank_model must be"):
        HyMemConfig().replace(rerank_model="a-hunch")


def test_an_unknown_parameter_is_refused_by_name():
    with pytest.raises(ConfigError, match="there is no parameter decay_widow"):
        HyMemConfig().replace(decay_widow=3)
    with pytest.raises(ConfigError, match="there is no parameter decay_widow"):
        HyMemConfig.from_texts({"decay_widow": "3"})


def test_texts_become_what_the_parameters_are():
    read = HyMemConfig.from_texts(
        {"dream_budget": "7", "decay_window_days": "14", "prompt_version": "v8", "rerank_model": "llm"}
    )

    assert read == HyMemConfig(dream_budget=7, decay_window_days=14.0, prompt_version="v8", rerank_model="llm")


def test_an_empty_text_chooses_no_reranker():
    assert HyMemConfig.from_texts({"rerank_model": ""}).rerank_model is None


@pytest.mark.parametrize(
    ("name", "text"), [("dream_budget", "many"), ("dream_budget", "1.5"), ("retention_days", "long")]
)
def test_a_text_that_is_no_number_is_refused(name: str, text: str):
    with pytest.raises(ConfigError, match=f"{name} must be a number, not '{text}'"):
        HyMemConfig.from_texts({name: text})


@given(st.integers(0, 10**6), st.floats(0.001, 1000))
def test_a_configuration_written_down_reads_back(budget: int, days: float):
    config = HyMemConfig(dream_budget=budget, decay_window_days=days)

    assert HyMemConfig.from_texts({name: str(config.tunables()[name]) for name in NUMBERS}) == config
