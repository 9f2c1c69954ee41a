import multiprocessing
import os
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from hymem.errors import BusyError, InputError, NewerSchemaError, StoreError
from hymem.records import Message
from hymem.store import database as database_module
from hymem.store.database import APPLICATION_ID, SCHEMA_VERSION, Database, schema, user_query
from hymem.store.messages import log, messages

NOW = "2026-01-01T00:00:00.000000Z"


def say(database: Database, words: str) -> None:
    with database.writing() as connection:
        log(connection, [Message("monday", "user", words)], NOW)


def said(database: Database) -> list[str]:
    with database.reading() as connection:
        return [message.content for message in messages(connection)]


# ------------------------------------------------------------------------------------------------------------ opening


def test_a_new_database_has_the_schema_and_is_marked_as_ours(database: Database):
    with database.reading() as connection:
        assert connection.pragma("user_version") == SCHEMA_VERSION
        assert connection.pragma("application_id") == APPLICATION_ID
        assert connection.pragma("integrity_check") == "ok"


def test_a_new_database_is_readable_by_its_owner_only(database: Database):
    say(database, "hello")

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in database.path.parent.iterdir()}

    assert modes == {"hymem.db": 0o600, "hymem.db-wal": 0o600, "hymem.db-shm": 0o600}


def test_opening_again_changes_nothing(database: Database):
    say(database, "hello")
    database.close()
    before = database.path.read_bytes()

    with closing(Database.open(database.path)) as again:
        assert said(again) == ["hello"]
    assert database.path.read_bytes() == before


def made_by_sqlite(path: Path, *statements: str) -> bytes:
    with closing(apsw.Connection(str(path))) as connection:
        for statement in statements:
            connection.execute(statement)
    return path.read_bytes()


def test_a_newer_schema_is_refused_before_anything_is_written(tmp_path: Path):
    path = tmp_path / "hymem.db"
    before = made_by_sqlite(
        path, schema(), f"pragma application_id = {APPLICATION_ID}", f"pragma user_version = {SCHEMA_VERSION + 1}"
    )

    with pytest.raises(NewerSchemaError, match="upgrade HyMem"):
        Database.open(path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "hymem.db"
    before = made_by_sqlite(path, "create table recipes (name)", "pragma user_version = 1")

    with pytest.raises(StoreError, match="another program"):
        Database.open(path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "hymem.db"
    path.write_text("not a database, but long enough to look at " * 40)
    before = path.read_bytes()

    with pytest.raises(StoreError, match="no SQLite database"):
        Database.open(path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


@pytest.mark.parametrize("place", ["file/hymem.db", "file/deeper/hymem.db", "folder"])
def test_a_place_where_no_database_can_be_is_refused(tmp_path: Path, place: str):
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()

    with pytest.raises(StoreError, match="check the folder's permissions"):
        Database.open(tmp_path / place)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="check the folder's permissions"):
            Database.open(tmp_path / "hymem.db")
    finally:
        tmp_path.chmod(0o700)


def test_many_may_open_a_new_database_at_once(tmp_path: Path):
    def first_words(number: int) -> None:
        with closing(Database.open(tmp_path / "hymem.db")) as opened:
            say(opened, f"hello from {number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(first_words, range(8)))

    with closing(Database.open(tmp_path / "hymem.db")) as opened:
        assert len(said(opened)) == 8


# ------------------------------------------------------------------------------------------------------- transactions


def test_a_failed_transaction_leaves_nothing(database: Database):
    with pytest.raises(ZeroDivisionError), database.writing() as connection:
        log(connection, [Message("monday", "user", "hello")], NOW)
        raise ZeroDivisionError

    assert said(database) == []
    say(database, "the next one works")
    assert said(database) == ["the next one works"]


def test_a_reader_sees_one_moment(database: Database):
    say(database, "before")

    with database.reading() as connection:
        assert len(messages(connection)) == 1
        with ThreadPoolExecutor(1) as pool:
            pool.submit(say, database, "meanwhile").result()
        assert len(messages(connection)) == 1
        assert said(database) == ["before"]
    assert said(database) == ["before", "meanwhile"]


def test_a_reading_connection_cannot_write(database: Database):
    with pytest.raises(StoreError, match="cannot be written"), database.reading() as connection:
        connection.execute("delete from messages")


def test_every_thread_has_connections_of_its_own(database: Database):
    def own() -> tuple[int, int]:
        with database.reading() as reader, database.writing() as writer:
            together.wait()
            return id(reader), id(writer)

    together = threading.Barrier(1)
    mine = own()
    with ThreadPoolExecutor(1) as pool:
        theirs = pool.submit(own).result()

    assert len({*mine, *theirs}) == 4
    assert own() == mine


def test_threads_that_write_at_once_wait_for_each_other(database: Database):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: say(database, str(number)), range(200)))

    assert sorted(said(database), key=int) == [str(number) for number in range(200)]


def test_who_waits_too_long_is_told_that_the_database_is_held(database: Database, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.05)

    with database.writing(), ThreadPoolExecutor(1) as pool, pytest.raises(BusyError, match="held by another process"):
        pool.submit(say, database, "too early").result()


def test_a_closed_database_opens_again_when_it_is_used(database: Database):
    say(database, "before")
    database.close()

    say(database, "after")

    assert said(database) == ["before", "after"]


def test_a_full_disk_is_told_and_what_was_there_stays(database: Database):
    say(database, "before")
    with database.writing() as connection:
        connection.pragma("max_page_count", connection.pragma("page_count") + 2)

    with pytest.raises(StoreError, match="no space left"):
        say(database, "x" * 100_000)

    assert said(database) == ["before"]
    say(database, "a little")
    assert said(database) == ["before", "a little"]


def test_a_damaged_database_is_told(database: Database):
    for number in range(50):
        say(database, f"{number} " * 500)
    database.close()
    with database.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (database.path.stat().st_size - 4096))

    with pytest.raises(StoreError, match="damaged"):
        said(Database.open(database.path))


# ------------------------------------------------------------------------------------------------------------ forking

forking = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")


@forking
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_parent_and_forked_child_both_write(database: Database):
    say(database, "before the fork")

    child = multiprocessing.get_context("fork").Process(target=say, args=(database, "the child"))
    child.start()
    say(database, "the parent")
    child.join()

    assert child.exitcode == 0
    assert sorted(said(database)) == ["before the fork", "the child", "the parent"]


@forking
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_outlives_its_parents_connections(database: Database):
    say(database, "before the fork")
    forked = multiprocessing.get_context("fork")
    opened, go_on = forked.Event(), forked.Event()

    def outlive() -> None:
        said(database)
        opened.set()
        go_on.wait(20)
        say(database, "the child")

    child = forked.Process(target=outlive)
    child.start()
    opened.wait(20)
    said(database)
    database.close()
    go_on.set()
    child.join()

    assert child.exitcode == 0
    assert said(database) == ["before the fork", "the child"]


# ------------------------------------------------------------------------------------------------------- user queries


def test_a_query_gives_names_and_rows(database: Database):
    say(database, "hello")

    assert user_query(database, "select role, content from messages") == (["role", "content"], [("user", "hello")])


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) as n, max(seq) from messages where content like '%x%'",
        "with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 9) select * from counted",
        "select * from chunks_fts where chunks_fts match 'hello'",
        "select name from pragma_table_info('messages')",
        "select json_extract('[1]', '$[0]')",
        "pragma table_info(messages)",
    ],
)
def test_whatever_reads_is_allowed(database: Database, sql: str):
    names, _ = user_query(database, sql)

    assert names


@pytest.mark.parametrize(
    "sql",
    [
        "delete from messages",
        "insert into messages_by_session values (1)",
        "create table mine (x)",
        "commit; delete from messages",
        "rollback",
        "pragma query_only = off",
        "pragma query_only = off; commit; delete from messages",
        "pragma journal_mode = delete",
        "attach database '{elsewhere}' as elsewhere",
        "vacuum into '{elsewhere}'",
        "select load_extension('{elsewhere}')",
        "insert into chunks_fts (chunks_fts) values ('rebuild')",
        "select from where",
        "drop table messages",
        "select role from messages; select role, content from messages",
    ],
)
def test_whatever_does_more_than_read_is_refused_and_changes_nothing(database: Database, tmp_path: Path, sql: str):
    say(database, "hello")

    with pytest.raises(InputError, match="cannot be answered"):
        user_query(database, sql.format(elsewhere=tmp_path / "elsewhere.db"))

    assert said(database) == ["hello"]
    assert not (tmp_path / "elsewhere.db").exists()
    say(database, "writing goes on")


def test_a_query_that_finds_nothing_has_names_all_the_same(database: Database):
    assert user_query(database, "select role, content from messages") == (["role", "content"], [])


def test_an_empty_query_has_no_answer(database: Database):
    assert user_query(database, " -- nothing") == ([], [])
