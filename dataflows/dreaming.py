"""A dream: read the ledger, ask about what is new, compute everything, write what changed.

    memory = dream(ledger, config, now)

No transaction is open while a model is waited for, and none while frames are computed. The tables of a dream, and what they
were computed from, are written in one short transaction; the Markdown files follow from the tables.
"""

import secrets
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from dataflows.asking import ModelAsker, Silence
from dataflows.driver import Memory, RunLog, inputs, remember, texts_without_vectors, view
from dataflows.embedding import Embedder
from dataflows.materialization import changed_rows
from dataflows.tables import SchemaCheck
from hymem.config import HyMemConfig
from hymem.errors import BusyError
from hymem.memory_files import write_memory_files
from hymem.models.asking import Report
from hymem.models.chat import LLMClient
from hymem.models.embedding import EmbeddingClient
from hymem.records import DreamRun
from hymem.store.database import Database
from hymem.store.ledger import ledger_state
from hymem.store.lock import Clock, Lease, dream_lock
from hymem.store.materialization import apply, changes, staged
from hymem.store.replies import ReplyKeeper
from hymem.store.runs import DreamState, begin_run, dream_state, end_run, keep_dream_state, keep_embedded, note_locked
from hymem.store.sections import sections
from hymem.store.snapshot import Snapshot, read_snapshot
from hymem.store.vectors import drop_orphans, known_vectors
from hymem.times import wall_clock

LOOKS: Final = 5
"""How often a dream looks again at a ledger that is edited while it dreams."""


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
    embedder: EmbeddingClient | None = None


def dream(database: Database, root: Path, circumstances: Circumstances) -> DreamRun:
    """Dream once. Raises `BusyError` where another dream is under way; any other failure is noted in `dream_runs` first."""
    run = DreamRun(secrets.token_hex(8), circumstances.clock(), None, "dreaming")
    with ExitStack() as held:
        try:
            lease = held.enter_context(dream_lock(database, circumstances.clock))
        except BusyError as error:
            with database.writing() as connection:
                note_locked(connection, run.run_id, run.started_at, str(error))
            raise
        return _dream(database, root, circumstances, lease, run)


def _dream(database: Database, root: Path, its: Circumstances, lease: Lease, run: DreamRun) -> DreamRun:
    with database.writing() as connection:
        begin_run(connection, run, its.now)
    log = RunLog()
    try:
        done, memory = _remember_and_commit(database, its, lease, run, log)
        done = _embed(database, its, lease, done, memory)
    except BaseException as error:
        outcome = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        told = f"{type(error).__name__}: {error}"
        with database.writing() as connection:
            end_run(connection, replace(run, finished_at=its.clock(), outcome=outcome, error=told), log.nodes)
        raise
    with database.writing() as connection:
        end_run(connection, done, log.nodes)
    with database.reading() as connection:
        told = sections(connection)
    write_memory_files(root, told)
    return done


def _remember_and_commit(
    database: Database, its: Circumstances, lease: Lease, run: DreamRun, log: RunLog
) -> tuple[DreamRun, Memory]:
    """Compute and write; where somebody acted on the ledger meanwhile, look again: the replies are kept, so that is quick."""
    reports: list[Report] = []
    for _ in range(LOOKS):
        keeper = ReplyKeeper(database, lease)
        budgets = its.config.dream_call_budget, its.config.dream_token_budget
        asker = ModelAsker(its.client, keeper, its.concurrency, *budgets, its.stop, its.progress)
        snapshot = _look(database, its)
        memory = remember(snapshot, its.config, its.now, its.client.model, asker, [log, SchemaCheck()])
        reports.append(asker.report)
        revision = snapshot.state.revision + keeper.kept
        state = DreamState(its.fingerprint, revision, memory.waiting, its.now, memory.changes_at)
        with database.reading() as connection:
            found = changes(connection, changed_rows(memory.tables))
        with database.preparing() as aside, staged(aside, found), database.writing() as connection:
            lease.check(connection)
            if ledger_state(connection).generation != snapshot.state.generation:
                continue
            changed = apply(connection, found)
            drop_orphans(connection)
            keep_dream_state(connection, state)
            done = replace(_counted(run, reports, memory), finished_at=its.clock(), outcome="done", changed=changed)
            end_run(connection, done, log.nodes)
        return done, memory
    raise BusyError("the ledger was edited again and again while dreaming: dream again when it is quiet")


def _embed(database: Database, its: Circumstances, lease: Lease, done: DreamRun, memory: Memory) -> DreamRun:
    """Give a vector to every text that has none; what fails is said, and waits."""
    if its.embedder is None:
        return done
    with database.reading() as connection:
        known = known_vectors(connection)
    concurrency = getattr(its.embedder, "concurrency", its.concurrency)
    embedder = Embedder(its.embedder, database, lease, concurrency, its.stop, its.progress)
    left = embedder.embed(texts_without_vectors(memory, known))
    if left == 0:
        with database.writing() as connection:
            lease.check(connection)
            keep_embedded(connection, its.embedder.model)
    warnings = (*done.warnings, *embedder.warnings)
    return replace(done, embedded=embedder.kept, warnings=warnings, finished_at=its.clock())


def ledger_inputs(database: Database, config: HyMemConfig, now: str, model: str) -> dict[str, Any]:
    """What the dataflow takes from outside, from the ledger alone: nothing is carried and nobody asked."""
    with database.reading() as connection:
        snapshot = read_snapshot(connection, view(config, model))
    return inputs(snapshot, config, now, model, Silence())


def _look(database: Database, its: Circumstances) -> Snapshot:
    with database.reading() as connection:
        state = dream_state(connection)
        holds = state is not None and state.fingerprint == its.fingerprint
        return read_snapshot(connection, view(its.config, its.client.model, carry=holds))


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
