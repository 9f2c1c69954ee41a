"""A ledger on disk: some turns of the made-up year, with the model's replies where an earlier dream is to have had them.

    python -m benchmarks.ledger ROOT FIRST BEHIND OF          logs the turns from FIRST to just before BEHIND, of OF
    python -m benchmarks.ledger ROOT FIRST BEHIND OF --read   and keeps the reply to each
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import world
from benchmarks.world import Turn
from dataflows.extraction import extraction_instructions, extraction_version
from hymem import HyMem
from hymem.config import HyMemConfig
from hymem.digests import chunk_id
from hymem.settings import DATABASE
from hymem.store.database import Database

MODEL = "scripted"
BATCH = 1000


def log(root: Path, turns: Sequence[Turn]) -> None:
    """Log the turns as an import does, in large batches."""
    with HyMem(root) as memory:
        for start in range(0, len(turns), BATCH):
            memory.log_messages([spoken for turn in turns[start : start + BATCH] for spoken in world.messages(turn)])


def keep_replies(root: Path, turns: Sequence[Turn]) -> None:
    """Keep the replies to all turns in one transaction; a dream keeps each in one of its own."""
    version = extraction_version(HyMemConfig().prompt_version, extraction_instructions())
    database = Database.open(root / DATABASE)
    with database.writing() as connection:
        connection.executemany(
            """
            insert into processed_chunks
                (kind, chunk_id, prompt_version, model, reply, replied_at, session_id, first_seq, last_seq)
            select 'extraction', ?, ?, ?, ?, user.created_at, user.session_id, assistant.seq, user.seq
            from messages user, messages assistant
            where user.message_id = ? and assistant.message_id = ?
            """,
            [_reply_row(turn, version) for turn in turns],
        )
        connection.execute("update ledger_state set revision = revision + ?", (len(turns),))
    database.close()


def _reply_row(turn: Turn, version: str) -> tuple[object, ...]:
    user, assistant = (world.message_id(turn, role) for role in ("user", "assistant"))
    return chunk_id(turn.session, user, assistant, 0), version, MODEL, world.reply(turn.text), user, assistant


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.ledger")
    options.add_argument("root", type=Path)
    options.add_argument("first", type=int)
    options.add_argument("behind", type=int)
    options.add_argument("of", type=int)
    options.add_argument("--read", action="store_true")
    given = options.parse_args()
    turns = list(world.turns(given.first, given.behind, given.of))
    log(given.root, turns)
    if given.read:
        keep_replies(given.root, turns)


if __name__ == "__main__":
    main()
