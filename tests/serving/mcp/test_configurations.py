"""What docs/mcp.md tells users to paste."""

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SNIPPETS = re.findall(r"```(json|toml)\n(.*?)```", (ROOT / "docs/mcp.md").read_text(encoding="utf-8"), re.DOTALL)
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]


def test_there_is_something_to_paste():
    assert {kind for kind, _ in SNIPPETS} == {"json", "toml"}


@pytest.mark.parametrize(("kind", "text"), SNIPPETS, ids=range(len(SNIPPETS)))
def test_a_snippet_can_be_read_and_names_a_command_that_is_installed(kind: str, text: str):
    told = json.loads(text) if kind == "json" else tomllib.loads(text)

    (server,) = next(iter(told.values())).values()
    assert server["command"] in SCRIPTS
    assert server["env"] == {"HYMEM_LLM_MODEL": "rules"}


def test_other_snippets_name_it_too():
    text = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")

    assert "-- hymem-server" in text and "command: hymem-server" in text
