"""The small world in which conversations are dreamt over: one workspace, a clock that stands still, a model that listens."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import apsw

from dataflows.asking import Asker, Silence
from dataflows.driver import Memory, remember, view
from dataflows.materialization import changed_rows
from hymem.config import HyMemConfig
from hymem.memory_files import FILES
from hymem.records import DreamRun
from hymem.store.database import Database
from hymem.store.materialization import MATERIALIZED, TableRows
from hymem.store.snapshot import read_snapshot
from serving.memory import HyMem
from tests.support.talk import Listener, Turn, day

Rows = list[tuple[Any, ...]]


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
    def of(cls, said: Iterable[Turn] = (), config: HyMemConfig | None = None, now: str | None = None) -> Iterator[Self]:
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
        columns = (*rows.columns, "row_digest")
        places = [columns.index(name) for name in self._columns(table)]
        whole = zip(rows.rows(range(len(rows.digests))), rows.digests, strict=True)
        return [tuple((*row, digest)[place] for place in places) for row, digest in whole]

    def _columns(self, table: str) -> list[str]:
        return [name for (name,) in self.rows(f"select name from pragma_table_info('{table}') order by cid")]

    def told(self, tables: Mapping[str, Rows] | None = None) -> dict[str, Counter[tuple[Any, ...]]]:
        """Tables in terms that do not depend on what else was ever logged: numbers of messages become their ids.

        What counts the edits of sessions and dates their replies is left out, and so are the digests of rows that cover both.
        """
        ids = dict(self.rows("select seq, message_id from messages"))
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
