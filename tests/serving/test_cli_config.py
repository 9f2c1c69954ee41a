"""`hymem config`, `hymem completion`, and `--workspace`, through the command's real entry point."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from hymem.config import HyMemConfig
from hymem.errors import ConfigError, InputError, UnknownError
from serving.cli.main import hymem as program
from tests.support.command_line import CommandLine, said

SECRET = "0123456789abcdef" * 3


def commands(group: click.Group, path: str = "hymem") -> dict[str, click.Command]:
    """Every command, and the groups themselves, by how they are called."""
    found: dict[str, click.Command] = {path: group}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        found |= (
            commands(command, f"{path} {name}") if isinstance(command, click.Group) else {f"{path} {name}": command}
        )
    return found


ALL = commands(program)


@pytest.fixture
def hymem(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "root")


# ---------------------------------------------------------------------------------------------------------- settings


def test_every_setting_is_told_with_its_source_and_no_secret(hymem: CommandLine):
    hymem.root.mkdir()
    (hymem.root / ".env").write_text(f"HYMEM_HONCHO_AUTH_SECRET={SECRET}\nHYMEM_LOG=json\n")
    hymem.environment |= {"DEEPSEEK_API_KEY": "sk-0123456789abcdefwxyz"}

    output = hymem("config").output + hymem("config", "--json").output
    told = {one["name"]: one for one in hymem.json("config")["settings"]}

    assert {one["source"] for one in told.values() if one["name"].startswith("HYMEM_EMB")} == {
        "default",
        "default: the language model's",
    }
    assert (told["HYMEM_LOG"]["value"], told["HYMEM_LOG"]["source"]) == ("json", str(hymem.root / ".env"))
    assert told["HYMEM_LLM_API_KEY"]["value"] == "…wxyz"
    assert told["HYMEM_LLM_API_KEY"]["source"] == "DEEPSEEK_API_KEY of environment"
    assert "0123456789" not in output


def test_a_root_named_on_the_command_line_comes_first(hymem: CommandLine, tmp_path: Path):
    told = hymem.json("config", "--root", str(tmp_path / "other"))["settings"][0]

    assert (told["value"], told["source"]) == (str(tmp_path / "other"), "the command line")


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"HYMEM_LLM_MODEL": ""}, "set HYMEM_LLM_API_KEY, or HYMEM_LLM_MODEL=rules"),
        ({"HYMEM_HONCHO_PORT": "many"}, "HYMEM_HONCHO_PORT must be a port"),
        ({"HYMEM_LLM_BASE_URL": "localhost"}, "HYMEM_LLM_BASE_URL must begin with http"),
    ],
)
def test_what_is_wrong_is_told_after_the_table(hymem: CommandLine, variables: dict[str, str], sentence: str):
    hymem.environment |= variables

    result = hymem("config")

    assert (result.exit_code, "HYMEM_REDACT" in result.stdout) == (ConfigError.exit_code, True)
    assert sentence in result.stderr


def test_a_misspelt_variable_is_a_warning_of_every_command(hymem: CommandLine):
    hymem.environment |= {"HYMEM_LLM_MODL": "x"}

    assert "is HYMEM_LLM_MODEL meant?" in hymem("config").stderr
    with hymem.process("show", "runs") as process:
        assert "is HYMEM_LLM_MODEL meant?" in process.communicate(timeout=60)[1]


# -------------------------------------------------------------------------------------------------------- workspaces


def test_a_workspace_is_a_memory_of_its_own(hymem: CommandLine):
    hymem("ingest", "--workspace", "team", hymem.file("chat.jsonl", said("The API depends on PostgreSQL.")))
    hymem("--workspace", "team", "dream")

    assert [fact["subject"] for fact in hymem.json("show", "graph", "--workspace", "team")] == ["api"]
    assert hymem.json("show", "graph") == hymem.json("show", "graph", "--workspace", "default") == []
    assert (hymem.root / "workspaces" / "team" / "hymem.db").exists()


def test_asking_a_workspace_that_is_not_there_makes_none(hymem: CommandLine):
    hymem("ingest", "--workspace", "team", hymem.file("chat.jsonl", said()))

    result = hymem("show", "graph", "--workspace", "tean")

    assert (result.exit_code, "is 'team' meant?" in result.stderr) == (UnknownError.exit_code, True)
    assert [folder.name for folder in (hymem.root / "workspaces").iterdir()] == ["team"]


@pytest.mark.parametrize("name", ["../else", "a/b", "a b", "ä", "x" * 513])
def test_a_workspace_that_is_no_id_is_refused(hymem: CommandLine, name: str):
    result = hymem("ingest", "--workspace", name, hymem.file("chat.jsonl", said()))

    assert (result.exit_code, hymem.root.exists()) == (InputError.exit_code, False)


def test_a_token_reaches_no_farther_than_the_workspace_named_before_the_command(hymem: CommandLine):
    jwt = pytest.importorskip("jwt")
    hymem.environment |= {"HYMEM_HONCHO_AUTH_SECRET": SECRET}

    token = hymem("--workspace", "team", "serve", "token").stdout.strip()

    assert jwt.decode(token, SECRET, algorithms=["HS256"]).get("w") == "team"


# --------------------------------------------------------------------------------------------------------------- help


@pytest.mark.parametrize("name", ALL)
def test_every_help_page_has_examples_of_that_command(name: str):
    epilog = ALL[name].epilog or ""

    assert re.search(r"^(Examples?|A first visit):", epilog, re.MULTILINE)
    assert re.search(rf"\b{name}\b|\bhymem --?\w+ \S+ {name.removeprefix('hymem ')}\b", epilog)


ELSEWHERE = ("honcho", "serve ui", "completion", "hermes")
"""What serves all workspaces, prints a script, or finds its memory in hermes-agent's own folder."""


@pytest.mark.parametrize("name", [name for name in ALL if not name.endswith(ELSEWHERE)])
def test_every_command_takes_a_root_and_a_workspace(name: str):
    assert {"--root", "--workspace"} <= {option for one in ALL[name].params for option in one.opts}


@pytest.mark.parametrize(
    ("shell", "opening"), [("bash", "_hymem_completion"), ("zsh", "#compdef hymem"), ("fish", "function")]
)
def test_a_shell_is_taught_to_complete(hymem: CommandLine, shell: str, opening: str):
    script = hymem("completion", shell).stdout

    assert opening in script and "_HYMEM_COMPLETE" in script


def test_the_program_answers_the_shell(hymem: CommandLine):
    asked = {"_HYMEM_COMPLETE": "bash_complete", "COMP_WORDS": "hymem doctor --re", "COMP_CWORD": "2"}
    held = {name: value for name, value in {**os.environ, **hymem.environment, **asked}.items() if value is not None}

    answered = subprocess.run(
        [sys.executable, "-c", "from serving.cli.main import run; run()"],
        env=held,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "plain,--repair" in answered.stdout


def test_the_numbers_that_shape_memory_are_printed_with_their_defaults(hymem: CommandLine):
    numbers = hymem.json("config")["numbers"]

    assert numbers["decay_window_days"] == HyMemConfig().decay_window_days
