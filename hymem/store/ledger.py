"""The ledger's clock: two counters by which a dream sees whether anything happened since it last looked."""

from dataclasses import dataclass

from hymem.store.connection import Connection


@dataclass(frozen=True)
class LedgerState:
    """`revision` moves with every write, `generation` with people's acts and erasures only."""

    revision: int
    generation: int


def ledger_state(connection: Connection) -> LedgerState:
    """Where the ledger stands."""
    sql = "select revision, generation from ledger_state"
    return LedgerState(*connection.execute(sql).fetchall()[0])


def record_write(connection: Connection) -> None:
    """Say, within the write's own transaction, that the ledger has grown."""
    connection.execute("update ledger_state set revision = revision + 1")


def record_act(connection: Connection) -> None:
    """Say that someone changed what is to be made of the ledger: a running dream must look again."""
    connection.execute("update ledger_state set revision = revision + 1, generation = generation + 1")
