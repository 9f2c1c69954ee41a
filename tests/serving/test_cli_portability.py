"""`hymem export`, `import` and `backup`, as a user calls them."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, said

SENTENCE = "The API depends on PostgreSQL."
KEY = "sk-0123456789abcdef0123456789abcdef"


@pytest.fixture
def hymem(tmp_path: Path) -> CommandLine:
    line = CommandLine(tmp_path / "root")
    line("ingest", line.file("chat.jsonl", said(SENTENCE, created_at="2025-01-01")))
    return line


@pytest.fixture
def elsewhere(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "elsewhere")


def test_a_memory_moves_by_two_commands(hymem: CommandLine, elsewhere: CommandLine, tmp_path: Path):
    archive = str(tmp_path / "memory.zip")
    hymem("dream")
    written = hymem("export", archive)
    read = elsewhere("import", archive)
    elsewhere("dream")

    assert (written.exit_code, read.exit_code) == (0, 0)
    assert "1 message" in written.stdout
    assert "`hymem dream` computes memory" in read.stderr
    assert elsewhere.json("show", "graph") == hymem.json("show", "graph") != []


def test_what_was_imported_is_told_to_programs(hymem: CommandLine, elsewhere: CommandLine, tmp_path: Path):
    archive = str(tmp_path / "memory.zip")

    assert hymem.json("export", archive)["rows"]["messages"] == 1
    assert elsewhere.json("import", archive)["added"] == {"messages": 1, "peers": 1, "sessions": 1}
    assert elsewhere.json("import", archive)["added"] == {}


def test_an_archive_tells_the_models_and_no_key(tmp_path: Path):
    hymem = CommandLine(
        tmp_path / "root",
        HYMEM_LLM_MODEL="gpt-5",
        HYMEM_LLM_BASE_URL=f"https://user:{KEY}@models.example/v1?key={KEY}",
        HYMEM_LLM_API_KEY=KEY,
    )
    hymem("export", str(tmp_path / "memory.zip"))

    with zipfile.ZipFile(tmp_path / "memory.zip") as archive:
        settings = json.loads(archive.read("settings.json"))
        held = b"".join(archive.read(name) for name in archive.namelist())
    assert settings == {"HYMEM_LLM_MODEL": "gpt-5", "HYMEM_LLM_BASE_URL": "https://models.example/v1"}
    assert KEY.encode() not in held


def test_an_archive_replaces_a_memory_after_a_backup(hymem: CommandLine, elsewhere: CommandLine, tmp_path: Path):
    hymem("export", str(tmp_path / "memory.zip"))
    elsewhere("ingest", elsewhere.file("other.jsonl", said("Something else.")))

    replaced = elsewhere("import", "--replace", str(tmp_path / "memory.zip"))

    assert [message["content"] for message in elsewhere.json("show", "messages")] == [SENTENCE]
    (backup,) = (elsewhere.root / "backups").iterdir()
    assert str(backup) in replaced.stderr
    assert (backup / "hymem.db").stat().st_size > 0


@pytest.mark.parametrize("kind", ["chat", "zip", "database"])
def test_what_is_no_archive_is_refused_with_the_way_to_go(kind: str, hymem: CommandLine, tmp_path: Path):
    path = tmp_path / "given"
    if kind == "chat":
        path.write_text(json.dumps([{"mapping": {}, "title": "A chat"}]))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("conversations.json", "[]")
    else:
        hymem("backup", str(path))

    result = hymem("import", str(path))

    assert result.exit_code == 3
    assert ("restore a backup" if kind == "database" else f"`hymem ingest {path}`") in result.stderr


def test_an_archive_is_no_chat(hymem: CommandLine, tmp_path: Path):
    archive = str(tmp_path / "memory.zip")
    hymem("export", archive)

    result = hymem("ingest", archive)

    assert result.exit_code == 3
    assert f"`hymem import {archive}` takes it" in result.stderr


@pytest.mark.parametrize("command", ["export", "backup"])
def test_nothing_is_overwritten_unless_it_is_said(command: str, hymem: CommandLine, tmp_path: Path):
    (tmp_path / "taken").write_text("a letter")

    refused = hymem(command, str(tmp_path / "taken"))
    assert (refused.exit_code, (tmp_path / "taken").read_text()) == (3, "a letter")
    assert "--force" in refused.stderr

    assert hymem(command, "--force", str(tmp_path / "taken")).exit_code == 0


@pytest.mark.parametrize("command", ["export", "backup"])
def test_a_folder_that_is_not_there_is_told(command: str, hymem: CommandLine, tmp_path: Path):
    result = hymem(command, str(tmp_path / "nowhere" / "file"))

    assert result.exit_code == 5
    assert "make sure that the folder exists" in result.stderr
