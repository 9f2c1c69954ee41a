"""What can be put right without losing anything: indexes, drifted names, permissions, remnants.

The database is copied first; where it cannot be copied, nothing in it is changed.
"""

from collections.abc import Iterator
from pathlib import Path

from hymem.errors import HyMemError
from hymem.files import abandoned
from hymem.store import entities, health
from hymem.store.backup import back_up
from hymem.store.database import Database
from hymem.times import wall_clock
from serving.doctor.findings import Finding, error_finding
from serving.doctor.premises import open_to_others
from serving.scratch import left_behind, sweep


def repair_files(root: Path) -> Iterator[Finding]:
    """Take others' rights to private files away, and remove what killed processes left behind."""
    for path in open_to_others(root):
        path.chmod(path.stat().st_mode & 0o700)
        yield Finding("repair", "ok", f"only you may read {path.name} now")
    remnants = [*abandoned(root), *left_behind()]
    sweep()
    for path in abandoned(root):
        path.unlink(missing_ok=True)
    if gone := [path.name for path in remnants if not path.exists()]:
        yield Finding("repair", "ok", f"removed {', '.join(gone)}")


def repair_database(database: Database) -> Iterator[Finding]:
    """Build broken indexes anew and put drifted names right, after a backup beside the database."""
    broken = health.broken_indexes(database)
    with database.reading() as connection:
        drifted = entities.canonical_drift(connection)
    if not (broken or drifted):
        return
    moment = wall_clock()[:19].replace(":", "").replace("-", "")
    copy = database.path.with_name(f"{database.path.stem}-before-repair-{moment}.db")
    try:
        back_up(database, copy, force=True, checked=False)
    except HyMemError as error:
        yield error_finding("repair", error, "make room for a copy of the database, then repair again")
        return
    yield Finding("repair", "ok", f"{copy.name} is the database as it was")
    if broken:
        health.rebuild_indexes(database)
        yield Finding("repair", "ok", f"built anew: {', '.join(name.partition(':')[0] for name in broken)}")
    if drifted:
        with database.writing() as connection:
            entities.repair_canonical_drift(connection)
        told = f"{len(drifted)} names put right"
        yield Finding("repair", "note", told, "`hymem dream` makes anew what came of them")
