"""From a request's turns to the ledger, in one transaction: who speaks is known, takes part, and is learnt from or not."""

from collections.abc import Sequence

from hymem.ids import new_id
from hymem.records import Message
from hymem.roles import told_role
from hymem.store import messages, peers, session_peers, sessions
from hymem.store.connection import Connection
from hymem.store.conversation import MessageRecord, messages_named
from hymem.store.deliveries import Delivery, delivered, note_delivery
from hymem.store.observing import reasons_about, unobserved
from hymem.tokens import count_tokens
from serving.honcho.asking import new_name
from serving.honcho.models import MessageCreate
from serving.honcho.participants import know
from serving.memory import HyMem


def tell(
    memory: HyMem,
    session_id: str,
    turns: Sequence[MessageCreate],
    now: str,
    *,
    delivery: Delivery | None = None,
    names: Sequence[str] = (),
) -> list[MessageRecord]:
    """Log turns; raises `UnknownError` for a session that was deleted, `Refusal` for a name that nobody may bear.

    What came by the same delivery before is not logged again, nor is a turn whose name, where `names` has one for each, is
    known: then what was logged is returned.
    """
    texts = [memory.stored_form(turn.content) for turn in turns]
    counts = [count_tokens(messages.storable(text)) for text in texts]
    with memory.writing() as connection:
        before = delivered(connection, delivery, now) if delivery else None
        known = messages_named(connection, before or names)
        if before is not None:
            return [known[name] for name in before if name in known]
        told = [
            (turn, text, tokens, name)
            for turn, text, tokens, name in zip(turns, texts, counts, names or map(_made_up, turns), strict=True)
            if name not in known
        ]
        logged = _logged(connection, session_id, told, now) if told else []
        messages.log(connection, logged, now)
        records = [_record(message, now) for message in logged]
        if delivery:
            note_delivery(connection, delivery, tuple(record.message_id for record in records), now)
    known |= {record.message_id: record for record in records}
    return [known[name] for name in names] if names else records


def _made_up(_: object) -> str:
    return new_id()


def _logged(
    connection: Connection, session_id: str, told: Sequence[tuple[MessageCreate, str, int, str]], now: str
) -> list[Message]:
    if sessions.read_session(connection, session_id) is None:
        sessions.ensure_session(connection, new_name(session_id, "a session's id"), now)
    speakers = list(dict.fromkeys(turn.peer_id for turn, *_ in told))
    _let_take_part(connection, session_id, speakers, now)
    roles = peers.roles(connection, speakers)
    hidden, reasons = unobserved(connection, session_id, speakers), reasons_about(connection, session_id)
    return [
        Message(
            session_id=session_id,
            role=told_role(turn.metadata) or roles[turn.peer_id],
            content=text,
            peer_id=turn.peer_id,
            created_at=turn.created_at,
            message_id=name,
            metadata=turn.metadata or {},
            observed=turn.peer_id not in hidden and _may_reason(turn, reasons),
            token_count=tokens,
        )
        for turn, text, tokens, name in told
    ]


def _let_take_part(connection: Connection, session_id: str, speakers: list[str], now: str) -> None:
    """Whoever speaks takes part; of those who do already nothing changes."""
    for name in speakers:
        know(connection, name, now)
    session_peers.join(connection, session_id, dict.fromkeys(speakers, session_peers.Attention()), now)


def _may_reason(turn: MessageCreate, otherwise: bool) -> bool:
    reasoning = turn.configuration.reasoning if turn.configuration else None
    return otherwise if reasoning is None or reasoning.enabled is None else reasoning.enabled


def _record(message: Message, now: str) -> MessageRecord:
    assert message.message_id is not None and message.peer_id is not None
    return MessageRecord(
        message.message_id,
        message.session_id,
        message.peer_id,
        messages.storable(message.content),
        message.created_at or now,
        message.metadata,
        message.token_count or 0,
    )
