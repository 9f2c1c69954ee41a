"""Cards that clients wrote: what one peer keeps in mind of another, line by line."""

import json
from collections.abc import Sequence

from hymem.store.connection import Connection
from hymem.store.ledger import record_write


def read_card(connection: Connection, observer_id: str, observed_id: str) -> list[str] | None:
    """The lines that were written; None where nobody wrote any."""
    found = connection.execute(
        "select card from peer_cards where (observer_id, observed_id) = (?, ?)", (observer_id, observed_id)
    ).fetchall()
    return json.loads(found[0][0]) if found else None


def write_card(connection: Connection, observer_id: str, observed_id: str, lines: Sequence[str], now: str) -> None:
    """Put these lines on the card in place of what is there; both peers must be known."""
    connection.execute(
        """
        insert into peer_cards (observer_id, observed_id, card, written_at)
        values (?, ?, ?, ?)
        on conflict do update set card = excluded.card, written_at = excluded.written_at
        """,
        (observer_id, observed_id, json.dumps(list(lines)), now),
    )
    record_write(connection)
