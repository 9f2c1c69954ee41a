"""A dream: read the ledger, ask about what is new, compute everything, write what changed.

    memory = dream(ledger, config, now)

No transaction is open while a model is waited for, and none while frames are computed. The tables of a dream, and what they
were computed from, are written in one short transaction; the Markdown files follow from the tables.
"""

import secrets
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dataflows.asking import ModelAsker, Silence
from dataflows.checks import SchemaCheck
from dataflows.driver import Memory, RunLog, inputs, remember, texts_without_vectors, view
from dataflows.embedding import Embedder
from dataflows.materialization import changed_rows
from hymem.config import HyMemConfig
from hymem.errors import BusyError
from hymem.memory_files import FILES, write_memory_files
from hymem.models.chat import LLMClient
from hymem.models.embedding import EmbeddingClient
from hymem.records import DreamRun
from hymem.store.database import Database
from hymem.store.ledger import ledger_state
from hymem.store.lock import Clock, Lease, dream_lock
from hymem.store.materialization import apply, changes, staged
from hymem.store.replies import ReplyKeeper
from hymem.store.runs import DreamState, begin_run, dream_state, end_run, keep_dream_state, keep_embedded, note_locked
from hymem.store.sections import section_body
from hymem.store.silence import unembedded_silence
from hymem.store.snapshot import Snapshot, read_snapshot
from hymem.store.vectors import drop_orphans, known_vectors
from hymem.times import wall_clock
from hymem.tracing import trace_dream

if TYPE_CHECKING:
    from dataflows.workers import Workforce

LOOKS: Final = 5
"""How often a dream looks again at a ledger that is edited while it dreams."""


@dataclass(frozen=True)
class DreamContext:
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
    workforce: "AbstractContextManager[Workforce] | None" = None


def dream(database: Database, root: Path, context: DreamContext) -> DreamRun:
    """Dream once. Raises `BusyError` where another dream is under way; any failure is noted in `dream_runs` first."""
    run = DreamRun(secrets.token_hex(8), context.clock(), None, "dreaming")
    with ExitStack() as held:
        workers = held.enter_context(context.workforce) if context.workforce else None
        try:
            lease = held.enter_context(dream_lock(database, context.clock))
        except BusyError as error:
            with database.writing() as connection:
                note_locked(connection, run.run_id, run.started_at, str(error))
            raise
        return _Dream(database, root, context, lease, run, workers).run_to_the_end()


def ledger_inputs(database: Database, config: HyMemConfig, now: str, model: str) -> dict[str, Any]:
    """What the dataflow takes from outside, from the ledger alone: nothing is carried and nobody asked."""
    with database.reading() as connection:
        snapshot = read_snapshot(connection, view(config, model))
    return inputs(snapshot, config, now, model, Silence())


class _Dream:
    """One dream under way; `run` says at every moment what it has done so far."""

    def __init__(
        self,
        database: Database,
        root: Path,
        context: DreamContext,
        lease: Lease,
        run: DreamRun,
        workers: "Workforce | None",
    ) -> None:
        self.database, self.root, self.context, self.lease, self.run = database, root, context, lease, run
        self.log, self.generation = RunLog(), 0
        self.keeper = ReplyKeeper(database, lease, run_id=run.run_id)
        config = context.config
        budgets = config.dream_call_budget, config.dream_token_budget
        given = context.client, self.keeper, context.concurrency, *budgets, context.stop, context.progress
        self.asker, self.executor, self.adapters = ModelAsker(*given), None, [self.log, SchemaCheck()]
        if workers is not None:
            from dataflows.scaling import BatchKeeper, SharingAsker

            self.asker, self.executor = SharingAsker(*given, workers=workers.workers), workers.executor
            self.adapters.append(BatchKeeper(self.asker))

    def run_to_the_end(self) -> DreamRun:
        with self.database.writing() as connection:
            begin_run(connection, self.run, self.context.now)
        try:
            memory = self._remember_and_commit()
            self._embed(memory)
            self._write_files()
        except BaseException as error:
            self._end("interrupted" if isinstance(error, KeyboardInterrupt) else "failed", error)
            raise
        self._end("done")
        self.database.checkpoint()
        return self.run

    def _remember_and_commit(self) -> Memory:
        """Compute and write; where somebody acted on the ledger meanwhile, look again: the replies are kept, so it is quick."""
        for _ in range(LOOKS):
            kept_before, snapshot = self.keeper.kept, self._look()
            memory = remember(
                snapshot,
                self.context.config,
                self.context.now,
                self.context.client.model,
                self.asker,
                self.adapters,
                self.executor,
            )
            revision = snapshot.state.revision + self.keeper.kept - kept_before
            if self._commit(memory, snapshot.state.generation, revision):
                return memory
        raise BusyError("the ledger was edited again and again while dreaming: dream again when it is quiet")

    def _look(self) -> Snapshot:
        with self.database.reading() as connection:
            state = dream_state(connection)
            holds = (
                state is not None
                and state.fingerprint == self.context.fingerprint
                and state.seen_at <= self.context.now  # as of an earlier moment, more may be kept
            )
            return read_snapshot(connection, view(self.context.config, self.context.client.model, carry=holds))

    def _commit(self, memory: Memory, generation: int, revision: int) -> bool:
        """Write what changed, in one transaction; False where the ledger's generation is another by now."""
        made_by = {"model": self.context.client.model}
        state = DreamState(
            self.context.fingerprint, revision, memory.waiting, self.context.now, memory.changes_at, **made_by
        )
        told = changed_rows(memory.tables, memory.kept)
        self.log.note_tables({table: sorted([*rows.digests, *rows.kept]) for table, rows in told.items()})
        with self.database.reading() as connection:
            found = changes(connection, told)
        with self.database.preparing() as aside, staged(aside, found), self.database.writing() as connection:
            self.lease.check(connection)
            if ledger_state(connection).generation != generation:
                return False
            changed = apply(connection, found)
            drop_orphans(connection)
            keep_dream_state(connection, state)
            self.generation = generation
            self.run = replace(
                self.run, outcome="done", changed=changed, waiting=memory.waiting, quarantined=memory.quarantined
            )
            end_run(connection, self._counted(), self.log.nodes)
        return True

    def _embed(self, memory: Memory) -> None:
        """Give a vector to every text that has none; what fails is said, and waits."""
        client = self.context.embedder
        if client is None:
            return
        with self.database.reading() as connection:
            known, unembedded = known_vectors(connection), unembedded_silence(connection)
        concurrency = getattr(client, "concurrency", self.context.concurrency)
        listening = self.context.stop, self.context.progress
        embedder = Embedder(client, self.database, self.lease, concurrency, *listening, self.generation)
        try:
            left = embedder.embed(texts_without_vectors(memory, known, unembedded))
        finally:
            warnings = (*self.run.warnings, *embedder.warnings)
            self.run = replace(self.run, embedded=embedder.kept, warnings=warnings)
        if left == 0:
            with self.database.writing() as connection:
                self.lease.check(connection)
                keep_embedded(connection, client.model)

    def _write_files(self) -> None:
        write_memory_files(self.root, {name: partial(section_body, self.database, name) for name in FILES})

    def _end(self, outcome: str, error: BaseException | None = None) -> None:
        reason = None if error is None else f"{type(error).__name__}: {error}"
        self.run = replace(self._counted(), outcome=outcome, error=reason)
        with self.database.writing() as connection:
            end_run(connection, self.run, self.log.nodes)
        trace_dream(self.run, self.log.nodes)

    def _counted(self) -> DreamRun:
        """The run with what is known of its questions; of interrupted ones, at least the replies that were kept."""
        report = self.asker.report
        warnings = [words for words in (report.refused, report.down) if words]
        return replace(
            self.run,
            finished_at=self.context.clock(),
            asked=max(report.asked, self.keeper.kept),
            answered=max(report.answered, self.keeper.kept),
            failed=report.failed,
            unavailable=report.asked - report.answered - report.failed,
            prompt_tokens=report.prompt_tokens,
            completion_tokens=report.completion_tokens,
            warnings=tuple(dict.fromkeys([*warnings, *self.run.warnings])),
        )
