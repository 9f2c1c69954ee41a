"""The command line looks back: `--as-of`, what changed between two moments, and what would change."""

import pytest

from tests.support.command_line import CommandLine, said

TALK = (
    said("The billing service uses Redis.", session_id="monday", created_at="2025-01-06T10:00Z"),
    said("The billing service depends on Postgres.", session_id="tuesday", created_at="2025-02-11T10:00Z"),
    said("The billing service uses Redis.", session_id="friday", created_at="2025-02-14T10:00Z"),
)


@pytest.fixture(scope="module")
def hymem(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A memory that nothing here changes."""
    hymem = CommandLine(tmp_path_factory.mktemp("talk") / "root")
    hymem("ingest", hymem.file("talk.jsonl", *TALK))
    hymem("dream")
    return hymem


def sentences(edges: list[dict]) -> set[str]:
    return {edge["sentence"] for edge in edges}


def test_show_augment_and_why_tell_how_things_stood(hymem: CommandLine):
    then = ("--as-of", "2025-01-31")

    assert sentences(hymem.json("show", "graph", *then)) == {"billing_service uses redis"}
    assert len(hymem.json("show", "messages", *then)) == len(hymem.json("show", "sessions", *then)) == 1
    assert sentences(hymem.json("augment", "billing service", *then)["graph_facts"]) == {"billing_service uses redis"}
    assert "(1 + 1) / (1 + 0 + 2)" in hymem("why", "billing_service uses redis", *then).stdout
    assert "(2 + 1) / (2 + 0 + 2)" in hymem("why", "billing_service uses redis").stdout
    assert hymem("why", "billing_service depends on postgresql", *then).exit_code == 4


@pytest.mark.parametrize("moment", ["tomorrow", "2999-01-01", "2025-13-01"])
def test_what_is_no_moment_of_the_past_is_told(hymem: CommandLine, moment: str):
    refused = hymem("show", "graph", "--as-of", moment)

    assert refused.exit_code == 3
    assert moment in refused.stderr


def test_diff_tells_what_was_learnt_and_strengthened(hymem: CommandLine):
    told = hymem("diff", "2025-01-31", "2025-02-28").stdout
    found = hymem.json("diff", "2025-01-31")

    assert told.startswith(
        "Facts learnt\n  billing_service depends on postgresql  (0.667)\n      1 more for it (0 → 1)"
    )
    assert "Facts strengthened\n  billing_service uses redis  (0.667 → 0.750)\n      1 more for it (1 → 2)" in told
    assert {(change["sentence"], change["kind"]) for change in found["edges"]} == {
        ("billing_service depends on postgresql", "learnt"),
        ("billing_service uses redis", "strengthened"),
    }


def test_a_dry_run_tells_what_would_be_another_and_changes_nothing(hymem: CommandLine):
    before = {path.name: path.read_bytes() for path in hymem.root.iterdir()}

    without = hymem("dream", "--dry-run", "--without", "monday", "--without", "tuesday").stdout
    stricter = hymem.json("dream", "--dry-run", "--set", "retract_threshold=0.7", "--as-of", "2025-02-12")

    assert "Facts forgotten\n  billing_service depends on postgresql" in without
    assert {(change["sentence"], change["kind"]) for change in stricter["edges"]} == {
        ("billing_service uses redis", "retracted"),
        ("billing_service depends on postgresql", "retracted"),
    }
    assert hymem("dream", "--dry-run").stdout == "No difference.\n"
    assert {path.name: path.read_bytes() for path in hymem.root.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--set", "decay_window_days=14"), 2, "--dry-run"),
        (("--without", "monday"), 2, "--dry-run"),
        (("--dry-run", "--budget", "3"), 2, "--budget"),
        (("--dry-run", "--set", "decay_window_days"), 2, "NAME=VALUE"),
        (("--dry-run", "--set", "decay_window_days=long"), 2, "must be a number"),
        (("--dry-run", "--set", "patience=3"), 2, "no parameter patience"),
        (("--dry-run", "--without", "sunday"), 4, "sunday"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_what_makes_no_sense_in_a_dry_run_is_told(hymem: CommandLine, arguments: tuple[str, ...], code: int, said: str):
    refused = hymem("dream", *arguments)

    assert (refused.exit_code, said in refused.stderr) == (code, True)
