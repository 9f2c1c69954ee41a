"""A workspace that moves: what arrives dreams the same memory, nothing comes twice, nothing damaged comes at all."""

import json
import shutil
import signal
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hymem.digests import edge_id
from hymem.errors import BusyError, ConflictError, HyMemError, InputError
from hymem.store import cards, conclusions, messages, scopes, session_peers, sessions, workspace
from hymem.store.peers import ensure_peer
from hymem.store.travel import TRAVELS, rows_of
from serving.exchange.formats import MANIFEST
from serving.memory import HyMem
from tests.support.conversations import Turn, World, conversations, day, examples

NOW = day(200)
SECRET = "Zanzibar"
SAID = [
    Turn("m1", "monday", "user", "api uses Redis.", 1),
    Turn("m2", "monday", "user", "worker uses uv.", 2),
    Turn("m3", "monday", "assistant", "Noted, and deployed.", 3),
    Turn("m4", "tuesday", "user", "api does not use Redis.", 4),
    Turn("m5", "tuesday", "user", "I prefer short answers.", 5, "alice"),
]


def enrich(world: World) -> None:
    """Everything that a ledger can hold beside what was said."""
    memory = world.memory
    gone = world.say(f"{SECRET} uses Redis.", 6)
    fact = memory.remember("Alice lives in Utrecht.", "home", message_id="m2")
    store = memory.fact_store()
    store.record_feedback(fact, helpful=True)
    store.search_facts("Utrecht")
    memory.remember("The lease ends in May.")
    memory.alias("pg", "postgres server")
    with memory.writing() as connection:
        workspace.claim_workspace(connection, "default", NOW)
        workspace.update_workspace(connection, {"plan": "free"}, {"tone": "kind"})
        for peer in ("alice", "bob"):
            ensure_peer(connection, peer, NOW, metadata={"likes": "é\u2028☕"})
        sessions.ensure_session(connection, "monday", NOW, metadata={"topic": "stack"})
        session_peers.join(connection, "monday", {"alice": session_peers.Attention(True, False)}, NOW)
        session_peers.join(connection, "empty", {}, NOW)
        scopes.ensure_scope(connection, "work", NOW)
        scopes.add_sessions(connection, "work", ["monday"], NOW)
        session_peers.leave(connection, "monday", ["alice"], NOW)
        conclusions.add_conclusions(
            connection, [conclusions.NewConclusion("is patient", "alice", "bob", "monday")], NOW
        )
        cards.write_card(connection, "bob", "alice", ["Lives in Utrecht"], NOW)
        conclusions.note_deletion(connection, edge_id("worker", "uses", "uv"), NOW)
        messages.log(connection, [messages.Message("brief", "user", "Delete this session.")], NOW)
    memory.erase_session("brief", for_good=True)
    world.dream()
    run = memory.runs(1)[0].run_id
    world.say("cache uses Redis.", 8)
    world.dream()
    memory.undo(run)
    memory.ask_again(run)
    memory.retract_edge("cache", "uses", "redis", "it is gone")
    memory.restore_edge("cache", "uses", "redis")
    memory.forget(message=gone)
    world.dream()
    (world.root / "MEMORY.md").write_bytes(b"# Mine\n" + (world.root / "MEMORY.md").read_bytes())


@pytest.fixture(scope="module")
def rich() -> Iterator[World]:
    with World.of(SAID) as world:
        enrich(world)
        yield world


@pytest.fixture(scope="module")
def archive(rich: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "memory.zip"
    rich.memory.export(path, settings={"HYMEM_LLM_MODEL": "listener"})
    return path


def ledger(world: World) -> dict[str, list[dict[str, Any]]]:
    """The whole ledger as it travels."""
    with world.database.reading() as connection:
        return {table: list(rows_of(connection, table)) for table in TRAVELS}


def test_every_table_of_the_ledger_has_something_to_travel(rich: World):
    assert [table for table, rows in ledger(rich).items() if not rows] == []


def test_what_arrives_elsewhere_is_the_same_ledger_and_dreams_the_same_memory(rich: World, archive: Path):
    with World.of() as elsewhere:
        elsewhere.memory.import_archive(archive)
        run = elsewhere.dream()

        assert (run.asked, ledger(elsewhere)) == (0, ledger(rich))
        assert (elsewhere.told(), elsewhere.files()) == (rich.told(), rich.files())
        assert elsewhere.memory.facts() == rich.memory.facts()
        elsewhere.check()


@examples(6)
@given(conversations())
def test_any_conversation_arrives_whole(said: list[Turn]):
    with World.of(said) as world, World.of() as elsewhere:
        world.dream()
        world.memory.export(world.root / "memory.zip")
        elsewhere.memory.import_archive(world.root / "memory.zip")
        elsewhere.dream()

        assert elsewhere.remembered() == world.remembered()


def test_an_archive_is_the_same_to_the_byte_while_nothing_happens(rich: World, archive: Path, tmp_path: Path):
    rich.memory.export(tmp_path / "again.zip", settings={"HYMEM_LLM_MODEL": "listener"})

    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


def test_what_was_erased_does_not_travel(archive: Path):
    with zipfile.ZipFile(archive) as opened:
        held = b"".join(opened.read(name) for name in opened.namelist())

    assert b"Redis" in held
    assert SECRET.encode() not in held
    assert b"Delete this session" not in held


def test_an_archive_that_is_imported_twice_adds_nothing(archive: Path):
    with World.of() as elsewhere:
        elsewhere.memory.import_archive(archive)
        elsewhere.dream()
        before = ledger(elsewhere), elsewhere.rows("select * from ledger_state")

        again = elsewhere.memory.import_archive(archive)

        assert (again.added, again.written) == ({}, ())
        assert (ledger(elsewhere), elsewhere.rows("select * from ledger_state")) == before


def test_a_workspace_takes_in_its_own_archive_without_a_change(rich: World, archive: Path):
    before = ledger(rich), rich.remembered()

    assert rich.memory.import_archive(archive).added == {}
    assert (ledger(rich), rich.remembered()) == before


def test_acts_of_two_places_are_put_in_the_order_of_time(tmp_path: Path):
    with World.of() as here, World.of() as there:
        for world, moment, canonical in ((there, day(1), "first"), (here, day(2), "second"), (there, day(3), "third")):
            world.clock.now = moment
            world.memory.alias("it", canonical)
        there.memory.export(tmp_path / "there.zip")

        here.memory.import_archive(tmp_path / "there.zip")

        assert here.rows("select canonical from entity_aliases order by alias_id") == [
            ("first",),
            ("second",),
            ("third",),
        ]


def test_two_halves_of_a_session_become_one_session(tmp_path: Path):
    with World.of() as here, World.of() as there, World.of(SAID) as whole:
        here.log(SAID[:1])
        there.log(SAID[1:])
        here.dream()
        there.memory.export(tmp_path / "there.zip")
        here.memory.import_archive(tmp_path / "there.zip")
        for world in (here, whole):
            world.dream()

        assert here.told() == whole.told()


def test_an_id_that_stands_for_another_text_is_refused_and_nothing_changes(archive: Path):
    with World.of([Turn("m5", "tuesday", "user", "Something else.", 1)]) as here:
        before = ledger(here)

        with pytest.raises(ConflictError, match="'m5' says something else here"):
            here.memory.import_archive(archive)

        assert ledger(here) == before


def test_a_conclusion_of_one_id_and_two_contents_is_refused(rich: World, archive: Path, tmp_path: Path):
    changed = rewritten(archive, tmp_path / "changed.zip", with_row("conclusions", content="is impatient"))
    before = ledger(rich)

    with pytest.raises(ConflictError, match=r"conclusion .* says something else here"):
        rich.memory.import_archive(changed)

    assert ledger(rich) == before


def test_what_arrives_during_a_dream_is_in_the_next_memory(rich: World, archive: Path):
    with World.of([Turn("m9", "friday", "user", "worker uses uv.", 2)]) as here, World.of() as whole:

        def arrive() -> None:
            with here.memory.fork() as other:
                other.import_archive(archive)

        here.listener.during = arrive
        here.dream()
        here.dream()
        whole.memory.import_archive(archive)
        whole.log([Turn("m9", "friday", "user", "worker uses uv.", 2)])
        whole.dream()

        assert here.told() == whole.told()


def test_secrets_are_kept_out_of_a_ledger_that_wants_none(tmp_path: Path):
    password = "my password is hunter2."
    with World.of() as world, HyMem(tmp_path / "elsewhere", redact_stored=True) as elsewhere:
        world.say(password)
        world.memory.remember(password)
        with world.memory.writing() as connection:
            cards.write_card(connection, "user", "user", [password, "likes tea"], world.memory.now())
            conclusions.add_conclusions(
                connection, [conclusions.NewConclusion(password, "user", "user")], world.memory.now()
            )
        world.memory.export(tmp_path / "memory.zip")
        for _ in range(2):
            elsewhere.import_archive(tmp_path / "memory.zip")

        assert [one.content for one in elsewhere.messages()] == ["my password is [redacted: password]."]
        with elsewhere.reading() as connection:
            card = cards.read_card(connection, "user", "user")
        assert card == ["my password is [redacted: password].", "likes tea"]
        for table in ("conclusions", "facts_told"):
            with elsewhere.reading() as connection:
                found = connection.execute(f"select content from {table}").fetchall()
            assert found == [("my password is [redacted: password].",)]
        elsewhere.export(tmp_path / "redacted.zip")
        assert world.memory.import_archive(tmp_path / "redacted.zip").added == {}
        assert [one.content for one in world.memory.messages()] == [password]


def test_no_more_than_a_row_is_held_on_the_way(tmp_path: Path):
    with World.of() as world, World.of() as elsewhere:
        for number in range(100):
            world.say(f"{number} " + "We use Redis. " * 20_000)
        world.memory.export(tmp_path / "memory.zip")  # what is loaded once is loaded now
        tracemalloc.start()
        try:
            world.memory.export(tmp_path / "again.zip")
            elsewhere.memory.import_archive(tmp_path / "again.zip")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

        assert elsewhere.rows("select count(*) from messages") == [(100,)]
        assert peak < 8_000_000 < 100 * 20_000 * 14


def test_a_session_that_was_deleted_here_is_left_out(archive: Path):
    with World.of() as here:
        here.say("Something else.", session="monday")
        here.memory.erase_session("monday", for_good=True)

        imported = here.memory.import_archive(archive)

        assert imported.buried == 4
        assert here.rows("select distinct session_id from messages") == [("tuesday",)]


def test_replacing_leaves_what_the_archive_holds_and_a_backup_of_what_was_there(rich: World, archive: Path):
    with World.of([Turn("m5", "tuesday", "user", "api uses Kafka.", 1)]) as here:
        here.dream()
        imported = here.memory.import_archive(archive, replace=True)
        here.dream()

        assert (ledger(here), here.told(), here.files()) == (ledger(rich), rich.told(), rich.files())
        assert imported.backup is not None
        restored = World(Path(imported.backup))
        assert [message.content for message in restored.memory.messages()] == ["api uses Kafka."]
        assert (restored.root / "MEMORY.md").exists()
        restored.memory.close()
        here.check()


def test_what_is_told_between_backup_and_replacement_is_not_lost(archive: Path, monkeypatch: pytest.MonkeyPatch):
    from serving.exchange import moving

    with World.of() as here:

        def meanwhile(*arguments: Any) -> Any:
            found = backed_up(*arguments)
            here.say("Said just now.")
            return found

        backed_up = moving._backed_up
        monkeypatch.setattr(moving, "_backed_up", meanwhile)
        with pytest.raises(BusyError, match="nothing was changed"):
            here.memory.import_archive(archive, replace=True)

        assert [message.content for message in here.memory.messages()] == ["Said just now."]


def test_an_import_that_is_interrupted_changed_nothing_and_can_be_repeated(rich: World, archive: Path):
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with World.of() as here:
        with pytest.raises(KeyboardInterrupt):
            here.memory.import_archive(archive, progress=interrupt)
        assert here.memory.messages() == []

        here.memory.import_archive(archive)
        assert ledger(here) == ledger(rich)


KILLED = """
import sys
from hymem import HyMem
from hymem.store import merging
merged = merging._facts
def slowly(connection):
    merged(connection)
    print("merged", flush=True)
    sys.stdin.read()
merging._facts = slowly
HyMem(sys.argv[1]).import_archive(sys.argv[2])
"""


def test_an_import_that_is_killed_before_its_end_changed_nothing(rich: World, archive: Path, tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path), str(archive)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"merged\n"
        process.send_signal(signal.SIGKILL)
    here = World(tmp_path)
    assert here.memory.messages() == []
    here.memory.import_archive(archive)
    assert ledger(here) == ledger(rich)
    here.memory.close()


# --------------------------------------------------------------------------------------------------------- damage


@pytest.fixture(scope="module")
def empty() -> Iterator[World]:
    with World.of() as world:
        yield world


def refused(world: World, path: Path) -> str:
    """Why an archive is refused; nothing has changed."""
    before = ledger(world)
    with pytest.raises(InputError) as told:
        world.memory.import_archive(path)
    assert ledger(world) == before
    return str(told.value)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_changed_byte_is_refused_or_changes_nothing_that_arrives(
    data: st.DataObject, rich: World, archive: Path, tmp_path: Path
):
    content = bytearray(archive.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(content)
    with World.of() as here:
        try:
            here.memory.import_archive(damaged)
        except HyMemError:
            assert here.memory.messages() == []
        else:
            assert ledger(here) == ledger(rich)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_an_archive_that_was_cut_off_is_refused(share: float, empty: World, archive: Path, tmp_path: Path):
    content = archive.read_bytes()
    (tmp_path / "cut.zip").write_bytes(content[: int(len(content) * share)])

    assert "cut.zip" in refused(empty, tmp_path / "cut.zip")


def rewritten(archive: Path, path: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """A copy of an archive with other members, and a manifest that fits them."""
    with zipfile.ZipFile(archive) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as changed:
        for name, content in members.items():
            changed.writestr(name, content)
    return path


def resealed(members: dict[str, bytes]) -> None:
    """Make the manifest fit."""
    from hashlib import sha256

    manifest = json.loads(members[MANIFEST])
    manifest["members"] = {
        name: {
            "rows": content.count(b"\n") if name.startswith("ledger/") else 0,
            "bytes": len(content),
            "sha256": sha256(content).hexdigest(),
        }
        for name, content in members.items()
        if name != MANIFEST
    }
    members[MANIFEST] = json.dumps(manifest).encode()


def told(**changes: Any) -> Callable[[dict[str, bytes]], None]:
    def change(members: dict[str, bytes]) -> None:
        members[MANIFEST] = json.dumps({**json.loads(members[MANIFEST]), **changes}).encode()

    return change


def added(name: str, content: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(members: dict[str, bytes]) -> None:
        members[name] = content
        resealed(members)

    return change


def with_row(table: str, **fields: Any) -> Callable[[dict[str, bytes]], None]:
    """Change the first row of a table."""

    def change(members: dict[str, bytes]) -> None:
        first, _, rest = members[f"ledger/{table}.jsonl"].partition(b"\n")
        row = json.dumps({**json.loads(first), **fields}).encode()
        members[f"ledger/{table}.jsonl"] = row + b"\n" + rest
        resealed(members)

    return change


TRAPS: Mapping[str, tuple[Callable[[dict[str, bytes]], object], str]] = {
    "newer format": (told(format_version=2), "newer: upgrade HyMem"),
    "newer schema": (told(schema_version=99), "newer: upgrade HyMem"),
    "no version": (told(format_version=0), "its version is none that there was"),
    "text for a version": (told(format_version="1"), "damaged"),
    "another format": (told(format="zip"), "its manifest is not HyMem's"),
    "a list for a manifest": (lambda members: members.update({MANIFEST: b"[]"}), "damaged"),
    "no members": (told(members={}), "is missing"),
    "out of the folder": (added("../../etc/cron.d/evil", b"x"), "no archive of HyMem's holds"),
    "absolute path": (added("/tmp/evil", b"x"), "no archive of HyMem's holds"),
    "another checksum": (lambda members: members.update({"MEMORY.md": members["MEMORY.md"][::-1]}), "checksum"),
    "another length": (lambda members: members.update({"MEMORY.md": b"x"}), "another size"),
    "a table missing": (lambda members: (members.pop("ledger/peers.jsonl"), resealed(members)), "is missing"),
    "bomb": (added("ledger/messages.jsonl", b" " * (65 << 20)), "looks like a trap"),
    "bomb in the manifest": (lambda members: members.update({MANIFEST: b" " * (2 << 20)}), "too long"),
    "other fields": (with_row("messages", more=1), "messages, row 1"),
    "no moment": (with_row("messages", created_at="yesterday"), "messages, row 1"),
    "an id of nothing": (with_row("peers", peer_id=" "), "peers, row 1"),
    "no role": (with_row("messages", role="king"), "messages, row 1"),
    "a list for a text": (with_row("messages", content=["x"]), "messages, row 1"),
    "no text": (with_row("messages", content=None), "messages, row 1"),
    "metadata that are none": (with_row("peers", metadata="[1]"), "peers, row 1"),
    "a message of no session": (with_row("messages", session_id="nowhere"), "damaged|not as HyMem writes it"),
    "a reply about no message": (with_row("processed_chunks", first_message="nothing"), "processed_chunks, row 1"),
    "a huge number": (with_row("deleted_sessions", session_digest=1 << 70), "deleted_sessions, row 1"),
    "an endless number": (with_row("facts_told", trust=float("inf")), "facts_told, row 1"),
    "half a character": (with_row("messages", content="\ud800"), "messages, row 1"),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_is_refused_with_a_sentence_and_nothing_changes(trap: str, empty: World, archive: Path, tmp_path: Path):
    change, sentence = TRAPS[trap]
    path = rewritten(archive, tmp_path / "trap.zip", change)

    with pytest.raises(InputError, match=sentence):
        empty.memory.import_archive(path)

    assert empty.memory.messages() == []
    assert {one.name for one in tmp_path.iterdir()} == {"trap.zip"}


def test_a_member_that_is_there_twice_is_refused(empty: World, archive: Path, tmp_path: Path):
    copy = shutil.copy(archive, tmp_path / "twice.zip")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(copy, "a") as opened:
        opened.writestr("MEMORY.md", b"again")

    assert "twice" in refused(empty, tmp_path / "twice.zip")


def test_words_that_shrink_to_almost_nothing_travel_too(tmp_path: Path):
    with World.of() as world, World.of() as elsewhere:
        world.say("a" * (65 << 20))
        world.memory.export(tmp_path / "memory.zip")
        elsewhere.memory.import_archive(tmp_path / "memory.zip")

        assert elsewhere.rows("select length(content) from messages") == [(65 << 20,)]
