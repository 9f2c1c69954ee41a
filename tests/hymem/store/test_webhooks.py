from itertools import count

import pytest

from hymem.errors import ConflictError, UnknownError
from hymem.store.database import Database
from hymem.store.webhooks import WEBHOOKS_ALLOWED, add_webhook, remove_webhook, webhooks

NOW = "2026-06-01T00:00:00.000000Z"


def test_a_webhook_is_kept_once_until_it_is_removed(database: Database):
    with database.writing() as connection:
        first, again = (add_webhook(connection, "https://example.org/a", NOW) for _ in range(2))
        kept = webhooks(connection)
        remove_webhook(connection, first[0].webhook_id)

        assert (first, again, kept) == ((first[0], True), (first[0], False), [first[0]])
        assert webhooks(connection) == []
        with pytest.raises(UnknownError):
            remove_webhook(connection, first[0].webhook_id)


def test_a_workspace_has_only_so_many(database: Database):
    urls = (f"https://example.org/{number}" for number in count())
    with database.writing() as connection:
        for _ in range(WEBHOOKS_ALLOWED):
            add_webhook(connection, next(urls), NOW)

        with pytest.raises(ConflictError, match="delete one first"):
            add_webhook(connection, next(urls), NOW)
