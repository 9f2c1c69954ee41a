"""Whether there is anything to dream about, asked before memory is loaded.

A timer starts most dreams, and most of those find nothing to do: ledger, configuration, code and models as they were, both
files as they should be, and no moment passed at which time alone changes something.
"""

from pathlib import Path

from hymem.config import HyMemConfig
from hymem.fingerprint import memory_fingerprint
from hymem.memory_files import differing
from hymem.settings import build_embedder, build_llm, read_settings
from hymem.store import runs
from hymem.store.database import Database
from hymem.store.sections import sections
from hymem.times import wall_clock


def is_idle(database: Database, root: Path, fingerprint: str, embedding_model: str | None, now: str) -> bool:
    """Whether a dream at `now` would have nothing to do."""
    with database.reading() as connection:
        idle = runs.is_up_to_date(connection, fingerprint, now, embedding_model)
        return idle and not differing(root, sections(connection))


def is_idle_here(root: str | None = None) -> bool:
    """The same of the memory that the environment describes; raises `ConfigError` where it names no model that can be had."""
    settings = read_settings(root=root)
    llm, embedder = build_llm(settings), build_embedder(settings)
    if not settings.database.exists():
        return False
    database = Database.open(settings.database)
    try:
        fingerprint = memory_fingerprint(HyMemConfig(), llm.model)
        return is_idle(database, settings.root, fingerprint, embedder.model if embedder else None, wall_clock())
    finally:
        database.close()
