"""Whether everything is as it should be: settings, key, database, index, vectors, lock, dreams, files, disk, model.

Each check gives findings, and each finding that is not "ok" comes with a remedy. Nothing is changed by looking.
"""

import shutil
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from hymem import __version__
from hymem.errors import BusyError, ConfigError, HyMemError, ModelError, NewerSchemaError, StoreError
from hymem.memory_files import FILES, unreadable_files
from hymem.models.chat import ChatRequest, close_client
from hymem.models.trouble import shown
from hymem.records import DreamRun
from hymem.settings import RULES, Settings, build_llm, read_settings
from hymem.store import entities, health, runs
from hymem.store.database import Database
from hymem.store.lock import lock_holder
from hymem.store.vec_tables import vec_version
from hymem.variables import masked

Level = Literal["ok", "note", "warning", "error"]

LITTLE_SPACE: Final = 200_000_000
NO_SPACE: Final = 20_000_000
DREAMS_SHOWN: Final = 3
RUNS_LOOKED_AT: Final = 200
DRIFTS_SHOWN: Final = 5
WARNED: Final = 1
"""The exit code where the worst finding is a warning."""

_REMEDIES: Final = {
    NewerSchemaError: "upgrade HyMem: pip install --upgrade hymem",
    BusyError: "wait for the other process to end, then look again",
    StoreError: "mend what it says, restore a backup of the file, or choose another HYMEM_ROOT",
}


@dataclass(frozen=True)
class Finding:
    """What a check found, how bad that is, and what to do about it."""

    check: str
    level: Level
    message: str
    remedy: str = ""
    exit_code: int = 0


def examine(root: str | None = None, online: bool = False, repair: bool = False) -> list[Finding]:
    """Look at everything that the environment names, with `root` in place of HYMEM_ROOT.

    `online` asks the language model a question; `repair` builds broken search indexes anew.
    """
    try:
        settings = read_settings(root=root)
    except ConfigError as error:
        return [Finding("settings", "error", str(error), "correct the variable that it names", error.exit_code)]
    return [
        *_settings(settings),
        *_vectors(),
        *_database(settings.database, repair),
        *_files(settings.root),
        *_disk(settings.root),
        *(_model(settings) if online else ()),
    ]


def exit_code(findings: Sequence[Finding]) -> int:
    """The worst finding's: an error's own code, 1 for a warning, 0 where all is well."""
    worst = max((finding for finding in findings), key=lambda finding: _gravity(finding.level), default=None)
    if worst is None or worst.level in ("ok", "note"):
        return 0
    return worst.exit_code if worst.level == "error" else WARNED


def _gravity(level: Level) -> int:
    return ("ok", "note", "warning", "error").index(level)


def _error(check: str, error: HyMemError) -> Finding:
    remedy = next((told for kind, told in _REMEDIES.items() if isinstance(error, kind)), "")
    return Finding(check, "error", str(error), remedy, error.exit_code)


def _settings(settings: Settings) -> Iterator[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("version", "ok", f"hymem {__version__}, Python {python}, SQLite {health.sqlite_version()}")
    yield Finding("root", "ok", str(settings.root))
    if settings.llm_model == RULES:
        yield Finding("model", "ok", "rules: a grammar in place of a language model; no key, no network")
        return
    yield Finding("model", "ok", f"{settings.llm_model} at {shown(settings.llm_base_url)}")
    yield _key(settings)


def _key(settings: Settings) -> Finding:
    if settings.llm_api_key:
        return Finding("key", "ok", f"present: {masked(settings.llm_api_key)}")
    try:
        build_llm(settings)
    except ConfigError as error:
        fault, _, remedy = str(error).partition(": ")
        return Finding("key", "error", fault, remedy, error.exit_code)
    return Finding("key", "ok", "none, and none is needed for an endpoint on this machine")


def _vectors() -> Iterator[Finding]:
    try:
        yield Finding("sqlite-vec", "ok", vec_version())
    except StoreError as error:
        remedy = "pip install --force-reinstall sqlite-vec; without it, vectors are compared more slowly"
        yield Finding("sqlite-vec", "warning", str(error), remedy)


def _database(path: Path, repair: bool) -> Iterator[Finding]:
    if not path.exists() and not path.is_symlink():
        yield Finding("database", "note", f"{path} is not there yet", "`hymem ingest FILE` makes it")
        return
    try:
        database = Database.open(path)
        try:
            yield from _opened(database, repair)
        finally:
            database.close()
    except StoreError as error:
        yield _error("database", error)


def _opened(database: Database, repair: bool) -> Iterator[Finding]:
    yield Finding("database", "ok", f"{database.path} opens, {database.path.stat().st_size / 1e6:.1f} MB")
    with database.reading() as connection:
        number, known = health.schema_number(connection)
        yield Finding("schema", "ok", f"{number}; this HyMem knows {known}")
        yield _sound("integrity", health.quick_check(connection), "the file is sound")
        yield _sound("references", health.orphans(connection), "every row refers to rows that are there")
        holder = lock_holder(connection)
        last = runs.runs(connection, RUNS_LOOKED_AT)
    yield _index(database, repair)
    yield _names(database, repair)
    yield (
        Finding("lock", "note", f"a dream is under way: {holder}", "wait; a dead dreamer's lock is taken over")
        if (holder)
        else Finding("lock", "ok", "nobody dreams just now")
    )
    yield from _dreams([run for run in last if run.outcome != "locked"][:DREAMS_SHOWN], holder is not None)


def _sound(check: str, damages: list[str], sound: str) -> Finding:
    if not damages:
        return Finding(check, "ok", sound)
    remedy = "restore a backup, or keep this file and begin another in a new HYMEM_ROOT"
    return Finding(check, "error", "; ".join(damages), remedy, StoreError.exit_code)


def _index(database: Database, repair: bool) -> Finding:
    broken = health.broken_indexes(database)
    if broken and repair:
        health.rebuild_indexes(database)
        broken = health.broken_indexes(database)
    if not broken:
        return Finding("search index", "ok", "it holds what the tables do")
    return Finding("search index", "error", "; ".join(broken), "`hymem doctor --repair`", StoreError.exit_code)


def _names(database: Database, repair: bool) -> Finding:
    with database.writing() if repair else database.reading() as connection:
        drifted = entities.repair_canonical_drift(connection) if repair else entities.canonical_drift(connection)
    if not drifted:
        return Finding("names", "ok", "every name is in its canonical form")
    told = ", ".join(f"{drift.table}.{drift.column} {drift.name!r}" for drift in drifted[:DRIFTS_SHOWN])
    if repair:
        return Finding("names", "note", f"put right: {told}", "`hymem dream` makes anew what came of them")
    return Finding("names", "warning", f"{len(drifted)} not in canonical form: {told}", "`hymem doctor --repair`")


def _dreams(last: Sequence[DreamRun], under_way: bool) -> Iterator[Finding]:
    if not last:
        yield Finding("dreams", "note", "none yet", "`hymem dream` learns from what was said")
    for run in last:
        yield _dream(run, under_way)
    if last and last[0].waiting:
        yield Finding("waiting", "note", f"{last[0].waiting} questions", "`hymem dream --budget all` asks them")
    if last and last[0].quarantined:
        remedy = "another HYMEM_LLM_MODEL is asked them again"
        yield Finding("left alone", "warning", f"{last[0].quarantined} questions, after three failures each", remedy)


def _dream(run: DreamRun, under_way: bool) -> Finding:
    told = f"{run.started_at[:16].replace('T', ' ')} {run.outcome}: {run.asked} asked, {run.answered} answered"
    trouble = "; ".join([*run.warnings, *([run.error] if run.error else [])])
    died = run.outcome == "dreaming" and not under_way
    if run.outcome in ("failed", "killed") or died or run.warnings:
        remedy = "`hymem dream` goes on; no reply that came is lost"
        return Finding("dream", "warning", f"{told}. {trouble}" if trouble else told, remedy)
    return Finding("dream", "ok", told)


def _files(root: Path) -> Iterator[Finding]:
    names = ["hymem.db", "hymem.db-wal", *FILES.values()]
    held = [root / name for name in names if (root / name).exists()]
    open_to_others = [path.name for path in held if stat.S_IMODE(path.stat().st_mode) & 0o077]
    for reason in unreadable_files(root):
        yield Finding("Markdown", "error", reason, "put the file right, or move it away", StoreError.exit_code)
    if sys.platform == "win32" or not held:
        return
    if open_to_others:
        remedy = " ".join(["chmod go=", *(str(root / name) for name in open_to_others)])
        yield Finding("permissions", "warning", f"others may read {', '.join(open_to_others)}", remedy)
    else:
        yield Finding("permissions", "ok", "only you may read the files")


def _disk(root: Path) -> Iterator[Finding]:
    place = next(folder for folder in (root, *root.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    told, remedy = f"{free / 1e9:.1f} GB free", "free some space, or move memory and set HYMEM_ROOT"
    if free < NO_SPACE:
        yield Finding("disk", "error", told, remedy, StoreError.exit_code)
    elif free < LITTLE_SPACE:
        yield Finding("disk", "warning", told, remedy)
    else:
        yield Finding("disk", "ok", told)


def _model(settings: Settings) -> Iterator[Finding]:
    if settings.llm_model == RULES:
        return
    try:
        llm = build_llm(settings)
    except ConfigError:
        return  # the missing key is a finding already
    began = time.perf_counter()
    try:
        reply = llm.complete(ChatRequest("probe", "Answer in one word.", "Are you there?"))
    except ModelError as error:
        yield Finding("endpoint", "error", str(error), "check HYMEM_LLM_BASE_URL, _MODEL and _API_KEY", error.exit_code)
    else:
        seconds = time.perf_counter() - began
        yield Finding("endpoint", "ok", f"{reply.model} answers after {seconds:.1f} s")
    finally:
        close_client(llm)
