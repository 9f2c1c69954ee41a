"""`hymem forget`: a preview, a question, a receipt."""

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, said


@pytest.fixture
def talked(tmp_path: Path) -> CommandLine:
    """A memory that dreamt of two things."""
    line = CommandLine(tmp_path / "memory")
    chat = line.file(
        "chat.jsonl",
        said("The api uses Redis.", message_id="m1"),
        said("The worker uses Zanzibar for queues.", message_id="m2"),
    )
    assert line("ingest", chat).exit_code == 0
    assert line("dream").exit_code == 0
    return line


def messages(line: CommandLine) -> list[str]:
    return [message["message_id"] for message in line.json("show", "messages")]


def test_without_yes_and_with_nobody_to_ask_it_shows_what_would_go(talked: CommandLine):
    shown = talked("forget", "--entity", "zanzibar")

    assert shown.exit_code == 0
    assert shown.stdout.startswith("This would go:")
    assert "The worker uses Zanzibar for queues." in shown.stdout
    assert "Nothing was erased; add --yes" in shown.stderr
    assert messages(talked) == ["m1", "m2"]


def test_with_yes_it_erases_and_prints_a_receipt_that_tells_nothing_of_it(talked: CommandLine):
    receipt = talked("forget", "--entity", "zanzibar", "--yes")

    assert receipt.exit_code == 0
    assert receipt.stdout.startswith("Gone:")
    assert "zanzibar" not in receipt.output.lower()
    assert messages(talked) == ["m1"]
    assert "zanzibar" not in talked("show", "graph").output.lower()


def test_the_receipt_names_the_copies_that_hold_it_still(talked: CommandLine):
    (talked.root / "backups" / "before-import-1").mkdir(parents=True)
    assert talked("backup", str(talked.root / "backups" / "before-import-1" / "hymem.db")).exit_code == 0
    (talked.root / "notes.db").write_text("none of HyMem's")

    receipt = talked("forget", "--message", "m2", "--yes")

    assert "backups/before-import-1/hymem.db is a copy from before" in receipt.output
    assert "notes.db" not in receipt.output


def test_a_program_reads_the_counts(talked: CommandLine):
    receipt = talked.json("forget", "--message", "m2", "--yes")

    assert receipt["gone"]["messages"] == 1
    assert receipt["preview"] is False
    assert receipt["examples"] == {}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--entity", "atlantis", "--yes"), 4, "nothing tells of"),
        (("--peer", "nobody", "--yes"), 4, "there are user"),
        ((), 3, "name one thing to forget"),
        (("--message", "m1", "--session", "monday", "--yes"), 3, "name one thing to forget"),
    ],
    ids=["no entity", "no peer", "nothing", "two things"],
)
def test_what_cannot_be_forgotten_is_told(talked: CommandLine, arguments: tuple[str, ...], code: int, words: str):
    refused = talked("forget", *arguments)

    assert (refused.exit_code, words in refused.stderr) == (code, True)
    assert messages(talked) == ["m1", "m2"]
