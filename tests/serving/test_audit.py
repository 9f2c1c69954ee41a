"""`hymem audit`, through the command's real entry point, on memories that have each fault for real."""

from pathlib import Path

import apsw
import pytest

from tests.support.command_line import CommandLine, said

KEY = "sk-proj-4f9Qw81LmZ2xTn70RbVyKc36HdJsPeUa"


@pytest.fixture
def hymem(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "root")


def heard(hymem: CommandLine, *texts: str, **fields: str) -> None:
    """These were said, and dreamt over."""
    hymem("ingest", hymem.file("chat.jsonl", *(said(text, **fields) for text in texts)))
    hymem("dream")


def damaged(hymem: CommandLine, *statements: str) -> None:
    connection = apsw.Connection(str(hymem.root / "hymem.db"))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def audited(hymem: CommandLine) -> dict[str, dict]:
    return {concern["name"]: concern for concern in hymem.json("audit")["concerns"]}


def test_a_memory_in_which_all_is_well_gives_nothing_to_say(hymem: CommandLine):
    heard(hymem, "The API depends on PostgreSQL.")

    assert {name: concern["count"] for name, concern in audited(hymem).items()} == {
        "duplicates": 0,
        "unsupported": 0,
        "contradictions": 0,
        "stale": 0,
        "secrets": 0,
        "orphans": 0,
    }


def test_a_memory_that_never_dreamt_can_be_audited(hymem: CommandLine):
    assert (hymem("audit").exit_code, hymem.json("audit")["trend"]) == (0, [])


def test_names_that_differ_in_hyphens_and_facts_told_twice_are_duplicates(hymem: CommandLine):
    heard(hymem, "The API depends on Data-Hub.")
    damaged(
        hymem,
        "insert or ignore into entity_names values ('datahub', 'datahub', 1), ('data_hub', 'data_hub', 1)",
        "insert into facts_told (peer_id, content, category, tags, trust, created_at)"
        " values ('user', 'Tea is hot.', 'g', '', 0.5, '2026'), ('user', 'tea is hot', 'g', '', 0.5, '2026')",
        "insert into facts select fact_id, peer_id, content, 'g', '', 0.5, 0, 0, '2026', '2026', '', '', x'' from facts_told",
    )

    found = audited(hymem)["duplicates"]

    assert any({"data_hub", "datahub"} <= set(told.split(" = ")) for told in found["examples"])
    assert 'told twice: "Tea is hot."' in found["examples"]
    assert "hymem merge" in found["remedy"]


def test_a_fact_without_evidence_and_an_entry_without_a_chunk_are_unsupported(hymem: CommandLine):
    heard(hymem, "The API depends on PostgreSQL.", "I always want short answers, please.")
    damaged(hymem, "delete from kg_evidence", "delete from profile_evidence")

    assert "api depends_on postgresql" in audited(hymem)["unsupported"]["examples"]


def test_two_facts_that_cannot_both_hold_are_a_contradiction(hymem: CommandLine):
    heard(hymem, "The API runs on Linux.", "The API runs on Windows.")

    told = hymem.json("audit")["concerns"][2]

    assert (told["name"], told["count"]) == ("contradictions", 1)
    assert "linux" in told["examples"][0] and "windows" in told["examples"][0]


def test_a_secret_is_told_by_kind_and_place_and_never_shown(hymem: CommandLine):
    heard(hymem, f"The key is {KEY}, and the API depends on PostgreSQL.", message_id="m1")

    told, output = audited(hymem)["secrets"], hymem("audit").output

    assert (told["count"], told["examples"][0].endswith("in messages, m1")) == (1, True)
    assert KEY not in output and "HYMEM_REDACT=store" in output


def test_an_entity_that_nothing_leads_to_is_an_orphan(hymem: CommandLine):
    heard(hymem, "The API depends on PostgreSQL.")
    damaged(hymem, "insert into entity_names values ('nowhere', 'nowhere', 1)")

    assert audited(hymem)["orphans"]["examples"] == ["entity nowhere"]


def test_the_trend_has_a_line_for_every_dream_that_left_another_graph(hymem: CommandLine):
    heard(hymem, "The API depends on PostgreSQL.")
    hymem("dream")
    heard(hymem, "The API uses Redis.")

    told = hymem.json("audit")

    assert [point["active"] for point in told["trend"]] == [1, 2]
    assert (told["graph"]["active"], told["stale_share"]) == (2, 0.0)


def test_the_stale_share_is_of_the_facts_that_recall_serves(hymem: CommandLine):
    heard(hymem, "The API depends on PostgreSQL.", "The API uses Redis.")
    damaged(hymem, "update knowledge_graph set status = 'stale' where object = 'redis'")

    told = hymem.json("audit")

    assert (told["stale_share"], told["concerns"][3]["examples"]) == (0.5, ["api uses redis"])
