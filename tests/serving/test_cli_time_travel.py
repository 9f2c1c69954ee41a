"""The command line looks back: `--as-of`, what changed between two moments, and what would change."""

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, said

TALK = (
    said("The billing service uses Redis.", session_id="monday", created_at="2025-01-06T10:00Z"),
    said("The billing service depends on Postgres.", session_id="tuesday", created_at="2025-02-11T10:00Z"),
    said("The billing service uses Redis.", session_id="friday", created_at="2025-02-14T10:00Z"),
)


@pytest.fixture
def hymem(tmp_path: Path) -> CommandLine:
    hymem = CommandLine(tmp_path / "root")
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
