"""Each workspace a folder: ids that touch no path unseen, memories opened when they are needed, nothing left after deletion."""

import time
from pathlib import Path
from threading import Thread

import pytest

from hymem import HyMem
from hymem.errors import BusyError, InputError, UnknownError
from hymem.store.pages import Slice
from hymem.store.where import EVERYTHING
from serving.workspaces import Workspaces


def names(workspaces: Workspaces) -> list[str]:
    return [record.workspace_id for record in workspaces.listed(EVERYTHING, Slice())[1]]


@pytest.mark.parametrize(
    ("workspace_id", "folder"),
    [
        ("default", "."),
        ("team-a_1", "workspaces/team-a_1"),
        ("Team", "workspaces/sha256-"),
        ("con", "workspaces/sha256-"),
        ("-rf", "workspaces/sha256-"),
        ("x" * 512, "workspaces/sha256-"),
    ],
)
def test_a_plain_id_is_its_folders_name_and_another_a_digest(tmp_path: Path, workspace_id: str, folder: str):
    workspaces = Workspaces(tmp_path)

    assert str(workspaces.folder(workspace_id).relative_to(tmp_path)).startswith(folder)
    workspaces.close()


@pytest.mark.parametrize("workspace_id", ["", "..", "a/b", "a\\b", "a\n", "é", "x" * 513, "a.b", "a\x00"])
def test_what_is_no_id_touches_no_path(tmp_path: Path, workspace_id: str):
    workspaces = Workspaces(tmp_path)
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(InputError):
        workspaces.ensure(workspace_id)
    assert sorted(tmp_path.rglob("*")) == before
    workspaces.close()


def test_no_more_memories_stay_open_than_may(tmp_path: Path):
    workspaces = Workspaces(tmp_path, open_at_most=2)
    for n in range(5):
        workspaces.ensure(f"w{n}", {"n": n})

    with workspaces.use("w0") as first, workspaces.use("w1"), workspaces.use("w2"):
        first.log_message("monday", "user", "hello")
    assert len(workspaces._opened) == 2
    assert [workspaces.record(f"w{n}").metadata for n in range(5)] == [{"n": n} for n in range(5)]
    workspaces.close()


def test_a_list_that_was_lost_is_made_anew_from_the_folders(tmp_path: Path):
    HyMem(tmp_path).close()
    workspaces = Workspaces(tmp_path)
    workspaces.ensure("Team", {"a": 1})
    workspaces.close()
    for file in tmp_path.glob("hymem-server.db*"):
        file.unlink()

    again = Workspaces(tmp_path)

    assert sorted(names(again)) == ["Team", "default"]
    assert again.record("Team").metadata == {"a": 1}
    again.close()


def test_deleting_the_default_workspace_leaves_what_is_not_hymems(tmp_path: Path):
    (tmp_path / "MEMORY.md").write_text("My own notes.\n")
    workspaces = Workspaces(tmp_path)
    workspaces.ensure("other")
    workspaces.ensure("default")

    workspaces.delete("default")

    assert not (tmp_path / "hymem.db").exists()
    assert (tmp_path / "MEMORY.md").read_text() == "My own notes.\n"
    assert names(workspaces) == ["other"]
    with pytest.raises(UnknownError):
        workspaces.record("default")
    workspaces.close()


def test_another_process_that_has_a_deleted_workspace_open_finds_it_empty(tmp_path: Path):
    workspaces = Workspaces(tmp_path)
    workspaces.ensure("team")
    with workspaces.use("team") as memory:
        memory.log_message("monday", "user", "hello")
    with HyMem(workspaces.folder("team")) as elsewhere:
        assert len(elsewhere.messages()) == 1

        workspaces.delete("team")

        assert elsewhere.messages() == []
    workspaces.close()


def test_a_workspace_that_is_being_deleted_lets_nobody_in_so_that_it_comes_to_an_end(tmp_path: Path):
    workspaces = Workspaces(tmp_path)
    workspaces.ensure("team")
    deleting = Thread(target=workspaces.delete, args=("team",))

    with workspaces.use("team"):
        deleting.start()
        with pytest.raises(BusyError, match="is being deleted"):
            for _ in range(1000):
                with workspaces.use("team"):
                    time.sleep(0.01)
    deleting.join()

    assert not workspaces.has("team")
    workspaces.close()
