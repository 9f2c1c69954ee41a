"""Deliveries: what a client sent and, hearing no answer, may send again. Either way it is stored once.

A client that names its delivery with a key may repeat it for a day; the same key with another body is refused. Without a key
the whole body is the name, for the few seconds in which clients that heard nothing try again: within them, the same words
sent twice on purpose count as one delivery, and after them as two.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from hymem.digests import digest63
from hymem.errors import ConflictError
from hymem.store.connection import Connection
from hymem.times import format_time, to_datetime

RETRY_SECONDS: Final = 5.0
"""honcho-ai tries again half a second and a second after a failure; longer spans would swallow more words that were meant."""

KEY_HOURS: Final = 24.0


@dataclass(frozen=True)
class Delivery:
    """One request to a session: the bytes of its body, and the key that its client gave it, where it gave one."""

    session_id: str
    body: bytes
    key: str | None = None

    @property
    def delivery_id(self) -> int:
        """What it is known by."""
        return (
            digest63("body", self.session_id, self.digest)
            if self.key is None
            else digest63("key", self.session_id, self.key)
        )

    @property
    def digest(self) -> str:
        """Of the body."""
        return hashlib.sha256(self.body).hexdigest()


def delivered(connection: Connection, delivery: Delivery, now: str) -> tuple[str, ...] | None:
    """The ids of the messages that came of this delivery before; None where it is new, or was long ago.

    Raises `ConflictError` where its key stands for another body.
    """
    _prune(connection, now)
    found = connection.execute(
        "select body_digest, message_ids from deliveries where delivery_id = ?", (delivery.delivery_id,)
    ).fetchall()
    if not found:
        return None
    digest, message_ids = found[0]
    if digest != delivery.digest:
        raise ConflictError(
            f"the Idempotency-Key {delivery.key!r} stands for another request: use a new key for a new request"
        )
    return tuple(json.loads(message_ids))


def note_delivery(connection: Connection, delivery: Delivery, message_ids: tuple[str, ...], now: str) -> None:
    """Remember what came of a delivery, in the transaction that stores it."""
    connection.execute(
        "insert or replace into deliveries values (?, ?, ?, ?, ?, ?)",
        (
            *(delivery.delivery_id, delivery.session_id, delivery.digest, json.dumps(message_ids)),
            *(delivery.key is not None, now),
        ),
    )


def _prune(connection: Connection, now: str) -> None:
    """Forget deliveries that nobody will repeat; also those of a future that a clock went back from."""
    moment = to_datetime(now)
    spans = {0: timedelta(seconds=RETRY_SECONDS), 1: timedelta(hours=KEY_HOURS)}
    connection.executemany(
        "delete from deliveries where keyed = ? and not delivered_at between ? and ?",
        [(keyed, format_time(moment - span), now) for keyed, span in spans.items()],
    )
