"""Changing the ledger and memory with it, in one step: how something is forgotten, or a dream undone, at once.

Memory after the change is computed first, from a ledger in which the change was tried and taken back. Then one transaction makes
the change, writes memory, and brings the Markdown files up to date; so whoever is killed on the way has done all of it or
nothing. Nobody is asked: what memory needs to ask anew waits for the next dream.

A dream that is under way meanwhile finds another generation of the ledger when it comes to write, and looks again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from dataflows.asking import Silence
from dataflows.checks import SchemaCheck
from dataflows.driver import Memory, remember, view
from dataflows.materialization import changed_rows
from hymem.config import HyMemConfig
from hymem.errors import BusyError
from hymem.fingerprint import memory_fingerprint
from hymem.memory_files import FILES, sweep_memory_files, write_memory_files
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.ledger import LedgerState, ledger_state
from hymem.store.materialization import apply, changes, staged
from hymem.store.receipts import EXAMPLES, Receipt, witnessed
from hymem.store.runs import DreamState, dream_state, has_memory, keep_dream_state
from hymem.store.sections import section_body, sections
from hymem.store.snapshot import read_snapshot
from hymem.store.vectors import drop_orphans

LOOKS: Final = 5
"""How often it is computed anew when people or dreams change what it was computed from."""

Act = Callable[[Connection], None]


@dataclass(frozen=True)
class _Outlook:
    """Memory as it will be, and what it was computed from: the ledger before and after the change, and the last dream."""

    memory: Memory
    before: LedgerState
    after: LedgerState
    dreamt: DreamState | None
    fingerprint: str


def amend(
    database: Database,
    root: Path,
    config: HyMemConfig,
    now: str,
    act: Act,
    *,
    preview: bool = False,
    carry: bool = True,
    every: bool = False,
) -> Receipt:
    """Make a change to the ledger true everywhere; what `act` raises leaves everything as it was. Returns what it did.

    A preview does the same and takes it back, and shows examples of what would go, or `every` row. Without `carry`, nothing of
    earlier dreams is taken over. Raises `BusyError` where the ledger does not hold still, and `StoreError` where the files
    cannot be written.
    """
    for _ in range(LOOKS):
        outlook = _look(database, config, now, act, carry)
        receipt = _carry_out(database, root, act, outlook, preview, every)
        if receipt is not None:
            break
    else:
        raise BusyError("memory is being changed all the time: nothing was done; try again when it is quiet")
    if preview:
        return receipt
    if outlook is not None:
        write_memory_files(root, {name: partial(section_body, database, name) for name in FILES})
    sweep_memory_files(root)
    return replace(receipt, log_emptied=database.checkpoint())


def _look(database: Database, config: HyMemConfig, now: str, act: Act, carry: bool) -> _Outlook | None:
    """What memory is to be; None where nobody has dreamt yet, so that there is none."""
    with database.rehearsing() as connection:
        dreamt, before = dream_state(connection), ledger_state(connection)
        if not has_memory(connection):
            return None
        act(connection)
        model, moment = (dreamt.model, dreamt.seen_at) if dreamt else ("", now)
        fingerprint = memory_fingerprint(config, model)
        holds = carry and dreamt is not None and dreamt.fingerprint == fingerprint
        snapshot = read_snapshot(connection, view(config, model, carry=holds))
    memory = remember(snapshot, config, moment, model, Silence(), [SchemaCheck()])
    return _Outlook(memory, before, snapshot.state, dreamt, fingerprint)


def _carry_out(
    database: Database, root: Path, act: Act, outlook: _Outlook | None, preview: bool, every: bool
) -> Receipt | None:
    """Make the change and write memory; None where the outlook does not hold any more."""
    transaction = database.rehearsing if preview else database.writing
    with transaction() as connection, witnessed(connection) as witness:
        if not _holds(connection, outlook):
            return None
        act(connection)
        if outlook is not None:
            _remember(connection, outlook)
            if not preview:
                write_memory_files(root, sections(connection))
        return witness.receipt(preview, None if every else EXAMPLES)


def _holds(connection: Connection, outlook: _Outlook | None) -> bool:
    """Whether nobody dreamt or acted since; what was said since waits for the next dream, as ever."""
    if outlook is None:
        return not has_memory(connection)
    generation = ledger_state(connection).generation
    return dream_state(connection) == outlook.dreamt and generation == outlook.before.generation


def _remember(connection: Connection, outlook: _Outlook) -> None:
    memory, dreamt = outlook.memory, outlook.dreamt
    found = changes(connection, changed_rows(memory.tables, memory.kept))
    with staged(connection, found):
        apply(connection, found)
    drop_orphans(connection)
    if dreamt is not None:
        moments = dreamt.seen_at, memory.changes_at
        state = DreamState(outlook.fingerprint, outlook.after.revision, memory.waiting, *moments, model=dreamt.model)
        keep_dream_state(connection, state)
