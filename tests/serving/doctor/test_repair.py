"""What the doctor finds in files and folders, and what it puts right, each by damage that is really done."""

import os
import time
from pathlib import Path

import apsw
import pytest

from hymem import HyMem
from hymem.store.lock import SILENCE_ALLOWED
from hymem.store.vec_tables import load_vec
from serving.scratch import YOUNG
from tests.support.command_line import CommandLine, said


@pytest.fixture
def hymem(tmp_path: Path) -> CommandLine:
    hymem = CommandLine(tmp_path / "root")
    hymem("ingest", hymem.file("chat.jsonl", said("The API depends on PostgreSQL.")))
    hymem("dream")
    return hymem


def examined(hymem: CommandLine, *options: str) -> dict[str, dict[str, str]]:
    return {finding["check"]: finding for finding in hymem.json("doctor", *options)["findings"]}


def damaged(hymem: CommandLine, *statements: str) -> None:
    connection = apsw.Connection(str(hymem.root / "hymem.db"))
    load_vec(connection)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def backups(hymem: CommandLine) -> list[Path]:
    return list(hymem.root.glob("hymem-before-repair-*.db"))


def embedded(hymem: CommandLine) -> None:
    pytest.importorskip("onnxruntime", reason="the local extra is not installed")
    hymem.environment["HYMEM_EMBEDDING_MODEL"] = "local"
    hymem("dream")


@pytest.mark.parametrize(
    ("damage", "index"),
    [
        ("insert into chunks_fts (chunks_fts) values ('delete-all')", "chunks_fts"),
        ("insert into facts_fts (rowid, content, tags, names, bigrams) values (7, 'x', '', '', '')", "facts_fts"),
    ],
    ids=["emptied", "a row too many"],
)
def test_a_broken_text_index_is_built_anew_after_a_backup(hymem: CommandLine, damage: str, index: str):
    damaged(hymem, damage)

    found = examined(hymem)["search index"]
    untouched = backups(hymem)
    mended = examined(hymem, "--repair")

    assert (found["level"], found["message"].partition(":")[0], untouched) == ("error", index, [])
    assert (mended["search index"]["level"], len(backups(hymem))) == ("ok", 1)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("delete from vector_blocks where kind = 'chunk'", "signs of chunk vectors"),
        ("delete from vec_chunks", "vec_chunks"),
    ],
    ids=["signs", "sqlite-vec"],
)
def test_a_broken_vector_index_is_built_anew(hymem: CommandLine, damage: str, told: str):
    embedded(hymem)
    damaged(hymem, damage)

    before, after = examined(hymem)["search index"], examined(hymem, "--repair")["search index"]

    assert (told in before["message"], after["level"]) == (True, "ok")


def test_a_vector_that_is_cut_short_is_found(hymem: CommandLine):
    embedded(hymem)
    damaged(hymem, "update chunk_embeddings set vector = substr(vector, 1, 8)")

    found = examined(hymem)["vectors"]

    assert (found["level"], "1 vectors in chunk_embeddings" in found["message"]) == ("error", True)


def test_vectors_of_another_model_than_the_one_set_are_found(hymem: CommandLine):
    embedded(hymem)
    hymem.environment |= {"HYMEM_EMBEDDING_BASE_URL": "http://localhost:1/v1", "HYMEM_EMBEDDING_MODEL": "small"}

    found = examined(hymem)["vectors"]

    assert (found["level"], "the settings name small" in found["message"]) == ("error", True)
    assert "hymem reembed" in found["remedy"]


def test_where_nothing_is_broken_nothing_is_copied(hymem: CommandLine):
    examined(hymem, "--repair")

    assert backups(hymem) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_others_lose_their_rights(hymem: CommandLine):
    (hymem.root / ".env").write_text("HYMEM_LOG=json\n")
    for name in ("hymem.db", ".env"):
        (hymem.root / name).chmod(0o644)

    before, after = examined(hymem)["permissions"], examined(hymem, "--repair")["permissions"]

    assert (before["message"], after["level"]) == ("others may read hymem.db, .env", "ok")
    assert (hymem.root / "hymem.db").stat().st_mode & 0o777 == 0o600


def test_what_killed_processes_left_is_told_and_removed(
    hymem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (view := tmp_path / "hymem-view-dead").mkdir()
    (draft := hymem.root / ".hymem-x.tmp").write_text("half")
    (fresh := hymem.root / ".new-hymem-y.tmp").write_text("somebody is at work")
    os.utime(view, (time.time() - 2 * YOUNG,) * 2)
    os.utime(draft, (time.time() - 7200,) * 2)

    before, after = examined(hymem)["remnants"], examined(hymem, "--repair")

    assert before["message"] == "killed processes left .hymem-x.tmp, hymem-view-dead behind"
    assert ("remnants" in after, view.exists(), draft.exists(), fresh.exists()) == (False, False, False, True)


def test_another_package_of_our_name_is_found(hymem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (other := tmp_path / "site" / "serving" / "__init__.py").parent.mkdir(parents=True)
    other.touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))

    found = examined(hymem)["import names"]

    assert (found["level"], found["message"]) == ("warning", f"there is another 'serving': {other}")


def test_a_dreamer_that_died_is_told_from_one_that_lives(hymem: CommandLine):
    with HyMem(hymem.root) as memory:
        now = memory.query("select max(started_at) as at from dream_runs")["at"][0]
    damaged(
        hymem, f"insert into run_lock values ('dream', 'x', 'elsewhere', 1, '{now}', '2020-01-01T00:00:00.000000Z')"
    )

    found = examined(hymem)["lock"]

    assert (found["level"], found["message"].endswith("died while it dreamt")) == ("note", True)
    assert SILENCE_ALLOWED.total_seconds() > 0


def test_a_misspelt_variable_is_a_finding(hymem: CommandLine):
    hymem.environment["HYMEM_LLM_MODL"] = "x"

    found = examined(hymem)["settings"]

    assert (found["level"], "is HYMEM_LLM_MODEL meant?" in found["message"]) == ("warning", True)


def test_the_doctor_looks_at_one_workspace(hymem: CommandLine):
    hymem("ingest", "--workspace", "team", hymem.file("chat.jsonl", said()))

    assert examined(hymem, "--workspace", "team")["root"]["message"] == str(hymem.root / "workspaces" / "team")
