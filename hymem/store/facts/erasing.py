"""Erasing what was told as facts: by their ids, by whose they are, by the messages that told them, by the names they tell."""

import json
from collections.abc import Callable, Collection

from hymem.store.connection import Connection
from hymem.store.facts.standing import settle

IsTold = Callable[..., bool]
"""Whether one of some texts tells what is to be forgotten."""


def erase_facts(
    connection: Connection,
    *,
    fact_ids: Collection[int] = (),
    peer_ids: Collection[str] = (),
    seqs: Collection[int] = (),
    is_told: IsTold | None = None,
) -> dict[str, int]:
    """Take facts out of the ledger, with all that was said of them, and give the rows that went, by table.

    A fact goes with its peer, with the message (by its number) that told it, and where it ever told a name that is to be
    forgotten. One that a message merely updated goes back to what it said before. To be called before messages are erased.
    """
    gone = _facts_to_erase(connection, fact_ids, peer_ids, seqs) | _facts_that_tell(connection, is_told)
    touched = _facts_updated_in(connection, seqs) - gone
    counts = {"fact_acts": _erase_acts(connection, gone, seqs), "facts_told": len(gone)}
    settle(connection, touched)
    settle(connection, gone, erased=True)
    connection.execute("delete from facts_told where fact_id in (select value from json_each(?))", (_list(gone),))
    return counts


def _facts_to_erase(
    connection: Connection, fact_ids: Collection[int], peer_ids: Collection[str], seqs: Collection[int]
) -> set[int]:
    found = connection.execute(
        """
        select fact_id
        from facts_told left join messages using (message_id)
        where fact_id in (select value from json_each(:facts))
           or facts_told.peer_id in (select value from json_each(:peers))
           or seq in (select value from json_each(:seqs))
        """,
        {"facts": _list(fact_ids), "peers": _list(peer_ids), "seqs": _list(seqs)},
    )
    return {fact_id for (fact_id,) in found}


def _facts_that_tell(connection: Connection, is_told: IsTold | None) -> set[int]:
    if is_told is None:
        return set()
    texts = connection.execute(
        """
        select fact_id, content, category, tags from facts_told
        union all
        select fact_id, content, category, tags from fact_acts
        """
    ).fetchall()
    return {fact_id for fact_id, *told in texts if is_told(*told)}


def _facts_updated_in(connection: Connection, seqs: Collection[int]) -> set[int]:
    found = connection.execute(
        """
        select distinct fact_id
        from fact_acts join messages using (message_id)
        where seq in (select value from json_each(?))
        """,
        (_list(seqs),),
    )
    return {fact_id for (fact_id,) in found}


def _erase_acts(connection: Connection, fact_ids: Collection[int], seqs: Collection[int]) -> int:
    connection.execute(
        """
        delete from fact_acts
        where fact_id in (select value from json_each(?))
           or message_id in (select message_id from messages where seq in (select value from json_each(?)))
        """,
        (_list(fact_ids), _list(seqs)),
    )
    return connection.changes()


def _list(values: Collection[object]) -> str:
    return json.dumps(list(values))
