"""From a request's turns to the ledger, in one transaction: who speaks is known, takes part, and is learnt from or not."""

from collections.abc import Sequence

from hymem.ids import new_id
from hymem.records import Message
from hymem.roles import told_role
from hymem.store import messages, peers, session_peers, sessions
from hymem.store.connection import Connection
from hymem.store.conversation import MessageRecord
from hymem.store.observing import reasons_about, unobserved
from hymem.tokens import count_tokens
from serving.honcho.asking import new_name
from serving.honcho.models import MessageCreate
from serving.honcho.participants import know
from serving.memory import HyMem


def tell(memory: HyMem, session_id: str, turns: Sequence[MessageCreate], now: str) -> list[MessageRecord]:
    """Log turns; raises `UnknownError` for a session that was deleted, `Refusal` for a name that nobody may bear."""
    texts = [memory.stored_form(turn.content) for turn in turns]
    counts = [count_tokens(messages.storable(text)) for text in texts]
    with memory.writing() as connection:
        logged = _logged(connection, session_id, turns, list(zip(texts, counts, strict=True)), now)
        messages.log(connection, logged, now)
    return [_record(message, now) for message in logged]


def _logged(
    connection: Connection, session_id: str, turns: Sequence[MessageCreate], texts: list[tuple[str, int]], now: str
) -> list[Message]:
    if sessions.read_session(connection, session_id) is None:
        sessions.ensure_session(connection, new_name(session_id, "a session's id"), now)
    speakers = list(dict.fromkeys(turn.peer_id for turn in turns))
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
            message_id=new_id(),
            metadata=turn.metadata or {},
            observed=turn.peer_id not in hidden and _may_reason(turn, reasons),
            token_count=tokens,
        )
        for turn, (text, tokens) in zip(turns, texts, strict=True)
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
