from pathlib import Path

import pytest

from hymem.config import HyMemConfig
from hymem.fingerprint import code_digest, memory_fingerprint


def test_equal_configurations_code_and_models_have_one_fingerprint():
    assert memory_fingerprint(HyMemConfig(), "a-model") == memory_fingerprint(HyMemConfig(), "a-model")


OTHERS = [
    (HyMemConfig(decay_window_days=14), "a-model"),
    (HyMemConfig(prompt_version="v9"), "a-model"),
    (HyMemConfig(), "another-model"),
]


@pytest.mark.parametrize(("config", "model"), OTHERS)
def test_whatever_shapes_memory_changes_the_fingerprint(config: HyMemConfig, model: str):
    assert memory_fingerprint(config, model) != memory_fingerprint(HyMemConfig(), "a-model")


@pytest.mark.parametrize("budget", ["dream_budget", "dream_call_budget", "dream_token_budget"])
def test_a_budget_decides_when_and_not_what(budget: str):
    assert memory_fingerprint(HyMemConfig().replace(**{budget: 3}), "m") == memory_fingerprint(HyMemConfig(), "m")


@pytest.mark.parametrize("changed", ["decay.py", "extraction.md", "schema.sql"])
def test_the_digest_of_the_code_covers_code_prompts_and_schema(monkeypatch: pytest.MonkeyPatch, changed: str):
    plain, before = Path.read_bytes, code_digest.__wrapped__()

    monkeypatch.setattr(Path, "read_bytes", lambda path: plain(path) + (b"#" if path.name == changed else b""))

    assert code_digest.__wrapped__() != before
