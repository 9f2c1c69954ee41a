"""Webhooks: addresses that a workspace's clients want called when something happens in it."""

import secrets
from dataclasses import dataclass
from typing import Final

from hymem.errors import ConflictError, UnknownError
from hymem.store.connection import Connection

WEBHOOKS_ALLOWED: Final = 10
"""How many a workspace may have."""


@dataclass(frozen=True)
class Webhook:
    """An address to call."""

    webhook_id: str
    url: str
    created_at: str


def add_webhook(connection: Connection, url: str, now: str) -> tuple[Webhook, bool]:
    """The webhook of an address, and whether it is new; raises `ConflictError` where there are as many as there may be."""
    known = webhooks(connection)
    for webhook in known:
        if webhook.url == url:
            return webhook, False
    if len(known) >= WEBHOOKS_ALLOWED:
        raise ConflictError(f"a workspace has at most {WEBHOOKS_ALLOWED} webhooks: delete one first")
    added = Webhook(secrets.token_urlsafe(16)[:21], url, now)
    connection.execute("insert into webhooks values (?, ?, ?)", (added.webhook_id, added.url, added.created_at))
    return added, True


def remove_webhook(connection: Connection, webhook_id: str) -> None:
    """Call an address no more."""
    connection.execute("delete from webhooks where webhook_id = ?", (webhook_id,))
    if not connection.changes():
        raise UnknownError(f"no webhook {webhook_id!r}")


def webhooks(connection: Connection) -> list[Webhook]:
    """All of them, the oldest first."""
    found = connection.execute("select webhook_id, url, created_at from webhooks order by created_at, webhook_id")
    return [Webhook(*row) for row in found]
