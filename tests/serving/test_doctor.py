import os
from pathlib import Path

import apsw
import pytest

from hymem import HyMem
from hymem.errors import ConfigError, ModelError, StoreError
from hymem.store import health
from serving.doctor.findings import Finding, exit_code
from tests.support.command_line import CommandLine, said
from tests.support.openai_server import Answer, OpenAIServer


@pytest.fixture
def hymem(tmp_path: Path) -> CommandLine:
    hymem = CommandLine(tmp_path / "root")
    hymem("ingest", hymem.file("chat.jsonl", said("The API depends on PostgreSQL.")))
    return hymem


def examined(hymem: CommandLine, *options: str) -> tuple[int, dict[str, dict]]:
    told = hymem.json("doctor", *options)
    return told["exit_code"], {finding["check"]: finding for finding in told["findings"]}


def test_all_is_well_after_a_dream(hymem: CommandLine):
    hymem("dream")

    status, found = examined(hymem)

    assert status == 0
    assert {finding["level"] for finding in found.values()} == {"ok"}
    assert found.keys() >= {"root", "model", "sqlite-vec", "schema", "integrity", "references", "search index", "lock"}
    assert found["sqlite-vec"]["message"].startswith("v0.")


def test_whatever_is_not_well_has_a_remedy(hymem: CommandLine):
    (hymem.root / "hymem.db").chmod(0o644)
    hymem.environment["HYMEM_LLM_MODEL"] = "deepseek-chat"

    _, found = examined(hymem)

    assert all(finding["remedy"] for finding in found.values() if finding["level"] != "ok")
    assert {name for name, finding in found.items() if finding["level"] != "ok"} == {"key", "permissions", "dreams"}


def test_looking_at_nothing_makes_nothing(tmp_path: Path):
    status, found = examined(CommandLine(tmp_path / "root"))

    assert status == 0
    assert found["database"]["level"] == "note"
    assert not (tmp_path / "root").exists()


def test_a_missing_key_is_an_error_of_the_settings(tmp_path: Path):
    status, found = examined(CommandLine(tmp_path, HYMEM_LLM_MODEL=""))

    assert status == ConfigError.exit_code
    assert "HYMEM_LLM_MODEL=rules" in found["key"]["remedy"]


def test_a_key_is_masked_and_a_password_in_an_address_is_not_told(tmp_path: Path):
    hymem = CommandLine(
        tmp_path,
        HYMEM_LLM_MODEL="m",
        HYMEM_LLM_API_KEY="sk-0123456789abcdefwxyz",
        HYMEM_LLM_BASE_URL="https://me:hunter2@example.org/v1",
    )

    told = hymem("doctor").output + hymem("doctor", "--json").output

    assert "…wxyz" in told
    assert "0123456789" not in told and "hunter2" not in told


def test_a_malformed_setting_is_the_one_finding(tmp_path: Path):
    status, found = examined(CommandLine(tmp_path, HYMEM_LLM_BASE_URL="localhost"))

    assert (status, list(found)) == (ConfigError.exit_code, ["settings"])


@pytest.mark.parametrize("damage", ["not a database at all. " * 300, ""])
def test_a_file_that_is_no_database_is_an_error_of_the_store(hymem: CommandLine, damage: str):
    (hymem.root / "hymem.db").write_text(damage or "x" * 5000)

    status, found = examined(hymem)

    assert status == StoreError.exit_code
    assert found["database"]["level"] == "error"


def test_a_damaged_page_is_found(hymem: CommandLine):
    hymem("ingest", hymem.file("more.jsonl", *(said(f"number {n} " * 200) for n in range(300))))
    path = hymem.root / "hymem.db"
    with path.open("r+b") as file:
        for page in range(60, 90):
            file.seek(4096 * page)
            file.write(os.urandom(4096))

    status, found = examined(hymem)

    assert status == StoreError.exit_code
    assert "error" in {finding["level"] for finding in found.values()}


def test_a_broken_index_is_found_and_repaired(hymem: CommandLine):
    hymem("dream")
    connection = apsw.Connection(str(hymem.root / "hymem.db"))
    connection.execute("insert into chunks_fts (chunks_fts) values ('delete-all')")
    connection.close()

    before, found = examined(hymem)
    after, mended = examined(hymem, "--repair")

    assert (before, found["search index"]["remedy"]) == (StoreError.exit_code, "`hymem doctor --repair`")
    assert (after, mended["search index"]["level"]) == (0, "ok")


def test_a_row_that_refers_to_nothing_is_found(hymem: CommandLine):
    connection = apsw.Connection(str(hymem.root / "hymem.db"))
    connection.execute("delete from peers")
    connection.close()

    status, found = examined(hymem)

    assert (status, found["references"]["message"]) == (StoreError.exit_code, "messages → peers")


def test_a_dream_that_was_refused_is_told(hymem: CommandLine):
    with OpenAIServer([Answer(status=401)]) as server:
        hymem.environment |= {"HYMEM_LLM_BASE_URL": server.url, "HYMEM_LLM_MODEL": "m", "HYMEM_LLM_API_KEY": "k" * 20}
        hymem("dream")
        status, found = examined(hymem)

    assert status == 1
    assert "refuses the key" in found["dream"]["message"]
    assert "hymem dream --budget all" in found["waiting"]["remedy"]


@pytest.mark.parametrize(("answer", "status"), [(Answer(text="Yes."), 1), (Answer(status=401), ModelError.exit_code)])
def test_the_endpoint_is_asked_only_online(hymem: CommandLine, answer: Answer, status: int):
    hymem("dream")
    with OpenAIServer([answer]) as server:
        hymem.environment |= {"HYMEM_LLM_BASE_URL": server.url, "HYMEM_LLM_MODEL": "m", "HYMEM_LLM_API_KEY": "k" * 20}
        quiet, _ = examined(hymem)
        asked_before = len(server.asked)
        online, found = examined(hymem, "--online")

    assert (quiet, asked_before, online) == (0, 0, status)
    assert found["endpoint"]["level"] == ("ok" if status == 1 else "error")


def test_the_exit_code_is_that_of_the_worst():
    findings = [Finding("a", "warning", ""), Finding("b", "error", "", "", 5), Finding("c", "note", "")]

    assert [exit_code(findings), exit_code(findings[:1]), exit_code(findings[2:]), exit_code([])] == [5, 1, 0, 0]


def test_a_sound_database_has_no_findings(tmp_path: Path):
    with HyMem(tmp_path) as memory, memory._database.reading() as connection:
        assert (health.quick_check(connection), health.orphans(connection)) == ([], [])


def test_a_name_that_drifted_is_found_and_put_right(hymem: CommandLine):
    connection = apsw.Connection(str(hymem.root / "hymem.db"))
    connection.execute("insert into entity_aliases (alias, canonical, created_at) values ('My DB', 'db', '2026')")
    connection.close()

    before, found = examined(hymem)
    after, mended = examined(hymem, "--repair")

    assert (before, found["names"]["level"], found["names"]["remedy"]) == (1, "warning", "`hymem doctor --repair`")
    assert (after, mended["names"]["level"], mended["repair"]["level"]) == (0, "ok", "note")
