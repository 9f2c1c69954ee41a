"""A turn as it comes from outside: JSON in, a `Message` out, or the reason why not.

The shape is that of chat logs, OpenAI's among them: content may be text or a list of parts, of which the text counts.
"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Final, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationError

from hymem.digests import digest63, shown
from hymem.errors import InputError
from hymem.records import Message
from hymem.store.messages import identifier, storable
from hymem.times import parse_time
from hymem.vocabulary import DEFAULT_PEERS, ROLES

TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})
OTHER_NAMES: Final = {"developer": "system", "function": "tool"}
"""Roles of OpenAI's that are one of ours under another name."""

CALLS: Final = frozenset({"tool_calls", "function_call", "audio"})
"""What an assistant's turn without text may consist of."""


class Spoken(NamedTuple):
    """The text of a turn, and how many parts of it were something else."""

    text: str
    other_parts: int = 0


def _storable(value: object) -> object:
    return storable(value) if isinstance(value, str) else value


def _spoken(value: object) -> Spoken:
    if isinstance(value, str):
        return Spoken(storable(value))
    if not isinstance(value, list):
        raise ValueError(f"content must be text, or a list of parts, not {_kind(value)}")
    texts = [_text_of(part) for part in value]
    said = [text for text in texts if text is not None]
    return Spoken(storable("\n".join(said)), len(texts) - len(said))


def _text_of(part: object) -> str | None:
    """The text of a content part; None for a picture, a sound, a file."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise ValueError("a part of content must be an object with a type, as {'type': 'text', 'text': …}")
    if part["type"] not in TEXT_PARTS:
        return None
    if not isinstance(part.get("text"), str):
        raise ValueError(f"a part of type {part['type']!r} must have a text")
    return part["text"]


def _role(value: object) -> object:
    role = value.strip().lower() if isinstance(value, str) else value
    if not isinstance(role, str) or OTHER_NAMES.get(role, role) not in ROLES:
        raise ValueError(f"role must be one of {', '.join(ROLES)}, not {str(value)[:40]!r}")
    return OTHER_NAMES.get(role, role)


def _moment(value: Any) -> str | None:
    return None if value is None else _told(parse_time, value)


def _plain(metadata: dict[str, Any] | None) -> dict[str, Any]:
    try:
        json.dumps(metadata, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"metadata must be plain JSON: {error}") from None
    return metadata or {}


def _told(check: Any, *values: Any) -> Any:
    """Pydantic knows `ValueError`; the store's checks raise `InputError`."""
    try:
        return check(*values)
    except InputError as error:
        raise ValueError(str(error)) from None


def _id(name: str) -> AfterValidator:
    return AfterValidator(lambda value: None if value is None else _told(identifier, value, name))


class Turn(BaseModel):
    """One turn of a chat log. Fields that are not named here are left aside."""

    session_id: Annotated[str, BeforeValidator(_storable), _id("session_id")]
    role: Annotated[str, BeforeValidator(_role)]
    content: Annotated[Spoken, BeforeValidator(_spoken)]
    created_at: Annotated[str | None, BeforeValidator(_moment)] = None
    peer_id: Annotated[str | None, BeforeValidator(_storable), _id("peer_id")] = None
    message_id: Annotated[str | None, BeforeValidator(_storable), _id("message_id")] = None
    metadata: Annotated[dict[str, Any] | None, AfterValidator(_plain)] = None

    @property
    def peer(self) -> str:
        """Who speaks."""
        return self.peer_id or DEFAULT_PEERS[self.role]

    def key(self) -> int:
        """Equal for turns that say the same: in one session, by one peer, at one moment where it is given."""
        told = (self.session_id, self.role, self.peer, self.created_at or "", self.content.text)
        return digest63("message", *told)

    def message(self, key: int, occurrence: int) -> Message:
        """The turn as it is logged; its id is the same in whatever file it stands, if that says so equally often before.

        `key` is its own, which is costly enough not to be asked for twice.
        """
        name = self.message_id or shown(digest63("occurrence", str(key), str(occurrence)))
        told = (self.session_id, self.role, self.content.text, self.peer, self.created_at, name, self.metadata or {})
        return Message(*told)  # type: ignore[arg-type]


def read_turn(value: object, session_id: object = None) -> Turn:
    """A turn from a JSON value; `session_id` where it names none. Raises `InputError` with every reason."""
    if not isinstance(value, dict):
        raise InputError(f"a message is an object with session_id, role and content, not {_kind(value)}")
    given = value if value.get("session_id") is not None else {**value, "session_id": session_id}
    if given["session_id"] is None:
        raise InputError("session_id is missing: name it there, or give --session ID for those that name none")
    try:
        return Turn.model_validate(given)
    except ValidationError as refusal:
        raise InputError("; ".join(_reason(error) for error in refusal.errors(include_url=False))) from None


def read_conversation(values: Iterable[object], session_id: str) -> list[Message]:
    """The messages of a whole conversation, each with the id that it has whenever that conversation is told again.

    Turns that say nothing by design are left out. Raises `InputError` naming the turn that cannot be taken.
    """
    occurrences: Counter[int] = Counter()
    messages = list[Message]()
    for number, value in enumerate(values, start=1):
        if is_without_text(value):
            continue
        try:
            turn = read_turn(value, session_id)
        except InputError as fault:
            raise InputError(f"message {number}: {fault}; nothing was stored") from None
        key = turn.key()
        messages.append(turn.message(key, occurrences[key]))
        occurrences[key] += 1
    return messages


def is_without_text(value: object) -> bool:
    """Whether a turn says nothing by design: an assistant's that only calls tools."""
    return isinstance(value, dict) and value.get("content") is None and any(value.get(call) for call in CALLS)


def _reason(error: Any) -> str:
    field = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"{field} is missing"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return f"{field}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _kind(value: object) -> str:
    kinds = {type(None): "null", bool: "a truth value", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")
