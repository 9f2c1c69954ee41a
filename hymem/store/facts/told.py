"""What is told as a fact, and what is said of it since: appended to the ledger, and in the same transaction made to count."""

from typing import Final

from hymem.errors import InputError, UnknownError
from hymem.redaction import redacted
from hymem.store.connection import Connection
from hymem.store.facts.standing import settle
from hymem.store.messages import identifier, storable
from hymem.told_facts import GENERAL, Fact, checked_content, checked_label
from hymem.trust import DEFAULT_TRUST, checked_trust

MARKS: Final = ("helpful", "unhelpful")


def tell_fact(
    connection: Connection,
    content: str,
    now: str,
    *,
    peer_id: str,
    category: str = GENERAL,
    tags: str = "",
    trust: float = DEFAULT_TRUST,
    message_id: str | None = None,
) -> int:
    """Note a statement and return its id; one that stands already keeps its id, and is left as it is.

    Raises `InputError` where it says nothing or too much, and `UnknownError` where there is no such message.
    """
    text = storable(checked_content(content))
    told = (
        *(identifier(peer_id, "peer_id"), text, checked_label(category, "category", GENERAL)),
        *(storable(checked_label(tags, "tags")), checked_trust(trust), _message(connection, message_id), now),
    )
    known = fact_that_says(connection, peer_id, text)
    if known is not None:
        return known
    found = connection.execute(
        """
        insert into facts_told (peer_id, content, category, tags, trust, message_id, created_at)
        values (?, ?, ?, ?, ?, ?, ?)
        returning fact_id
        """,
        told,
    ).fetchall()
    settle(connection, [found[0][0]])
    return found[0][0]


def update_fact(
    connection: Connection,
    fact: Fact,
    now: str,
    *,
    content: str | None = None,
    category: str | None = None,
    tags: str | None = None,
    trust_change: float | None = None,
    message_id: str | None = None,
) -> None:
    """Note what is to be otherwise about a standing fact; None leaves a thing as it is.

    Raises `InputError` where its new words say nothing, or what another fact says already.
    """
    text = None if content is None else storable(checked_content(content))
    if text is not None and (other := fact_that_says(connection, fact.peer_id, text)) not in (None, fact.fact_id):
        raise InputError(f"fact {other} says that already: remove one of the two, or word this one otherwise")
    change = None if trust_change is None else checked_trust(trust_change, "trust_delta", least=-1.0)
    label = None if category is None else checked_label(category, "category", GENERAL)
    words = None if tags is None else storable(checked_label(tags, "tags"))
    if (text, label, words, change) == (None, None, None, None):
        return
    connection.execute(
        """
        insert into fact_acts (fact_id, act, content, category, tags, trust_change, message_id, created_at)
        values (?, 'update', ?, ?, ?, ?, ?, ?)
        """,
        (fact.fact_id, text, label, words, change, _message(connection, message_id), now),
    )
    settle(connection, [fact.fact_id])


def record_fact_act(connection: Connection, act: str, fact_id: int, now: str) -> None:
    """Note that a standing fact helped, did not help, or is to be found no more."""
    connection.execute(
        "insert into fact_acts (fact_id, act, created_at) values (?, ?, ?)",
        (fact_id, act, now),
    )
    settle(connection, [fact_id])


def is_fact_of(connection: Connection, peer_id: str, fact_id: int) -> bool:
    """Whether a peer told that fact, be it removed since or not."""
    found = connection.execute("select 1 from facts_told where fact_id = ? and peer_id = ?", (fact_id, peer_id))
    return found.fetchall() != []


def fact_that_says(connection: Connection, peer_id: str, content: str) -> int | None:
    """The id of the peer's standing fact with these words, secrets aside."""
    found = connection.execute(
        "select fact_id from facts where peer_id = ? and content = ? order by fact_id limit 1",
        (peer_id, redacted(content)),
    ).fetchall()
    return found[0][0] if found else None


def _message(connection: Connection, message_id: str | None) -> str | None:
    if (
        message_id is not None
        and not connection.execute("select 1 from messages where message_id = ?", (message_id,)).fetchall()
    ):
        raise UnknownError(f"no message {message_id!r}: `hymem show messages` lists them")
    return message_id
