"""What the pages promise: the README's example runs, its output is real, and the tables of settings are complete."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from hymem import HyMem, errors
from hymem.config import HyMemConfig
from serving.cli.main import MODULES
from serving.cli.show import show
from serving.recall.facts import GraphFact
from tests.support.command_line import CommandLine

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONFIGURATION = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
CLI = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
DOMAIN = (ROOT / "docs/domain.md").read_text(encoding="utf-8")
TESTING = (ROOT / "docs/testing.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def close_all(names: dict[str, object]) -> None:
    for value in names.values():
        if isinstance(value, HyMem):
            value.close()


def first_column(page: str, heading: str) -> list[str]:
    """The code that begins each row of the first table under a heading ("" for the page's own)."""
    section = page.partition(f"\n## {heading}\n")[2] if heading else page
    table = section.partition("\n| --- ")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(.+?)` ", table, re.MULTILINE)


def files_named(text: str) -> set[str]:
    """The files and folders of the packages, the tests and the pages that a text names in code."""
    return set(re.findall(r"`((?:hymem|dataflows|serving|tests|docs|examples)/[\w./-]*)`", text))


def rows(page: str) -> dict[str, str]:
    """Default by name, from every table whose first column is code."""
    return dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE))


@pytest.mark.parametrize("page", ["README.md", "docs/configuration.md"])
def test_the_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    names = dict[str, object]()
    for example in blocks((ROOT / page).read_text(encoding="utf-8"), "python"):
        exec(compile(example, page, "exec"), names)
    close_all(names)


def test_the_readmes_example_shows_what_it_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)

    exec(compile(blocks(README, "python")[0], "README.md", "exec"), {})

    printed = capsys.readouterr().out.splitlines()
    assert any(line.startswith("worker depends on celery ('fallback:entity_anchored'") for line in printed)
    assert printed[-1] == "0.667 × 0.667 = 0.444: along the strongest path"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """The demo's memory."""
    hymem = CommandLine(tmp_path_factory.mktemp("demo") / "root")
    hymem("ingest", str(ROOT / "examples/demo.jsonl"))
    hymem("dream", "--budget", "all")
    return hymem


def test_the_explanation_in_the_readme_is_the_demos(demo: CommandLine):
    printed = demo("why", "local_dev uses uv").stdout

    (block,) = re.findall(r"^<!-- why -->\n```\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    pieces = (piece for line in block.splitlines() for piece in line.split("…") if piece.strip())
    assert [piece for piece in pieces if piece.strip() not in printed] == []


def test_the_demo_teaches_what_it_should(demo: CommandLine):
    memory_md, user_md = ((demo.root / name).read_text(encoding="utf-8") for name in ("MEMORY.md", "USER.md"))
    facts = {edge["sentence"]: edge for edge in demo.json("show", "graph")}

    assert "postgresql is a shared dependency of: api, catalogue, worker" in memory_md
    assert "user rejects yaml" in memory_md
    assert "conflicting evidence whether api uses redis (2 for, 1 against)" in memory_md
    assert "I prefer short answers" in user_md and "Ik gebruik liever ruff" in user_md
    assert facts["checkout depends on postgresql"]["derived"]
    assert facts["user does not use docker"]["negated"]
    assert "orders_service requires postgresql >= 15" in facts
    assert not any("mongo" in fact for fact in facts)


def test_every_parameter_has_its_line_and_its_default():
    documented = rows(CONFIGURATION)

    for parameter in fields(HyMemConfig):
        default = parameter.default if isinstance(parameter.default, str) else repr(parameter.default)
        assert documented.get(parameter.name) == f"`{default}`", parameter.name


def test_no_parameter_is_invented():
    names = {parameter.name for parameter in fields(HyMemConfig)}

    assert {name for name in rows(CONFIGURATION) if not name.isupper()} == names


def test_every_variable_that_is_read_is_documented_and_no_other():
    source = ast.parse((ROOT / "hymem/settings.py").read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(source) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    read = {text for text in texts if re.fullmatch(r"HYMEM_[A-Z_]+", text)}

    assert {name for name in rows(CONFIGURATION) if name.isupper()} == read
    assert {name for name in rows(README) if name.isupper()} <= read


def test_the_table_of_commands_is_the_commands():
    assert [words.split()[1] for words in first_column(CLI, "")] == list(MODULES)


def test_the_tables_that_can_be_shown_are_listed_where_commands_are_and_where_they_are_told():
    (listed,) = re.findall(r"^\| `hymem show TABLE` \| List (.*?)\. \|$", CLI, re.MULTILINE)

    assert re.findall(r"`(\w+)`", listed) == list(show.commands)
    assert [words.split()[2] for words in first_column(CLI, "What `show` shows")] == list(show.commands)


def test_every_exit_code_has_its_line():
    codes = {error.exit_code for error in vars(errors).values() if isinstance(error, type)}
    told = CLI.partition("\n## Exit codes\n")[2]

    assert [code for code in codes if f"\n| {code} | " not in told] == []


def table_rows(page: str) -> str:
    return "\n".join(line for line in page.splitlines() if line.startswith("| "))


@pytest.mark.parametrize("page", [DOMAIN, TESTING], ids=["domain", "testing"])
def test_every_file_that_a_table_names_is_there(page: str):
    named = files_named(table_rows(page))

    assert len(named) > 20
    assert [file for file in sorted(named) if not (ROOT / file).exists()] == []


def test_every_table_and_column_that_the_vocabulary_names_is_there():
    schema = (ROOT / "hymem/store/schema.sql").read_text(encoding="utf-8")
    known = {*re.findall(r"\w+", schema), *vars(HyMemConfig()), *GraphFact.__annotations__}
    homes = [row.rsplit(" | ", 1)[1] for row in DOMAIN.splitlines() if row.startswith("| **")]
    named = {
        word for home in homes for code in re.findall(r"`([a-z_]+(?:\.[a-z_]+)?)`", home) for word in code.split(".")
    }

    assert named - known == set()


def test_every_command_and_method_that_the_vocabulary_names_is_there():
    commands, methods = re.findall(r"`hymem (\w+)", DOMAIN), re.findall(r"`HyMem\.(\w+)", DOMAIN)

    assert set(commands) <= MODULES.keys()
    assert [method for method in methods if not hasattr(HyMem, method)] == []


def test_every_word_has_one_entry():
    words = re.findall(r"^\| \*\*(.+?)\*\* \|", DOMAIN, re.MULTILINE)

    assert sorted(set(words)) == sorted(words)


def test_every_link_leads_somewhere():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    links = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    ]

    assert [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_the_readme_can_be_read_in_one_sitting():
    assert len(README.splitlines()) <= 150
