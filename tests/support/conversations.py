"""Conversations that Hypothesis makes up, a model that understands them, and the small world in which they are dreamt over.

What people say is built from a handful of sentences, and `Listener` reads them back by their form: so its replies depend on the
text alone, and a test may let any of them fail, come late or come twice.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import apsw
from hypothesis import Phase, settings
from hypothesis import strategies as st

from dataflows.asking import Asker, Silence
from dataflows.driver import Memory, remember, view
from dataflows.materialization import changed_rows
from hymem.config import HyMemConfig
from hymem.errors import ReplyError
from hymem.memory_files import FILES
from hymem.models.chat import ChatReply, ChatRequest
from hymem.records import DreamRun
from hymem.store.database import Database
from hymem.store.materialization import MATERIALIZED, TableRows
from hymem.store.snapshot import read_snapshot
from hymem.times import format_time
from serving.memory import HyMem

Rows = list[tuple[Any, ...]]

NEW_YEAR = datetime(2025, 1, 1, tzinfo=UTC)


def day(number: float) -> str:
    """The moment so many days after New Year."""
    return format_time(NEW_YEAR + timedelta(days=number))


def examples(number: int) -> settings:
    """So many examples, where each costs a dream or more; in the soak profile in proportion.

    A world that fails is made smaller in the soak profile only: that takes hundreds of dreams.
    """
    default = settings.default
    assert default is not None
    share = default.max_examples / 100
    phases = [phase for phase in Phase if share > 1 or phase not in (Phase.shrink, Phase.explain)]
    return settings(max_examples=max(1, round(number * share)), phases=phases, report_multiple_bugs=False)


# ------------------------------------------------------------------------------------------------------ what is said


@dataclass(frozen=True)
class Turn:
    """One turn, with the day of the year on which it was said."""

    message_id: str
    session_id: str
    role: str
    content: str
    day: float
    peer_id: str | None = None

    def logged(self) -> dict[str, Any]:
        """The turn as `log_messages` takes it."""
        return {
            "message_id": self.message_id,
            "session_id": self.session_id,
            "role": self.role,
            "content": self.content,
            "created_at": day(self.day),
            "peer_id": self.peer_id,
        }


THINGS = ("api", "worker", "billing", "Redis", "Postgres", "PostgreSQL", "uv", "pip")
ALIASES = (("worker", "billing"), ("uv", "pip"), ("Redis", "Postgres"), ("api", "PostgreSQL"), ("billing", "worker"))
HABITS = ("short answers", "tabs", "long tests")
SESSIONS = ("monday", "tuesday", "offsite")

_things = st.sampled_from(THINGS)
_speakers = st.one_of(_things, st.just("We"))
SENTENCES = st.one_of(
    st.builds("{} uses {}.".format, _speakers, _things),
    st.builds("{} depends on {}.".format, _things, _things),
    st.builds("{} no longer uses {}.".format, _speakers, _things),
    st.builds("{} replaces {}.".format, _things, _things),
    st.builds("{} requires {} version {}.".format, _things, _things, st.integers(1, 3)),
    st.builds("I prefer {}.".format, st.sampled_from(HABITS)),
    st.builds("I reject {}.".format, st.sampled_from(HABITS)),
    st.builds("{} is a {}.".format, _things, st.sampled_from(["database", "service", "tool"])),
    st.builds("Yesterday someone talked about {} again.".format, _things),
)
DAYS = st.one_of(st.sampled_from([0, 10, 40, 80, 200]), st.floats(0, 365).map(lambda number: round(number, 3)))


@st.composite
def turns(draw: st.DrawFn, number: int) -> Turn:
    """A turn of any session and peer, said on any day of the year."""
    role = draw(st.sampled_from(["user", "user", "user", "assistant", "tool"]))
    said = draw(st.lists(SENTENCES, min_size=1, max_size=3))
    opening = draw(st.sampled_from(["", "", "Exactly. "])) if role == "user" else ""
    peer = draw(st.sampled_from([None, None, "Kai-Lee"])) if role == "user" else None
    return Turn(f"m{number}", draw(st.sampled_from(SESSIONS)), role, opening + " ".join(said), draw(DAYS), peer)


@st.composite
def conversations(draw: st.DrawFn, longest: int = 8) -> list[Turn]:
    """Turns in the order of their logging, which need not be that of their saying."""
    return [draw(turns(number)) for number in range(draw(st.integers(2, longest)))]


# ------------------------------------------------------------------------------------------------ who understands it

_FORMS: tuple[tuple[str, re.Pattern[str], int], ...] = (
    ("uses", re.compile(r"(\w+) uses (\w+)"), 1),
    ("uses", re.compile(r"(\w+) no longer uses (\w+)"), -1),
    ("depends_on", re.compile(r"(\w+) depends on (\w+)"), 1),
    ("replaces", re.compile(r"(\w+) replaces (\w+)"), 1),
    ("requires_version", re.compile(r"(\w+) requires (\w+) version (\d+)"), 1),
)
_MARKER = re.compile(r"I (prefer|reject) ([\w ]+)")
_TYPE = re.compile(r"(\w+) is a (database|service|tool)")
_KINDS = {"prefer": "preference", "reject": "rejection"}
NOTHING = {"triples": [], "markers": [], "entity_types": []}


def understood(text: str) -> dict[str, list[dict[str, Any]]]:
    """What the sentences of a text say, as a reply puts it."""
    found: dict[str, list[dict[str, Any]]] = {"triples": [], "markers": [], "entity_types": []}
    for sentence in re.split(r"[.\n]", text):
        for predicate, form, polarity in _FORMS:
            if match := form.search(sentence):
                triple = {"subject": match[1], "predicate": predicate, "object": match[2], "polarity": polarity}
                value = {"value_text": match[3], "value_numeric": int(match[3])} if form.groups == 3 else {}
                found["triples"].append(triple | value | {"quote": match[0]})
        if match := _MARKER.search(sentence):
            statement = f"{match[1]}s {match[2]}"
            found["markers"].append({"kind": _KINDS[match[1]], "statement": statement, "quote": match[0]})
        if match := _TYPE.search(sentence):
            found["entity_types"].append({"name": match[1], "type": match[2]})
    return found


def noted(turns: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """What happened in a session's turns: an episode for each use, a procedure for each replacement."""
    found: dict[str, list[Any]] = {"summaries": [turns[-1]["text"]], "episodes": [], "procedures": []}
    for turn in turns:
        for triple in understood(turn["text"])["triples"]:
            quote, names = triple["quote"], [triple["subject"], triple["object"]]
            if triple["predicate"] == "uses":
                place = {"first": turn["turn"], "last": turn["turn"]}
                found["episodes"].append({"title": quote, "summary": quote, "entities": names, "quote": quote, **place})
            if triple["predicate"] == "replaces":
                found["procedures"].append({"name": quote, "steps": names, "entities": names, "quote": quote})
    return found


@dataclass
class Listener:
    """An `LLMClient` that understands the sentences above; `failing` texts get what cannot be read, so many times each.

    `script` has other replies for some texts, and `notes` one for all sessions. `refusing` is what it says to every question instead, if anything. `asked` holds the texts of the chunks that it was asked about, `requests` everything.

    `during`, if given, is called once, within the first question: for what happens while a dream waits for a model.
    """

    model: str = "listener"
    failing: Mapping[str, int] = field(default_factory=dict)
    refusing: str | None = None
    script: Mapping[str, str | Mapping[str, Any]] = field(default_factory=dict)
    notes: Mapping[str, Any] | None = None
    during: Callable[[], object] | None = None
    asked: list[str] = field(default_factory=list)
    requests: list[ChatRequest] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer, or fail as arranged."""
        with self._lock:
            self.requests.append(request)
        if self.refusing is not None:
            raise ReplyError(self.refusing)
        if request.kind == "session":
            return self._reply(request, json.dumps(self.notes or noted(request.material["turns"])))
        text, context = str(request.material["text"]), str(request.material["context"])
        with self._lock:
            self.asked.append(text)
            fails = self.asked.count(text) <= self.failing.get(text, 0)
            during, self.during = self.during, None
        if during is not None:
            during()
        if fails:
            return self._reply(request, "I am not sure.")
        said = self.script.get(text, understood(f"{context}\n{text}"))
        return self._reply(request, said if isinstance(said, str) else json.dumps(said))

    def _reply(self, request: ChatRequest, text: str) -> ChatReply:
        """A reply that costs a token a word."""
        return ChatReply(text, self.model, len(request.user.split()), len(text.split()))


# --------------------------------------------------------------------------------------------------- where it happens


class Clock:
    """The present moment, which stands still until it is set."""

    def __init__(self, now: str) -> None:
        self.now = now

    def __call__(self) -> str:
        """The moment as text."""
        return self.now


class World:
    """A workspace in a folder of its own, whose time stands still and whose model is a `Listener`."""

    def __init__(self, root: Path, config: HyMemConfig | None = None, now: str | None = None) -> None:
        self.listener = Listener()
        self.clock = Clock(now or day(366))
        self.memory = HyMem(root, llm=self.listener, config=config, clock=self.clock)
        self.root = root

    @classmethod
    @contextmanager
    def of(
        cls, said: Iterable[Turn] = (), config: HyMemConfig | None = None, now: str | None = None
    ) -> Iterator[Self]:
        """A world in which these turns were logged, until the end of the block."""
        with TemporaryDirectory() as folder:
            world = cls(Path(folder), config, now)
            try:
                world.log(said)
                yield world
            finally:
                world.memory.close()

    @property
    def database(self) -> Database:
        """The workspace's database."""
        return self.memory._database

    def log(self, said: Iterable[Turn]) -> None:
        """Log turns, in their order."""
        self.memory.log_messages([turn.logged() for turn in said])

    def say(self, content: str, on: float = 0, session: str = "monday", **more: Any) -> str:
        """Log what a user says on a day of the year; the message's id."""
        return self.memory.log_message(session, more.pop("role", "user"), content, created_at=day(on), **more)

    def dream(self, budget: int | None = 0) -> DreamRun:
        """Dream over everything that waits."""
        return self.memory.dream(budget=budget)

    def tables(self) -> dict[str, Rows]:
        """Every materialized table, every column, sorted."""
        with self.database.reading() as connection:
            return {
                name: sorted(connection.execute(f"select * from {name}").fetchall(), key=repr) for name in MATERIALIZED
            }

    def files(self) -> dict[str, bytes]:
        """The bytes of both Markdown files."""
        return {name: (self.root / name).read_bytes() for name in FILES.values() if (self.root / name).exists()}

    def remembered(self) -> tuple[dict[str, Rows], dict[str, bytes]]:
        """The materialized tables and the Markdown."""
        return self.tables(), self.files()

    def edges(self) -> dict[str, tuple[int, int, str]]:
        """Positive and negative evidence and the status of each stated edge, by its sentence."""
        found = self.memory.edges(include_retracted=True)
        return {
            f"{edge.subject} {edge.predicate} {edge.object}": (edge.pos_evidence, edge.neg_evidence, edge.status)
            for edge in found
            if not edge.derived
        }

    def rows(self, sql: str) -> Rows:
        """What a reading statement finds."""
        return self.database.rows(sql)

    def write(self, sql: str) -> None:
        """Change the database behind HyMem's back."""
        with self.database.writing() as connection:
            connection.execute(sql)

    def forget_what_was_computed(self) -> None:
        """Empty the materialized tables, so that the next dream starts from the ledger."""
        for table in reversed(MATERIALIZED):
            self.write(f"delete from {table}")
        self.write("delete from dream_state")

    def recomputed(
        self, now: str | None = None, as_of: str | None = None, config: HyMemConfig | None = None
    ) -> dict[str, Rows]:
        """The materialized tables as the ledger alone gives them: nothing carried, nobody asked, nothing written."""
        written = changed_rows(self.recollection(Silence(), now, as_of, config).tables)
        return {name: sorted(self._as_stored(name, rows), key=repr) for name, rows in written.items()}

    def _as_stored(self, table: str, rows: TableRows) -> Rows:
        """Rows in the order of the stored table's columns."""
        values = dict(zip((*rows.columns, "row_digest"), (*rows.values, rows.digests), strict=True))
        return list(zip(*(values[name] for name in self._columns(table)), strict=True))

    def _columns(self, table: str) -> list[str]:
        return [name for (name,) in self.rows(f"select name from pragma_table_info('{table}') order by cid")]

    def told(self, tables: Mapping[str, Rows] | None = None) -> dict[str, Counter[tuple[Any, ...]]]:
        """Tables in terms that do not depend on what else was ever logged: numbers of messages become their ids.

        What counts the edits of sessions and dates their replies is left out, and so are the digests of rows that cover both.
        """
        ids = {seq: message_id for seq, message_id in self.rows("select seq, message_id from messages")}
        return {
            name: Counter(self._named(rows, self._columns(name), ids))
            for name, rows in (self.tables() if tables is None else tables).items()
            if name != "chunked_sessions"
        }

    def _named(self, rows: Rows, columns: list[str], ids: Mapping[int, str]) -> Iterator[tuple[Any, ...]]:
        kept = [(place, name) for place, name in enumerate(columns) if name not in ("row_digest", "replied_at")]
        for row in rows:
            yield tuple(ids.get(row[place]) if name.endswith("_seq") else row[place] for place, name in kept)

    def recollection(
        self, asker: Asker, now: str | None = None, as_of: str | None = None, config: HyMemConfig | None = None
    ) -> Memory:
        """Memory computed from the ledger."""
        config = config or self.memory.config
        with self.database.reading() as connection:
            snapshot = read_snapshot(connection, view(config, self.listener.model, as_of=as_of))
        return remember(snapshot, config, now or self.clock(), self.listener.model, asker)

    def check(self) -> None:
        """Raise `AssertionError` where the file contradicts itself."""
        assert self.rows("pragma integrity_check") == [("ok",)]
        assert self.rows("pragma foreign_key_check") == []
        self.write("insert into chunks_fts (chunks_fts, rank) values ('integrity-check', 1)")
        assert self.rows(_MISCOUNTED) == []

    def bytes_on_disk(self) -> bytes:
        """Everything that the folder's files hold, after the log was written back."""
        with closing(apsw.Connection(str(self.database.path))) as connection:
            connection.execute("pragma wal_checkpoint(truncate)").fetchall()
        return b"".join(path.read_bytes() for path in sorted(self.root.rglob("*")) if path.is_file())


_MISCOUNTED = """
    select edge_id from knowledge_graph g
    where not derived and (
        pos_evidence <> (select count(*) from kg_evidence e where e.edge_id = g.edge_id and polarity = 1)
        or decay_windows <> (select count(*) from rediscussions r where r.edge_id = g.edge_id)
        or neg_evidence - decay_windows
           <> (select count(*) from kg_evidence e where e.edge_id = g.edge_id and polarity = -1)
        or abs(confidence - (pos_evidence + 1.0) / (pos_evidence + neg_evidence + 2.0)) > 1e-12)"""
