import re
from pathlib import Path

import pytest

from hymem.errors import ConfigError
from hymem.settings import read_environment, read_server_settings, read_settings
from hymem.variables import NAMES, PREFIX, VARIABLES, masked

HOME = Path(__file__).parents[2]


def dotenv(root: Path, text: str | bytes) -> dict[str, str]:
    """An environment whose root holds this `.env`."""
    root.mkdir(parents=True, exist_ok=True)
    (root / ".env").write_bytes(text.encode() if isinstance(text, str) else text)
    return {"HYMEM_ROOT": str(root)}


def test_a_file_in_the_root_says_what_the_environment_does_not(tmp_path: Path):
    given = dotenv(
        tmp_path, 'export HYMEM_LLM_MODEL="rules"  # no key\nHYMEM_LLM_CONCURRENCY=3\nHYMEM_HONCHO_PORT=9000\n'
    )

    settings = read_settings(given | {"HYMEM_LLM_CONCURRENCY": "5", "HYMEM_HONCHO_PORT": " "})

    assert (settings.llm_model, settings.llm_concurrency) == ("rules", 5)
    assert read_server_settings(given).honcho_port == 9000


def test_where_each_value_came_from_is_known(tmp_path: Path):
    given = dotenv(tmp_path, "HYMEM_LLM_MODEL=rules\nHYMEM_LOG=json\n") | {"HYMEM_LOG": "text"}

    found = read_environment(given, root=str(tmp_path))

    assert found.sources == {
        "HYMEM_ROOT": "the command line",
        "HYMEM_LLM_MODEL": str(tmp_path / ".env"),
        "HYMEM_LOG": "environment",
    }


def test_a_workspace_is_served_by_the_file_of_its_root(tmp_path: Path):
    dotenv(tmp_path, "HYMEM_LLM_MODEL=rules\n")
    (tmp_path / "hymem.db").touch()

    assert read_settings({}, root=str(tmp_path / "workspaces" / "team")).llm_model == "rules"


def test_a_folder_of_other_workspaces_is_nobodys_root(tmp_path: Path):
    dotenv(tmp_path, "HYMEM_LLM_MODEL=rules\n")

    assert read_settings({}, root=str(tmp_path / "workspaces" / "team")).llm_model == "deepseek-chat"


@pytest.mark.parametrize("written", ["HYMEM_LLM_MODEL=$HOME/${HOME}\n", "\ufeffHYMEM_LLM_MODEL='$HOME/${HOME}'\r\n"])
def test_nothing_in_the_file_is_expanded(tmp_path: Path, written: str):
    assert read_settings(dotenv(tmp_path, written)).llm_model == "$HOME/${HOME}"


def test_what_belongs_to_other_programs_is_left_aside(tmp_path: Path):
    given = dotenv(tmp_path, "OPENAI_API_KEY=sk-theirs\nPATH=/nowhere\nDEEPSEEK_API_KEY=sk-ours\n")

    found = read_environment(given)

    assert (set(found.values), found.remarks) == ({"HYMEM_ROOT", "DEEPSEEK_API_KEY"}, ())


def test_a_misspelt_variable_is_told_with_the_name_that_was_meant(tmp_path: Path):
    given = dotenv(tmp_path, "HYMEM_COLOUR=red\n") | {"HYMEM_LLM_MODL": "rules"}

    assert read_environment(given).remarks == (
        "the environment sets HYMEM_LLM_MODL, which HyMem does not know; is HYMEM_LLM_MODEL meant?",
        f"{tmp_path / '.env'} sets HYMEM_COLOUR, which HyMem does not know",
    )


def test_a_line_that_makes_no_sense_is_told_by_its_number_alone(tmp_path: Path):
    told = read_environment(dotenv(tmp_path, "HYMEM_LLM_MODEL=rules\n='sk-secret\nHYMEM_LOG=json\n"))

    assert told.remarks == (f"{tmp_path / '.env'}:2: the line makes no sense and is left aside",)
    assert told.get("HYMEM_LOG") == "json"


def test_the_file_cannot_say_where_it_lies_itself(tmp_path: Path):
    given = dotenv(tmp_path, "HYMEM_ROOT=/elsewhere\n")

    assert read_settings(given).root == tmp_path
    assert "HYMEM_ROOT is not taken" in read_settings(given).remarks[0]
    assert read_settings(dotenv(tmp_path, f"HYMEM_ROOT={tmp_path}\n")).remarks == ()


def test_a_file_that_is_no_text_is_refused_by_its_name(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"\.env cannot be read"):
        read_settings(dotenv(tmp_path, b"HYMEM_LLM_MODEL=\xff\n"))


def test_every_variable_that_the_sources_name_is_known_and_has_its_line_in_the_page():
    sources = [
        path.read_text(encoding="utf-8") for room in ("hymem", "serving") for path in (HOME / room).rglob("*.py")
    ]
    named = {name for source in sources for name in re.findall(rf"\b{PREFIX}[A-Z_]*[A-Z](?![A-Z_*])", source)}
    page = (HOME / "docs" / "configuration.md").read_text(encoding="utf-8")

    assert named - set(NAMES) - {"HYMEM_EMBEDDING", "HYMEM_HONCHO", "HYMEM_LLM"} == set()
    assert [one.name for one in VARIABLES if f"| `{one.name}` |" not in page] == []


def test_a_key_is_shown_by_its_end_where_enough_stays_hidden():
    assert (masked("sk-0123456789abcdefwxyz"), masked("sk-short")) == ("…wxyz", "…")
