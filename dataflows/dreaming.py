"""A dream: read the ledger, ask about what is new, compute everything, write what changed.

    memory = dream(ledger, config, now)

No transaction is open while a model is waited for, and none while frames are computed. The tables of a dream, and what they
were computed from, are written in one short transaction; the Markdown files follow from the tables.
"""

import logging
import secrets
import threading
import time
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pandas as pd
from hamilton import driver, registry
from hamilton.htypes import check_input_type
from hamilton.lifecycle import EdgeConnectionHook, NodeExecutionHook

from dataflows import (
    canonicalization,
    chunking,
    decay,
    evidence,
    extraction,
    graph,
    horizon,
    inference,
    insights,
    mentions,
    profile,
    tables,
)
from dataflows.asking import Asker, ModelAsker, Silence
from dataflows.extraction import extraction_instructions, extraction_version
from dataflows.materialization import changed_rows
from hymem.config import HyMemConfig
from hymem.errors import BusyError
from hymem.memory_files import write_memory_files
from hymem.models.asking import Report
from hymem.models.chat import LLMClient
from hymem.records import DreamRun
from hymem.store.database import Database
from hymem.store.ledger import ledger_state
from hymem.store.lock import Clock, Lease, dream_lock, wall_clock
from hymem.store.materialization import apply, changes
from hymem.store.replies import ReplyKeeper
from hymem.store.runs import DreamState, NodeRun, begin_run, dream_state, end_run, keep_dream_state, note_locked
from hymem.store.sections import sections
from hymem.store.snapshot import Snapshot, View, read_snapshot
from hymem.times import format_time, parse_time

registry.disable_autoload()

CHAPTERS: Final = (
    chunking,
    extraction,
    canonicalization,
    mentions,
    evidence,
    decay,
    graph,
    inference,
    profile,
    insights,
    horizon,
)
"""The modules whose functions are the dataflow's nodes, in the order of the story."""

SOURCE_ROWS: Final[dict[str, type]] = {
    "messages": tables.Message,
    "session_revisions": tables.SessionRevision,
    "alias_acts": tables.AliasAct,
    "feedback": tables.FeedbackAct,
    "replies": tables.Reply,
    "attempts": tables.Attempt,
    "carried_chunks": tables.Chunk,
    "carried_replies": tables.ReadReply,
    "carried_triples": tables.Triple,
    "carried_markers": tables.Marker,
    "carried_type_claims": tables.TypeClaim,
    "carried_names": tables.KnownName,
    "carried_mentions": tables.FoundName,
}
"""The shape of every source; the store's names for them are the same."""

LOOKS: Final = 5
"""How often a dream looks again at a ledger that is edited while it dreams."""

logging.getLogger("hamilton").setLevel(logging.CRITICAL)  # it would print users' text with every error


class TableInputs(EdgeConnectionHook):
    """Lets a plain frame in where a node asks for a `Table`, if it has the table's columns and dtypes."""

    def check_edge_types_match(self, type_from: type, type_to: type, **_: Any) -> bool:
        """Between nodes, Hamilton's own check decides."""
        return False

    def validate_input(self, node_type: type, input_value: Any, **_: Any) -> bool:
        """Whether a value from outside fits its node."""
        if typing.get_origin(node_type) is tables.Table:
            return tables.has_shape(typing.get_args(node_type)[0], input_value)
        return check_input_type(node_type, input_value)


class RunLog(NodeExecutionHook):
    """What each node did: when, how long, how many rows, what went wrong."""

    def __init__(self) -> None:
        self.nodes: list[NodeRun] = []
        self._started: dict[str, tuple[float, float]] = {}

    def run_before_node_execution(self, *, node_name: str, **_: Any) -> None:
        """Start the watch."""
        self._started[node_name] = (time.time(), time.perf_counter())

    def run_after_node_execution(self, *, node_name: str, result: Any, error: Exception | None, **_: Any) -> None:
        """Stop it, and note the outcome."""
        at, watch = self._started.pop(node_name)
        milliseconds = (time.perf_counter() - watch) * 1000
        rows = len(result) if isinstance(result, pd.DataFrame) else None
        told = f"{type(error).__name__}: {error}" if error else None
        self.nodes.append(NodeRun(node_name, parse_time(at), milliseconds, rows, None, told))


@dataclass(frozen=True)
class Memory:
    """What a dream computed: the tables to write, and the counts to report."""

    tables: dict[str, pd.DataFrame]
    changes_at: str | None
    waiting: int
    quarantined: int


def build_driver(*adapters: Any, overrides: Sequence[ModuleType] = ()) -> driver.Driver:
    """The dream as a Hamilton driver; `overrides` are modules whose nodes take the place of those of the same name."""
    builder = driver.Builder().with_modules(*CHAPTERS, *overrides).with_adapters(TableInputs(), *adapters)
    return (builder.allow_module_overrides() if overrides else builder).build()


def tables_by_node(dream_driver: driver.Driver) -> dict[str, str]:
    """The node that fills each materialized table, as the nodes' tags say."""
    tagged = dream_driver.list_available_variables(tag_filter={"table": None})
    return {str(node.tags["table"]): node.name for node in tagged}


def inputs(snapshot: Snapshot, config: HyMemConfig, now: str, model: str, asker: Asker) -> dict[str, Any]:
    """Everything the dataflow takes from outside: sources, tunables, the moment, and who answers."""
    frames = {source: tables.table(row, snapshot.rows[source]) for source, row in SOURCE_ROWS.items()}
    moment = pd.Timestamp(now[:26])
    return {**frames, **config.tunables(), "now": moment, "extraction_model": model, "asker": asker}


def remember(
    snapshot: Snapshot, config: HyMemConfig, now: str, model: str, asker: Asker, adapters: Sequence[Any] = ()
) -> Memory:
    """Compute memory from a snapshot; pure, but for what the asker does."""
    dream_driver = build_driver(*adapters)
    targets = tables_by_node(dream_driver)
    counted = ["waiting_chunks", "quarantined_chunks", "new_readings", "changes_at"]
    given = inputs(snapshot, config, now, model, asker)
    known = {variable.name for variable in dream_driver.list_available_variables() if variable.is_external_input}
    found = dream_driver.execute(
        [*targets.values(), *counted], inputs={name: value for name, value in given.items() if name in known}
    )
    waiting, resting, answered = (len(x) for x in (*map(found.get, counted[:2]), found["new_readings"].replies))
    coming = found["changes_at"]
    return Memory(
        {name: found[node] for name, node in targets.items()},
        None if coming is None else format_time(coming.to_pydatetime()),
        waiting - answered - resting,
        resting,
    )


@dataclass(frozen=True)
class Circumstances:
    """What a dream needs besides the database: who answers, under which configuration, when, and who is listening."""

    client: LLMClient
    config: HyMemConfig
    now: str
    fingerprint: str
    concurrency: int = 8
    clock: Clock = wall_clock
    stop: threading.Event | None = None
    progress: Callable[[int, int], None] | None = None


def dream(database: Database, root: Path, circumstances: Circumstances) -> DreamRun:
    """Dream once. Raises `BusyError` where another dream is under way; any other failure is noted in `dream_runs` first."""
    run = DreamRun(secrets.token_hex(8), circumstances.clock(), None, "dreaming")
    try:
        with dream_lock(database, circumstances.clock) as lease:
            return _dream(database, root, circumstances, lease, run)
    except BusyError as error:
        with database.writing() as connection:
            note_locked(connection, run.run_id, run.started_at, str(error))
        raise


def _dream(database: Database, root: Path, its: Circumstances, lease: Lease, run: DreamRun) -> DreamRun:
    with database.writing() as connection:
        begin_run(connection, run, its.now)
    log = RunLog()
    try:
        done = _remember_and_commit(database, its, lease, run, log)
    except BaseException as error:
        outcome = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        told = f"{type(error).__name__}: {error}"
        with database.writing() as connection:
            end_run(connection, replace(run, finished_at=its.clock(), outcome=outcome, error=told), log.nodes)
        raise
    with database.reading() as connection:
        told = sections(connection)
    write_memory_files(root, told)
    return done


def _remember_and_commit(database: Database, its: Circumstances, lease: Lease, run: DreamRun, log: RunLog) -> DreamRun:
    """Compute and write; where somebody acted on the ledger meanwhile, look again: the replies are kept, so that is quick."""
    reports: list[Report] = []
    for _ in range(LOOKS):
        keeper = ReplyKeeper(database, lease)
        asker = ModelAsker(its.client, keeper, its.concurrency, its.stop, its.progress)
        snapshot = _look(database, its)
        memory = remember(snapshot, its.config, its.now, its.client.model, asker, [log, tables.SchemaCheck()])
        reports.append(asker.report)
        state = DreamState(its.fingerprint, snapshot.state.revision + keeper.kept, memory.waiting, memory.changes_at)
        with database.reading() as connection:
            found = changes(connection, changed_rows(memory.tables))
        with database.writing() as connection:
            lease.check(connection)
            if ledger_state(connection).generation != snapshot.state.generation:
                continue
            changed = apply(connection, found)
            keep_dream_state(connection, state)
            done = replace(_counted(run, reports, memory), finished_at=its.clock(), outcome="done", changed=changed)
            end_run(connection, done, log.nodes)
            return done
    raise BusyError("the ledger was edited again and again while dreaming: dream again when it is quiet")


def ledger_inputs(database: Database, config: HyMemConfig, now: str, model: str) -> dict[str, Any]:
    """What the dataflow takes from outside, from the ledger alone: nothing is carried and nobody asked."""
    version = extraction_version(config.prompt_version, extraction_instructions())
    with database.reading() as connection:
        snapshot = read_snapshot(connection, View(version, model, carry=False))
    return inputs(snapshot, config, now, model, Silence())


def _look(database: Database, its: Circumstances) -> Snapshot:
    version = extraction_version(its.config.prompt_version, extraction_instructions())
    with database.reading() as connection:
        state = dream_state(connection)
        holds = state is not None and state.fingerprint == its.fingerprint
        return read_snapshot(connection, View(version, its.client.model, carry=holds))


def _counted(run: DreamRun, reports: Sequence[Report], memory: Memory) -> DreamRun:
    warnings = [told for report in reports for told in (report.refused, report.down) if told]
    return replace(
        run,
        asked=sum(report.asked for report in reports),
        answered=sum(report.answered for report in reports),
        failed=sum(report.asked - report.answered for report in reports),
        prompt_tokens=sum(report.prompt_tokens for report in reports),
        completion_tokens=sum(report.completion_tokens for report in reports),
        waiting=memory.waiting,
        quarantined=memory.quarantined,
        warnings=tuple(dict.fromkeys(warnings)),
    )
