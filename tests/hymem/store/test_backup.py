"""Backups: one moment of a database that goes on, sound and private, under a name that was free."""

import stat
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from hymem.errors import InputError, StoreError
from hymem.store.database import Database
from serving.memory import HyMem
from tests.support.conversations import World

SAID = "The API depends on PostgreSQL."


def restored(backup: Path, folder: Path) -> HyMem:
    folder.mkdir()
    backup.rename(folder / "hymem.db")
    return HyMem(folder)


def test_a_backup_in_the_databases_place_remembers_everything(tmp_path: Path):
    with World.of() as world:
        world.say(SAID)
        world.dream()
        world.memory.backup(tmp_path / "copy.db")

        with restored(tmp_path / "copy.db", tmp_path / "elsewhere") as memory:
            assert memory.edges() == world.memory.edges() != []
            assert memory.log_message("monday", "user", "It can be written, too.")


def test_a_backup_is_of_one_moment_though_others_write_without_waiting(tmp_path: Path):
    with World.of() as world:
        for number in range(200):
            world.say(f"{number} " + "padding " * 2000)

        def write(copied: int, pages: int) -> None:
            if copied < pages:
                world.memory.fork().log_message("tuesday", "user", "Said while pages were copied.")

        world.memory.backup(tmp_path / "copy.db", progress=write)

        with closing(Database.open(tmp_path / "copy.db")) as copy:
            assert copy.rows("select count(*) from messages") == [(200,)]
        assert world.rows("select count(*) > 200 from messages") == [(1,)]


def test_a_backup_is_its_owners_only_and_leaves_nothing_beside_it(tmp_path: Path):
    with World.of() as world:
        world.memory.backup(tmp_path / "copy.db")

    assert [path.name for path in tmp_path.iterdir()] == ["copy.db"]
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600


def test_a_backup_overwrites_nothing_unless_it_is_told_to(tmp_path: Path):
    taken = tmp_path / "copy.db"
    taken.write_text("a letter")
    with World.of() as world:
        with pytest.raises(InputError, match="is there already: choose another name, or add --force"):
            world.memory.backup(taken)
        assert taken.read_text() == "a letter"

        world.memory.backup(taken, force=True)

    assert taken.read_bytes().startswith(b"SQLite format 3\0")


def test_a_database_is_not_its_own_backup_nor_that_of_one_in_use(tmp_path: Path):
    with World.of() as world, HyMem(tmp_path) as other:
        with pytest.raises(InputError, match="is the database itself"):
            world.memory.backup(world.database.path, force=True)
        with pytest.raises(InputError, match="a database that is in use"):
            world.memory.backup(tmp_path / "hymem.db", force=True)
        for side in ("-wal", "-shm"):
            with pytest.raises(InputError, match="belongs to a database"):
                world.memory.backup(tmp_path / f"hymem.db{side}", force=True)
        assert other.messages() == []


def test_a_damaged_database_is_not_backed_up(tmp_path: Path):
    with World.of() as world:
        for number in range(100):
            world.say(f"{number} " + "padding " * 500)
        world.database.checkpoint()
        world.memory.close()
        with world.database.path.open("r+b") as file:
            file.seek(20 * 4096)
            file.write(b"\xff" * 4096)

        with pytest.raises(StoreError, match="damaged"):
            world.memory.backup(tmp_path / "copy.db")

    assert list(tmp_path.iterdir()) == []


def test_two_backups_to_one_name_leave_one_that_is_whole(tmp_path: Path):
    with World.of() as world:
        world.say(SAID)
        both = Event()
        refused: list[str] = []

        def back_up() -> None:
            both.wait()
            try:
                world.memory.backup(tmp_path / "copy.db")
            except InputError as error:
                refused.append(str(error))

        threads = [Thread(target=back_up) for _ in range(2)]
        for thread in threads:
            thread.start()
        both.set()
        for thread in threads:
            thread.join()

    assert len(refused) == 1
    with closing(Database.open(tmp_path / "copy.db")) as copy:
        assert copy.rows("select content from messages") == [(SAID,)]
