"""A part of a ledger: every table of the ledger has its say in what belongs to one."""

from hymem.store.erasure import IN_STEP
from hymem.store.materialization import MATERIALIZED
from hymem.store.part import COPIED
from hymem.store.vec_tables import INDEXES
from tests.support.conversations import World

WORK = {"attempts", "run_lock", "dream_state", "dream_runs", "node_runs"}
"""Tables that are about the work, not about the world."""

SERVED = {
    *(
        "workspace",
        "session_peers",
        "deleted_sessions",
        "forgotten_messages",
        "scopes",
        "conclusions",
        "peer_cards",
        "conclusion_deletions",
    ),
    *("webhooks", "deliveries"),
}
"""Tables that a server's clients ask for, and that no dream reads: a view of memory has none of it."""

TOLD_FACTS = {"fact_retrievals", *(IN_STEP - {"fact_acts"})}
"""What told facts come to, computed anew in a view, where nobody has looked for any yet."""

VECTORS = {
    "embedding_space",
    "vector_blocks",
    "vector_changes",
    "vector_state",
    *(table for table, _, _ in INDEXES.values()),
}


def test_every_table_is_copied_or_computed_or_about_the_work():
    with World.of() as world:
        tables = world.rows(
            """select name from pragma_table_list
               where schema = 'main' and type = 'table' and name not like 'sqlite_%'"""
        )

    assert {name for (name,) in tables} == {*COPIED, *MATERIALIZED, *VECTORS, *WORK, *SERVED, *TOLD_FACTS}
