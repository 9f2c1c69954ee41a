"""A view of memory: what the dream makes of a part of the ledger, at a moment, under a configuration, asking nobody.

It is written to a database of the same schema, so that whatever reads memory reads a view as well. The function is the dream's
own; what differs is where its ledger comes from and that what no model was ever asked about stays unknown.
"""

from collections.abc import Iterator
from typing import Final

from dataflows.asking import Silence
from dataflows.driver import Memory, remember, texts_without_vectors, view
from dataflows.materialization import changed_rows
from hymem.digests import digest63
from hymem.fingerprint import memory_fingerprint
from hymem.store.database import Database
from hymem.store.materialization import apply, changes, staged
from hymem.store.part import Viewpoint, copy_part, drop_acts_about_others, settle_told_facts
from hymem.store.runs import DreamState, keep_dream_state, keep_embedded
from hymem.store.sections import sections
from hymem.store.snapshot import read_snapshot
from hymem.store.vectors import keep_vectors, stored_space, vectors_of

BATCH: Final = 4096
"""Vectors that are copied together."""


def remember_part(ledger: Database, scratch: Database, viewpoint: Viewpoint) -> dict[str, str]:
    """Fill an empty database with a part of the ledger and what is remembered of it; returns the Markdown sections."""
    state = copy_part(viewpoint.part, ledger, scratch)
    with scratch.reading() as connection:
        snapshot = read_snapshot(connection, view(viewpoint.config, viewpoint.model))
    memory = remember(snapshot, viewpoint.config, viewpoint.now, viewpoint.model, Silence())
    fingerprint = memory_fingerprint(viewpoint.config, viewpoint.model)
    dreamt = DreamState(
        fingerprint, state.revision, memory.waiting, viewpoint.now, memory.changes_at, model=viewpoint.model
    )
    with scratch.reading() as connection:
        found = changes(connection, changed_rows(memory.tables))
    with scratch.preparing() as aside, staged(aside, found), scratch.writing() as connection:
        apply(connection, found)
        keep_dream_state(connection, dreamt)
        settle_told_facts(connection)
        if viewpoint.part.of_some_sessions:
            drop_acts_about_others(connection)
    _copy_vectors(memory, ledger, scratch)
    scratch.checkpoint()
    with scratch.reading() as connection:
        return sections(connection)


def _copy_vectors(memory: Memory, ledger: Database, scratch: Database) -> None:
    """Take over the vectors of the very texts that this memory holds."""
    with ledger.reading() as connection:
        space = stored_space(connection)
        if space is None:
            return
        texts = texts_without_vectors(memory, [])
        wanted = [
            (kind, int(owner), digest63(text))
            for kind, owner, text in zip(texts.kind, texts.owner, texts.text, strict=True)
        ]
        copied = 0
        for batch in _batches(wanted):
            vectors = vectors_of(connection, batch)
            copied += len(vectors)
            with scratch.writing() as writer:
                keep_vectors(writer, space, vectors)
    if copied == len(wanted):
        with scratch.writing() as writer:
            keep_embedded(writer, space.model)


def _batches(wanted: list[tuple[str, int, int]]) -> Iterator[list[tuple[str, int, int]]]:
    for start in range(0, len(wanted), BATCH):
        yield wanted[start : start + BATCH]
