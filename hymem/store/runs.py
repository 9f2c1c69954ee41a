"""Dreams as the store remembers them: the audit of each run, and what the last complete one was computed from."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hymem.errors import UnknownError
from hymem.records import DreamRun
from hymem.store.connection import Connection
from hymem.store.ledger import ledger_state

RUNS_KEPT: Final = 1000
"""Dreams that are remembered, the newest."""


@dataclass(frozen=True)
class DreamState:
    """What the materialized tables were computed from, when time alone will change them, and whose vectors are complete."""

    fingerprint: str
    revision: int
    waiting: int
    seen_at: str
    changes_at: str | None
    embedded: str = ""
    model: str = ""


@dataclass(frozen=True)
class NodeRun:
    """One node of the dataflow in one run."""

    node: str
    started_at: str
    milliseconds: float
    rows: int | None
    digest: str | None
    error: str | None


@dataclass(frozen=True)
class NodeChange:
    """One node in two dreams; None where it did not run. `changed` is None where nothing that was kept can tell."""

    node: str
    before: NodeRun | None
    after: NodeRun | None

    @property
    def changed(self) -> bool | None:
        """Whether its value is another, as far as digests and counts of rows tell."""
        if self.before is None or self.after is None:
            return True
        if self.before.digest and self.after.digest:
            return self.before.digest != self.after.digest
        return True if self.before.rows != self.after.rows else None


def compared(before: Sequence[NodeRun], after: Sequence[NodeRun]) -> list[NodeChange]:
    """Every node of two dreams, in the order of the later one."""
    earlier = {node.node: node for node in before}
    told = [NodeChange(node.node, earlier.pop(node.node, None), node) for node in after]
    return [*told, *(NodeChange(node.node, node, None) for node in earlier.values())]


def run_before(connection: Connection, run_id: str) -> str | None:
    """The last dream before this one whose nodes ran to the end."""
    found = connection.execute(
        """
        select d.run_id
        from dream_runs d, dream_runs this
        where this.run_id = ? and d.rowid < this.rowid and d.outcome = 'done'
        order by d.rowid desc limit 1
        """,
        (run_id,),
    ).fetchall()
    return found[0][0] if found else None


def dream_state(connection: Connection) -> DreamState | None:
    """What the last complete dream left; None before the first."""
    found = connection.execute(
        "select fingerprint, revision, waiting, seen_at, changes_at, embedded, model from dream_state"
    ).fetchall()
    return DreamState(*found[0]) if found else None


def has_memory(connection: Connection) -> bool:
    """Whether some dream has written what it computed."""
    return connection.execute("select 1 from chunked_sessions limit 1").fetchall() != []


def keep_dream_state(connection: Connection, state: DreamState) -> None:
    """Say, in the transaction that writes the tables, what they were computed from."""
    connection.execute(
        "insert or replace into dream_state values (1, ?, ?, ?, ?, ?, ?, ?)",
        (
            state.fingerprint,
            state.revision,
            state.waiting,
            state.seen_at,
            state.changes_at,
            state.embedded,
            state.model,
        ),
    )


def is_up_to_date(connection: Connection, fingerprint: str, now: str, embedding_model: str | None = None) -> bool:
    """Whether a dream would have nothing to do: ledger, configuration and code as they were, time idle, all texts embedded."""
    state = dream_state(connection)
    return (
        state is not None
        and state.fingerprint == fingerprint
        and state.revision == ledger_state(connection).revision
        and state.waiting == 0
        and embedding_model in (None, state.embedded)
        and state.seen_at <= now
        and (state.changes_at is None or now < state.changes_at)
    )


def keep_embedded(connection: Connection, model: str) -> None:
    """Say that every text has a vector of this model."""
    connection.execute("update dream_state set embedded = ?", (model,))


def begin_run(connection: Connection, run: DreamRun, as_seen_at: str) -> None:
    """Note that a dream begins, and close the notes of those that were killed."""
    connection.execute(
        "update dream_runs set outcome = 'killed', finished_at = ? where outcome = 'dreaming'", (run.started_at,)
    )
    connection.execute(
        """delete from dream_runs where run_id in (
               select run_id from dream_runs order by started_at desc, rowid desc limit -1 offset ?)""",
        (RUNS_KEPT,),
    )
    connection.execute(
        "insert into dream_runs (run_id, started_at, outcome, as_seen_at) values (?, ?, ?, ?)",
        (run.run_id, run.started_at, run.outcome, as_seen_at),
    )


def note_locked(connection: Connection, run_id: str, now: str, holder: str) -> None:
    """Note that a dream did not begin, since another was under way."""
    connection.execute(
        """insert into dream_runs (run_id, started_at, finished_at, outcome, as_seen_at, error)
           values (?, ?, ?, 'locked', ?, ?)""",
        (run_id, now, now, now, holder),
    )


def end_run(connection: Connection, run: DreamRun, nodes: Sequence[NodeRun]) -> None:
    """Note how a dream ended, and what each node did."""
    connection.execute(
        """
        update dream_runs
        set finished_at = ?, outcome = ?, asked = ?, answered = ?, failed = ?, unavailable = ?, waiting = ?, quarantined = ?,
            prompt_tokens = ?, completion_tokens = ?, embedded = ?, changed = ?, warnings = ?, error = ?,
            edges = (
                select json_object(
                    'active', count(*) filter (where status = 'active'),
                    'stale', count(*) filter (where status = 'stale'),
                    'retracted', count(*) filter (where status = 'retracted'))
                from knowledge_graph)
        where run_id = ?
        """,
        (
            *(
                run.finished_at,
                run.outcome,
                run.asked,
                run.answered,
                run.failed,
                run.unavailable,
                run.waiting,
                run.quarantined,
            ),
            *(
                run.prompt_tokens,
                run.completion_tokens,
                run.embedded,
                json.dumps(run.changed),
                json.dumps(run.warnings),
            ),
            *(run.error, run.run_id),
        ),
    )
    connection.executemany(
        "insert or replace into node_runs values (?, ?, ?, ?, ?, ?, ?)",
        [(run.run_id, n.node, n.started_at, n.milliseconds, n.rows, n.digest, n.error) for n in nodes],
    )


def runs(connection: Connection, limit: int = 20) -> list[DreamRun]:
    """The last dreams, the newest first."""
    found = connection.execute(
        """
        select run_id, started_at, finished_at, outcome, asked, answered, failed, unavailable, waiting, quarantined,
               prompt_tokens, completion_tokens, embedded, changed, warnings, error
        from dream_runs
        order by started_at desc, rowid desc
        limit ?
        """,
        (limit,),
    )
    return [
        DreamRun(*row[:13], changed=json.loads(row[13]), warnings=tuple(json.loads(row[14])), error=row[15])
        for row in found
    ]


def run_named(connection: Connection, name: str) -> str:
    """The id of the dream that is meant: "last", an id, or how one id alone begins; raises `UnknownError` where none is."""
    found = connection.execute(
        """
        select run_id from dream_runs
        where :name = 'last' or substr(run_id, 1, length(:name)) = :name
        order by started_at desc, rowid desc
        limit iif(:name = 'last', 1, 2)
        """,
        {"name": name},
    ).fetchall()
    if len(found) == 1 and name:
        return str(found[0][0])
    trouble = "no dream" if not found or not name else "several dreams"
    raise UnknownError(f"{trouble} of the id {name!r}: `hymem runs` lists them; `last` is the last one")


def node_runs(connection: Connection, run_id: str) -> list[NodeRun]:
    """What each node did in one run, in the order of their start."""
    found = connection.execute(
        """
        select node, started_at, milliseconds, rows, digest, error
        from node_runs where run_id = ?
        order by started_at, node
        """,
        (run_id,),
    )
    return [NodeRun(*row) for row in found]
