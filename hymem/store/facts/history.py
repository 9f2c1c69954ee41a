"""All that was ever said of one told fact, as the ledger has it: the telling, and each act since, with the messages of both."""

from dataclasses import dataclass

from hymem.store.connection import Connection
from hymem.told_facts import FactAct, ToldFact


@dataclass(frozen=True)
class History:
    """A told fact, the message that told it, and what was said of it since, oldest first, each with its message or None."""

    told: ToldFact
    message_id: str | None
    acts: tuple[tuple[FactAct, str | None], ...]


def history_of(connection: Connection, fact_id: int) -> History | None:
    """The history of a fact, be it removed since or not; None where there is none, or it was erased."""
    told = connection.execute(
        """
        select fact_id, peer_id, content, category, tags, trust, created_at, message_id
        from facts_told
        where fact_id = ?
        """,
        (fact_id,),
    ).fetchall()
    if not told:
        return None
    acts = connection.execute(
        """
        select act, content, category, tags, trust_change, created_at, message_id
        from fact_acts
        where fact_id = ?
        order by act_id
        """,
        (fact_id,),
    )
    return History(ToldFact(*told[0][:-1]), told[0][-1], tuple((FactAct(*row[:-1]), row[-1]) for row in acts))


def fact_in_these_words(connection: Connection, words: str) -> int | None:
    """The first fact that reads so, be it in capitals or without its last stop; else the first that once did."""
    found = connection.execute(
        """
        with said as (
          select fact_id, content, 0 as past from facts
          union all
          select fact_id, content, 1 from facts_told
          union all
          select fact_id, content, 1 from fact_acts)
        select fact_id
        from said
        where rtrim(content, ' .!') = rtrim(?, ' .!') collate nocase
        order by past, fact_id
        limit 1
        """,
        (words,),
    ).fetchall()
    return found[0][0] if found else None
