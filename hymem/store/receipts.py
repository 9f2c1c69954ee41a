"""The receipt of a change: which rows of which tables went, and which are others now.

It is not reckoned beforehand. A witness sits on the connection while the rows are deleted and written, cascades included, and
compares each row that was touched as it was with what it is in the end. So a preview, which is the same change rolled back,
and the receipt of the change itself say the same.
"""

from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast

import apsw

from hymem.store.connection import Connection, Row

EXAMPLES: Final = 3
"""Rows of a table that a preview shows."""

_TELLING: Final = {
    "messages": ("content",),
    "sessions": ("session_id",),
    "peers": ("peer_id",),
    "processed_chunks": ("reply",),
    "attempts": ("reason",),
    "entity_aliases": ("alias", "canonical"),
    "extraction_feedback": ("act", "subject", "predicate", "object"),
    "chunks": ("text",),
    "knowledge_graph": ("subject", "predicate", "object"),
    "kg_evidence": ("quote",),
    "entity_names": ("name",),
    "entity_types": ("entity", "type"),
    "profile_entries": ("peer_id", "kind", "statement"),
    "insights": ("statement",),
    "episodes": ("title",),
    "procedures": ("name",),
    "facts": ("content",),
    "session_summaries": ("summary",),
}
"""The columns that show what a row is about."""

_UNTOLD: Final = frozenset(
    {"forgotten_messages", "ledger_state", "dream_state", "run_lock", "chunked_sessions", "embedding_space"}
)
_COUNTERS: Final = frozenset({"sessions", "dream_runs", "node_runs"})
"""Tables whose rows change for reasons of bookkeeping."""


@dataclass(frozen=True)
class Receipt:
    """What went, and what is another now, in rows by table; `examples` of what would go, in a preview only.

    `markdown` counts the lines that went from each managed section. `log_emptied` says whether the write-ahead log, which holds
    what was overwritten until then, could be emptied at once. `remarks` say what stays that may surprise.
    """

    gone: Mapping[str, int]
    changed: Mapping[str, int]
    markdown: Mapping[str, int]
    preview: bool = False
    log_emptied: bool = True
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    remarks: tuple[str, ...] = ()


class Witness:
    """Notes each row that a connection touches: as it was first, and as it is in the end."""

    def __init__(self, connection: Connection) -> None:
        self._keys: dict[str, list[int]] = {}
        self._columns: dict[str, list[str]] = {}
        for table, name, key in connection.execute(
            """
            select l.name, i.name, i.pk
            from pragma_table_list as l join pragma_table_info(l.name) as i
            where l.schema = 'main' and l.type = 'table' and l.name not like 'sqlite_%'
            order by l.name, i.cid
            """
        ).fetchall():
            columns = self._columns.setdefault(table, [])
            if key:
                self._keys.setdefault(table, []).append(len(columns))
            columns.append(name)
        self._before: dict[str, dict[Row, Row | None]] = defaultdict(dict)
        self._after: dict[str, dict[Row, Row | None]] = defaultdict(dict)

    def note(self, update: Any) -> None:
        """Called by SQLite before each row that is inserted, updated or deleted."""
        table = update.table_name
        if update.database_name != "main" or table not in self._keys or table in _UNTOLD:
            return
        old = cast(Row, update.old) if update.op != "INSERT" else None
        new = cast(Row, update.new) if update.op != "DELETE" else None
        for row in (old, new):
            if row is not None:
                self._before[table].setdefault(self._key(table, row), old if row is old else None)
        if old is not None:
            self._after[table][self._key(table, old)] = None
        if new is not None:
            self._after[table][self._key(table, new)] = new

    def _key(self, table: str, row: Row) -> Row:
        return tuple(row[place] for place in self._keys[table])

    def receipt(self, preview: bool, shown: int | None = EXAMPLES) -> Receipt:
        """What the rows that were touched say; a preview shows so many of each table, or all."""
        gone = {table: self._gone(table) for table in self._before}
        return Receipt(
            {table: len(rows) for table, rows in sorted(gone.items()) if rows},
            {table: count for table in sorted(self._before) if (count := self._changed(table))},
            {section: len(lines) for section, lines in self._lines_gone().items()},
            preview,
            examples=self._examples(gone, shown) if preview else {},
        )

    def _gone(self, table: str) -> list[Row]:
        before, after = self._before[table], self._after[table]
        return [row for key, row in before.items() if row is not None and after[key] is None]

    def _changed(self, table: str) -> int:
        if table in _COUNTERS:
            return 0
        before, after = self._before[table], self._after[table]
        return sum(1 for key, row in before.items() if row is not None and after[key] is not None and row != after[key])

    def _shown(self, table: str, rows: list[Row], most: int | None) -> tuple[str, ...]:
        places = [self._columns[table].index(name) for name in _TELLING.get(table, ())]
        told = dict.fromkeys(" ".join(str(row[place]) for place in places) for row in rows if places)
        return tuple(told)[:most]

    def _examples(self, gone: dict[str, list[Row]], most: int | None) -> dict[str, tuple[str, ...]]:
        found = {table: self._shown(table, rows, most) for table, rows in sorted(gone.items()) if rows}
        lines = tuple(line for lines in self._lines_gone().values() for line in lines if line.startswith("- "))[:most]
        return {table: told for table, told in {**found, "markdown_sections": lines}.items() if told}

    def _lines_gone(self) -> dict[str, list[str]]:
        place = self._columns["markdown_sections"].index("body")
        found: dict[str, list[str]] = {}
        for key, row in self._before["markdown_sections"].items():
            after = self._after["markdown_sections"][key]
            left = set(after[place].splitlines()) if after else set[str]()
            lines = [line for line in (row[place].splitlines() if row else ()) if line.strip() and line not in left]
            if lines:
                found[str(key[0])] = lines
        return found


@contextmanager
def witnessed(connection: Connection) -> Generator[Witness, None, None]:
    """A witness of every row that this connection touches in the block."""
    witness = Witness(connection)
    raw = cast(apsw.Connection, connection)
    raw.preupdate_hook(witness.note, id=witness)
    try:
        yield witness
    finally:
        raw.preupdate_hook(None, id=witness)
