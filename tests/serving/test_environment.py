from collections.abc import Iterator
from pathlib import Path

import pytest

from hymem import HyMem, build_from_env
from hymem.errors import ConfigError
from serving import environment as environment_module


@pytest.fixture
def nothing_shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[Path, HyMem]]:
    """No memory is open in this process yet."""
    shared: dict[Path, HyMem] = {}
    monkeypatch.setattr(environment_module, "_shared", shared)
    yield shared
    for memory in shared.values():
        memory.close()


def test_one_memory_serves_a_process(tmp_path: Path, nothing_shared: dict[Path, HyMem]):
    variables = {"HYMEM_ROOT": str(tmp_path), "HYMEM_LLM_MODEL": "rules"}

    assert build_from_env(variables) is build_from_env(variables)
    assert build_from_env(variables, root=str(tmp_path / "other")) is not build_from_env(variables)
    assert len(nothing_shared) == 2


@pytest.mark.usefixtures("nothing_shared")
def test_without_a_key_only_what_needs_no_model_is_built(tmp_path: Path):
    variables = {"HYMEM_ROOT": str(tmp_path)}

    assert build_from_env(variables, need_llm=False).llm is None
    with pytest.raises(ConfigError, match="no key for the language model"):
        build_from_env(variables)


@pytest.mark.usefixtures("nothing_shared")
def test_a_memory_gets_its_model_when_somebody_needs_it(tmp_path: Path):
    shy = build_from_env({"HYMEM_ROOT": str(tmp_path)}, need_llm=False)

    bold = build_from_env({"HYMEM_ROOT": str(tmp_path), "HYMEM_LLM_MODEL": "rules"})

    assert bold is shy
    assert shy.llm is not None
