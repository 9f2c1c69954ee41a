"""A database on disk from some turns of the made-up year, in a process of its own.

python -m benchmarks.ledger ROOT FIRST BEHIND OF            logs the turns from FIRST to just before BEHIND, of OF
python -m benchmarks.ledger ROOT FIRST BEHIND OF --dreamt   and dreams, the world's own model answering at once
python -m benchmarks.ledger ROOT FIRST BEHIND OF --replies  and then forgets all but the ledger: the replies are there
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import world
from hymem import HyMem
from hymem.settings import DATABASE
from hymem.store.database import Database
from hymem.store.materialization import MATERIALIZED

BATCH = 1000


def log(root: Path, turns: Sequence[world.Turn]) -> None:
    """Log the turns as an import does, in large batches."""
    with HyMem(root) as memory:
        for start in range(0, len(turns), BATCH):
            memory.log_messages([spoken for turn in turns[start : start + BATCH] for spoken in world.messages(turn)])


def dream(root: Path) -> None:
    """Dream, with every question answered at once."""
    with HyMem(root, llm=world.model()) as memory:
        memory.dream(budget=0, now=world.END)


def forget(root: Path) -> None:
    """Empty the materialized tables."""
    database = Database.open(root / DATABASE)
    with database.writing() as connection:
        for table in (*reversed(MATERIALIZED), "dream_state"):
            connection.execute(f"delete from {table}")
    with database.preparing() as connection:
        connection.execute("vacuum")
    database.close()


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.ledger")
    options.add_argument("root", type=Path)
    options.add_argument("first", type=int)
    options.add_argument("behind", type=int)
    options.add_argument("of", type=int)
    options.add_argument("--dreamt", action="store_true")
    options.add_argument("--replies", action="store_true")
    given = options.parse_args()
    log(given.root, list(world.turns(given.first, given.behind, given.of)))
    if given.dreamt or given.replies:
        dream(given.root)
    if given.replies:
        forget(given.root)


if __name__ == "__main__":
    main()
