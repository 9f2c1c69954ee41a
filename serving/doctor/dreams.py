"""Who dreams just now, and how the last dreams went."""

from collections.abc import Iterator, Sequence
from typing import Final

from hymem.records import DreamRun
from hymem.store import runs
from hymem.store.database import Database
from hymem.store.lock import dreaming_since, lock_holder
from hymem.times import wall_clock
from serving.doctor.findings import Finding

DREAMS_SHOWN: Final = 3
RUNS_LOOKED_AT: Final = 200


def dreams(database: Database) -> Iterator[Finding]:
    """The lock and the last dreams."""
    with database.reading() as connection:
        holder, since = lock_holder(connection), dreaming_since(connection, wall_clock())
        last = runs.runs(connection, RUNS_LOOKED_AT)
    yield _lock(holder, since is not None)
    yield from _last([run for run in last if run.outcome != "locked"][:DREAMS_SHOWN], since is not None)


def _lock(holder: str | None, alive: bool) -> Finding:
    if holder is None:
        return Finding("lock", "ok", "nobody dreams just now")
    if alive:
        return Finding("lock", "note", f"a dream is under way: {holder}", "wait for it; nothing else has to be done")
    return Finding("lock", "note", f"{holder} died while it dreamt", "`hymem dream` takes its lock over, and goes on")


def _last(last: Sequence[DreamRun], under_way: bool) -> Iterator[Finding]:
    if not last:
        yield Finding("dreams", "note", "none yet", "`hymem dream` learns from what was said")
    for place, run in enumerate(last):
        yield _dream(run, under_way and place == 0)
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
