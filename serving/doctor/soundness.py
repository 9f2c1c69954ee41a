"""Whether the database is sound: its schema, its pages, its references, its indexes and its names."""

from collections.abc import Iterator
from typing import Final

from hymem.errors import ConfigError, StoreError
from hymem.settings import LOCAL, Settings, build_embedder
from hymem.store import entities, health
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.vectors import stored_space
from serving.doctor.findings import REPAIR, Finding

DRIFTS_SHOWN: Final = 5


def soundness(database: Database, settings: Settings) -> Iterator[Finding]:
    """All that can be said of the file itself."""
    yield Finding("database", "ok", f"{database.path} opens, {database.path.stat().st_size / 1e6:.1f} MB")
    with database.reading() as connection:
        number, known = health.schema_number(connection)
        yield Finding("schema", "ok", f"{number}; this HyMem knows {known}")
        yield _sound("integrity", health.quick_check(connection), "the file is sound")
        yield _sound("references", health.orphans(connection), "every row refers to rows that are there")
        yield _vectors(connection, settings)
    yield _indexes(database)
    yield _names(database)


def _sound(check: str, damages: list[str], sound: str) -> Finding:
    if not damages:
        return Finding(check, "ok", sound)
    remedy = "restore a backup, or keep this file and begin another in a new HYMEM_ROOT"
    return Finding(check, "error", "; ".join(damages), remedy, StoreError.exit_code)


def _vectors(connection: Connection, settings: Settings) -> Finding:
    space = stored_space(connection)
    if faults := health.vector_faults(connection):
        return Finding("vectors", "error", "; ".join(faults), "`hymem reembed` makes all anew", StoreError.exit_code)
    if space is None:
        return Finding("vectors", "ok", "none are stored")
    told = f"those stored are of {space.model}, {space.dimension} numbers each"
    configured = _configured(settings)
    if configured is None:
        remedy = (
            f"set HYMEM_EMBEDDING_MODEL={LOCAL if 'MiniLM' in space.model else space.model} to recall by meaning, too"
        )
        return Finding("vectors", "note", f"{told}, and no embedding model is set", remedy)
    if configured[0] != space.model or configured[1] not in (None, space.dimension):
        remedy = "`hymem reembed` changes the model; or set HYMEM_EMBEDDING_MODEL back"
        told = f"{told}; the settings name {configured[0]}"
        return Finding("vectors", "error", told, remedy, ConfigError.exit_code)
    return Finding("vectors", "ok", told)


def _configured(settings: Settings) -> tuple[str, int | None] | None:
    """The model that the settings name, and its dimension where that is known without asking."""
    try:
        embedder = build_embedder(settings)
    except ConfigError:
        return None  # a finding of the configuration already
    return None if embedder is None else (embedder.model, embedder.dimension)


def _indexes(database: Database) -> Finding:
    if broken := health.broken_indexes(database):
        return Finding("search index", "error", "; ".join(broken), REPAIR, StoreError.exit_code)
    return Finding("search index", "ok", "each index holds what its table does")


def _names(database: Database) -> Finding:
    with database.reading() as connection:
        drifted = entities.canonical_drift(connection)
    if not drifted:
        return Finding("names", "ok", "every name is in its canonical form")
    told = ", ".join(f"{drift.table}.{drift.column} {drift.name!r}" for drift in drifted[:DRIFTS_SHOWN])
    return Finding("names", "warning", f"{len(drifted)} not in canonical form: {told}", REPAIR)
