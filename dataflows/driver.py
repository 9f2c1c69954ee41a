"""The dreaming dataflow as a Hamilton driver: its chapters, its inputs, and what runs alongside each node.

Building it costs some milliseconds, so that a dream builds its own. A notebook may build one and run any part of it:
`driver.execute(["insights"], inputs=…, overrides={"extraction_replies": frame})`.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Final

import pandas as pd
from hamilton import driver
from hamilton.execution.executors import SynchronousLocalTaskExecutor, TaskExecutor
from hamilton.lifecycle import NodeExecutionHook

from dataflows import (
    canonicalization,
    chunking,
    decay,
    embeddings,
    evidence,
    experience,
    extraction,
    graph,
    horizon,
    inference,
    insights,
    mentions,
    profile,
    retention,
    rows,
    session_windows,
    silence,
)
from dataflows.asking import Asker
from dataflows.checks import SchemaCheck, TableInputs
from dataflows.extraction import extraction_instructions, extraction_version
from dataflows.session_windows import session_instructions, session_version
from dataflows.tables import Table, table
from hymem.config import HyMemConfig
from hymem.digests import digest63
from hymem.store.runs import NodeRun
from hymem.store.snapshot import Rows, Snapshot, View
from hymem.times import format_time, parse_time

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
    session_windows,
    experience,
    silence,
    retention,
    horizon,
    embeddings,
)
"""The modules whose functions are the dataflow's nodes, in the order of the story."""

SOURCE_ROWS: Final[dict[str, type]] = {
    "messages": rows.Message,
    "session_revisions": rows.SessionRevision,
    "alias_acts": rows.AliasAct,
    "feedback": rows.FeedbackAct,
    "replies": rows.Reply,
    "attempts": rows.Attempt,
    "carried_chunks": rows.Chunk,
    "carried_silence": rows.SilentRow,
    "carried_sessions": rows.ChunkedSession,
    "carried_replies": rows.ReadReply,
    "carried_triples": rows.Triple,
    "carried_markers": rows.Marker,
    "carried_type_claims": rows.TypeClaim,
    "carried_names": rows.KnownName,
    "carried_mentions": rows.FoundName,
    "session_replies": rows.Reply,
    "session_attempts": rows.Attempt,
    "carried_windows": rows.SessionWindow,
    "carried_episodes": rows.Episode,
    "carried_procedures": rows.Procedure,
}
"""The shape of every source; the store's names for them are the same."""

DIGESTED_ROWS: Final = 1000
"""Rows of a frame up to which every dream notes a digest of it; those that fill tables have one whatever their size."""

logging.getLogger("hamilton").setLevel(logging.CRITICAL)  # it would print users' text with every error


class RunLog(NodeExecutionHook):
    """What each node did: when, how long, how many rows, what went wrong."""

    def __init__(self) -> None:
        self.nodes: list[NodeRun] = []
        self._tables: dict[str, str] = {}
        self._started: dict[tuple[str, str | None], tuple[float, float]] = {}

    def run_before_node_execution(self, *, node_name: str, task_id: str | None = None, **_: Any) -> None:
        """Start the watch."""
        self._started[node_name, task_id] = (time.time(), time.perf_counter())

    def run_after_node_execution(
        self,
        *,
        node_name: str,
        node_tags: dict[str, Any],
        result: Any,
        error: Exception | None,
        task_id: str | None = None,
        **_: Any,
    ) -> None:
        """Stop it, and note the outcome."""
        if "table" in node_tags:
            self._tables[str(node_tags["table"])] = node_name
        at, watch = self._started.pop((node_name, task_id))
        milliseconds = (time.perf_counter() - watch) * 1000
        rows = len(result) if isinstance(result, pd.DataFrame) else None
        told = f"{type(error).__name__}: {error}" if error else None
        self.nodes.append(NodeRun(node_name, parse_time(at), milliseconds, rows, digest_of(result), told))

    def note_tables(self, digests: Mapping[str, Sequence[int]]) -> None:
        """Note, for the nodes that fill tables, a digest over the digests of their rows."""
        told = {self._tables[table]: f"{digest63(*map(str, rows)):016x}" for table, rows in digests.items()}
        self.nodes = [replace(node, digest=told.get(node.node, node.digest)) for node in self.nodes]


def digest_of(value: Any) -> str | None:
    """What two dreams compare a small value by; None for what is large or cannot be told: that would cost more than it tells."""
    if isinstance(value, pd.DataFrame):
        if len(value) > DIGESTED_ROWS:
            return None
        try:
            hashed = pd.util.hash_pandas_object(value, index=False).to_numpy().tobytes()
        except TypeError:  # a column of lists
            return None
        return f"{digest63(*value.columns, hashed.hex()):016x}"
    return f"{digest63(repr(value)):016x}" if isinstance(value, str | int | float | pd.Timestamp) else None


@dataclass(frozen=True)
class Memory:
    """What a dream computed: the tables to write, the digests of stored chunks to leave as they are, and the counts to report."""

    tables: dict[str, pd.DataFrame]
    kept: dict[str, list[int]]
    changes_at: str | None
    waiting: int
    quarantined: int


def build_driver(
    *adapters: Any, overrides: Sequence[ModuleType] = (), executor: TaskExecutor | None = None
) -> driver.Driver:
    """The dream as a Hamilton driver; `overrides` are modules whose nodes take the place of those of the same name.

    With an `executor`, the extraction's questions are asked in batches on its workers (`dataflows.scaling`).
    """
    builder = driver.Builder().with_adapters(TableInputs(), *adapters)
    if executor is not None:
        from dataflows import scaling

        overrides = (scaling, *overrides)
        here = SynchronousLocalTaskExecutor()
        builder = builder.enable_dynamic_execution(allow_experimental_mode=True)
        builder = builder.with_local_executor(here).with_remote_executor(executor)
    builder = builder.with_modules(*CHAPTERS, *overrides)
    return (builder.allow_module_overrides() if overrides else builder).build()


def tables_by_node(dream_driver: driver.Driver) -> dict[str, str]:
    """The node that fills each materialized table, as the nodes' tags say."""
    tagged = dream_driver.list_available_variables(tag_filter={"table": None})
    return {str(node.tags["table"]): node.name for node in tagged}


def inputs(snapshot: Snapshot, config: HyMemConfig, now: str, model: str, asker: Asker) -> dict[str, Any]:
    """Everything the dataflow takes from outside: sources, tunables, the moment, and who answers."""
    frames = {source: table(row, snapshot.rows[source]) for source, row in SOURCE_ROWS.items()}
    moment = pd.Timestamp(now[:26])
    return {**frames, **config.tunables(), "now": moment, "extraction_model": model, "asker": asker}


def remember(
    snapshot: Snapshot,
    config: HyMemConfig,
    now: str,
    model: str,
    asker: Asker,
    adapters: Sequence[Any] = (),
    executor: TaskExecutor | None = None,
) -> Memory:
    """Compute memory from a snapshot; pure, but for what the asker does."""
    dream_driver = build_driver(*adapters, executor=executor)
    targets = tables_by_node(dream_driver)
    counted = ["kept_silence", "chunks_left", "windows_left", "chunks_resting", "windows_resting", "changes_at"]
    given = inputs(snapshot, config, now, model, asker)
    known = {variable.name for variable in dream_driver.list_available_variables() if variable.is_external_input}
    found = dream_driver.execute(
        [*targets.values(), *counted], inputs={name: value for name, value in given.items() if name in known}
    )
    coming = found["changes_at"]
    return Memory(
        {name: found[node] for name, node in targets.items()},
        {"chunks": found["kept_silence"].row_digest.tolist()},
        None if coming is None else format_time(coming.to_pydatetime()),
        found["chunks_left"] + found["windows_left"],
        found["chunks_resting"] + found["windows_resting"],
    )


def texts_without_vectors(memory: Memory, known: Rows, unembedded: Rows = ()) -> Table[rows.EmbeddingText]:
    """What is to be embedded now that the graph has settled; `unembedded` are stored texts that an earlier dream left so."""
    settled = {"stored_chunks": "chunks", "knowledge_graph": "knowledge_graph", "episodes": "episodes"}
    overrides = {node: memory.tables[name] for node, name in settled.items()}
    given = {
        "known_vectors": table(rows.KnownVector, known),
        "unembedded_texts": table(rows.EmbeddingText, unembedded),
    }
    found = build_driver(SchemaCheck()).execute(["missing_texts"], inputs=given, overrides=overrides)
    return found["missing_texts"]


def view(config: HyMemConfig, model: str, carry: bool = False, as_of: str | None = None) -> View:
    """Which memory a configuration and a model stand for."""
    extraction = extraction_version(config.prompt_version, extraction_instructions())
    return View(extraction, session_version(config.prompt_version, session_instructions()), model, carry, as_of)
