"""Replies of language models: kept the moment they arrive, each in a transaction of its own, and never asked for again."""

import json
from dataclasses import dataclass
from typing import Final

from hymem.models.chat import ChatReply
from hymem.store.database import Database
from hymem.store.ledger import record_write
from hymem.store.lock import Lease
from hymem.store.messages import storable

FAILURES_ALLOWED: Final = 3
"""A chunk that failed this often rests until its prompt version or the model changes."""


@dataclass(frozen=True)
class ReplyKey:
    """Which question: about which chunk, in which wording, of which model; and which messages it shows the model.

    `beside` is what else was in the prompt, as JSON; it is recorded and no part of the key.
    """

    kind: str
    chunk_id: int
    prompt_version: str
    model: str
    session_id: str
    first_seq: int
    last_seq: int
    between: tuple[int, ...] = ()
    beside: str = "{}"

    @property
    def shown(self) -> tuple[int, ...]:
        """The numbers of the messages that the model is shown."""
        return tuple(sorted({self.first_seq, *self.between, self.last_seq}))


@dataclass
class ReplyKeeper:
    """Writes replies and failures into the ledger as they come, as long as the dream holds its lock.

    `kept` counts the replies; each moved the ledger's revision by one. `run_id` is the dream that asks.
    """

    database: Database
    lease: Lease
    kept: int = 0
    run_id: str = ""

    def reply(self, key: ReplyKey, reply: ChatReply) -> str | None:
        """Make a reply durable and say when that was; None where the messages that it is about were erased meanwhile."""
        now = self.lease.clock()
        with self.database.writing() as connection:
            self.lease.check(connection)
            connection.execute(
                """
                insert into processed_chunks
                select ?, ?, ?, ?, ?, ?, ?, ?, ?, session_id, ?, ?, ?
                from sessions
                where session_id = ?
                  and (select count(*) from messages where seq in (select value from json_each(?))) = ?
                on conflict (kind, chunk_id, prompt_version, model) do update
                set reply = excluded.reply, beside = excluded.beside, replied_at = excluded.replied_at,
                    run_id = excluded.run_id
                """,
                (
                    *(key.kind, key.chunk_id, key.prompt_version, key.model, storable(reply.text)),
                    *(key.beside, reply.prompt_tokens, reply.completion_tokens, now),
                    *(key.first_seq, key.last_seq, self.run_id),
                    *(key.session_id, json.dumps(key.shown), len(key.shown)),
                ),
            )
            if not connection.changes():
                return None
            connection.execute(
                "delete from attempts where (kind, chunk_id, prompt_version, model) = (?, ?, ?, ?)",
                (key.kind, key.chunk_id, key.prompt_version, key.model),
            )
            record_write(connection)
        self.kept += 1
        return now

    def failure(self, key: ReplyKey, reason: str) -> None:
        """Count an attempt that gave nothing readable; not where its messages were erased meanwhile."""
        now = self.lease.clock()
        with self.database.writing() as connection:
            self.lease.check(connection)
            connection.execute(
                """
                insert into attempts
                select ?, ?, ?, ?, 1, ?, ?, session_id
                from sessions
                where session_id = ?
                  and (select count(*) from messages where seq in (select value from json_each(?))) = ?
                on conflict (kind, chunk_id, prompt_version, model) do update
                set failures = failures + 1, reason = excluded.reason, last_at = excluded.last_at
                """,
                (
                    *(key.kind, key.chunk_id, key.prompt_version, key.model, storable(reason), now),
                    *(key.session_id, json.dumps(key.shown), len(key.shown)),
                ),
            )
