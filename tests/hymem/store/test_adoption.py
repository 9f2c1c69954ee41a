from pathlib import Path

import apsw
import pytest

from hymem import HyMem


def another(root: Path) -> apsw.Connection:
    """A database of somebody else's making under the earlier name."""
    root.mkdir(exist_ok=True)
    connection = apsw.Connection(str(root / "hymem.sqlite"))
    connection.execute(
        """
        create table messages (id integer primary key, session_id text, role text, content text, created_at text);
        insert into messages values (1, 'monday', 'user', 'We use Redis.', '2025-03-01 09:30:00');
        insert into messages values (2, 'monday', 'robot', 'beep', null);
        insert into messages values (3, 'monday', 'assistant', 'Good.', 'soon');
        """
    )
    return connection


def test_what_was_said_to_an_earlier_memory_is_taken_over_with_its_time(tmp_path: Path):
    another(tmp_path).close()

    with HyMem(tmp_path, clock=lambda: "2026-01-01T00:00:00.000000Z") as memory:
        said = [(m.role, m.content, m.created_at[:10]) for m in memory.messages()]

    assert said == [("user", "We use Redis.", "2025-03-01"), ("assistant", "Good.", "2026-01-01")]


def test_taking_over_is_done_once_and_leaves_the_old_file(tmp_path: Path):
    another(tmp_path).close()
    HyMem(tmp_path).close()
    with HyMem(tmp_path) as memory:
        assert len(memory.messages()) == 2
        memory.erase_message("hymem.sqlite:1")
    with HyMem(tmp_path) as memory:
        assert len(memory.messages()) == 1
    assert (tmp_path / "hymem.sqlite").exists()


def test_our_own_database_under_the_earlier_name_is_renamed(tmp_path: Path):
    with HyMem(tmp_path) as memory:
        memory.log_message("monday", "user", "We use Redis.")
    (tmp_path / "hymem.db").rename(tmp_path / "hymem.sqlite")

    with HyMem(tmp_path) as memory:
        assert [m.content for m in memory.messages()] == ["We use Redis."]
    assert not (tmp_path / "hymem.sqlite").exists()


def test_a_stranger_without_messages_is_left_alone(tmp_path: Path):
    tmp_path.mkdir(exist_ok=True)
    connection = apsw.Connection(str(tmp_path / "hymem.sqlite"))
    connection.execute("create table poems (line text)")
    connection.close()

    with HyMem(tmp_path) as memory:
        assert memory.messages() == []


@pytest.mark.parametrize(
    "row",
    [
        "(9, '', 'user', 'x', null)",
        "(9, 'a' || char(10) || 'b', 'user', 'x', null)",
        "(9, 'tuesday', 'user', null, null)",
    ],
)
def test_a_row_that_cannot_be_taken_is_passed_over(tmp_path: Path, row: str):
    connection = another(tmp_path)
    connection.execute(f"insert into messages values {row}")
    connection.close()

    with HyMem(tmp_path) as memory:
        assert len(memory.messages()) == 2


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b""])
def test_an_earlier_file_that_cannot_be_read_is_left_alone(tmp_path: Path, damage: bytes):
    (tmp_path / "hymem.sqlite").write_bytes(damage)

    with HyMem(tmp_path) as memory:
        memory.log_message("monday", "user", "We use Redis.")
        assert len(memory.messages()) == 1
    assert (tmp_path / "hymem.sqlite").read_bytes() == damage
