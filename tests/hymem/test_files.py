import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hymem.errors import BusyError, StoreError
from hymem.files import read_bytes, rewrite


def test_a_new_file_is_its_owner_s_only(tmp_path: Path):
    assert rewrite(tmp_path / "USER.md", lambda old: old + b"new")

    assert (tmp_path / "USER.md").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "USER.md").stat().st_mode) == 0o600


def test_a_changed_file_keeps_its_mode_and_leaves_nothing_beside_it(tmp_path: Path):
    file = tmp_path / "USER.md"
    file.write_bytes(b"old")
    file.chmod(0o644)

    assert rewrite(file, lambda old: old + b" and new")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"old and new", 0o644)
    assert list(tmp_path.iterdir()) == [file]


def test_an_unchanged_file_is_not_touched(tmp_path: Path):
    file = tmp_path / "USER.md"
    file.write_bytes(b"old")
    os.utime(file, ns=(1, 1))
    before = file.stat()

    assert not rewrite(file, lambda old: old)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (1, before.st_ino)


def test_nothing_written_to_no_file_makes_none(tmp_path: Path):
    assert not rewrite(tmp_path / "USER.md", lambda old: old)
    assert read_bytes(tmp_path / "USER.md") is None


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link_and_its_target_changes(tmp_path: Path, exists: bool):
    target, link, link_to_link = tmp_path / "dotfiles" / "user.md", tmp_path / "USER.md", tmp_path / "U.md"
    target.parent.mkdir()
    if exists:
        target.write_bytes(b"old")
    link.symlink_to(target)
    link_to_link.symlink_to("USER.md")

    assert rewrite(link_to_link, lambda old: b"new")
    assert link.is_symlink() and link_to_link.is_symlink() and target.read_bytes() == b"new"


def test_a_human_s_edit_during_the_work_is_taken_up(tmp_path: Path):
    file = tmp_path / "USER.md"
    file.write_bytes(b"old")

    def while_a_human_saves(old: bytes) -> bytes:
        if old == b"old":
            file.write_bytes(b"edited")
        return old + b" and new"

    assert rewrite(file, while_a_human_saves)
    assert file.read_bytes() == b"edited and new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_made_during_the_work_is_taken_up(tmp_path: Path):
    file = tmp_path / "USER.md"

    def while_a_human_starts_one(old: bytes) -> bytes:
        if not file.exists():
            file.write_bytes(b"mine")
        return old + b" and new"

    assert rewrite(file, while_a_human_starts_one)
    assert file.read_bytes() == b"mine and new"


def test_a_program_that_never_stops_changing_the_file_is_given_way(tmp_path: Path):
    file = tmp_path / "USER.md"

    def while_a_log_grows(old: bytes) -> bytes:
        file.write_bytes(old + b".")
        return b"new"

    with pytest.raises(BusyError, match="close it there"):
        rewrite(file, while_a_log_grows)
    assert set(file.read_bytes()) == set(b".")
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no lock on folders")
def test_writers_take_turns_so_that_no_line_is_lost(tmp_path: Path):
    file = tmp_path / "MEMORY.md"

    def write(line: int) -> bool:
        return rewrite(file, lambda old: old + b"%d\n" % line)

    with ThreadPoolExecutor(8) as writers:
        assert all(writers.map(write, range(100)))
    assert sorted(map(int, file.read_text().split())) == list(range(100))


@pytest.mark.parametrize("place", ["no/such/folder/USER.md", "file/USER.md", "folder", "loop"])
def test_where_nothing_can_be_written_the_reader_learns_what_to_do(tmp_path: Path, place: str):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(StoreError, match="make sure that the folder"):
        rewrite(tmp_path / place, lambda old: b"new")


def test_what_is_no_file_cannot_be_read(tmp_path: Path):
    with pytest.raises(StoreError, match="it is not a file"):
        read_bytes(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_full_disk_leaves_the_old_file(tmp_path: Path):
    file = tmp_path / "USER.md"
    file.write_bytes(b"old")
    program = (
        "import resource, sys; from pathlib import Path; from hymem.files import rewrite; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)); "
        "rewrite(Path(sys.argv[1]), lambda old: b'x' * 20_000)"
    )

    run = subprocess.run([sys.executable, "-c", program, file], check=False, capture_output=True, text=True)

    assert "StoreError" in run.stderr and "has space left" in run.stderr
    assert list(tmp_path.iterdir()) == [file] and file.read_bytes() == b"old"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_leaves_the_old_file(tmp_path: Path):
    file = tmp_path / "USER.md"
    file.write_bytes(b"old")
    tmp_path.chmod(0o500)

    with pytest.raises(StoreError, match="is writable"):
        rewrite(file, lambda old: b"new")
    tmp_path.chmod(0o700)
    assert file.read_bytes() == b"old"
