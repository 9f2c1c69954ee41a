"""Claude's export: `conversations.json`, a list of conversations with their messages, edited ones beside what they replaced."""

from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from serving.exchange.documents import Found
from serving.exchange.exports import (
    ATTACHMENT,
    BRANCH,
    EMPTY,
    REASONING,
    TOOL,
    Conversation,
    branch,
    conversations,
    joined,
)

ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}
LEFT_OUT: Final = {"tool_use": TOOL, "tool_result": TOOL, "thinking": REASONING, "redacted_thinking": REASONING}


def found_in(file: BinaryIO, name: str) -> Iterator[Found]:
    """Every message of every conversation."""
    return conversations(file, _messages)


def _messages(conversation: Conversation) -> Iterator[Found]:
    session, messages = conversation.get("uuid"), conversation.get("chat_messages")
    if not isinstance(session, str) or not isinstance(messages, list):
        yield Found("", None, 0, "a conversation of Claude's has a uuid and chat_messages")
        return
    taken = _branch(conversation, messages)
    for number, message in enumerate(messages, start=1):
        where = f"message {number}"
        if not isinstance(message, dict) or not isinstance(message.get("uuid"), str):
            yield Found(where, None, 0, "a message must be an object with a uuid")
        elif taken is not None and message["uuid"] not in taken:
            yield Found(where, None, 0, skipped=BRANCH)
        else:
            yield from _found(message, where, session, conversation.get("name"))


def _branch(conversation: Conversation, messages: list[Any]) -> set[str] | None:
    """The messages that lead to where the conversation stands; None where it does not tell which follows which."""
    known = {one["uuid"]: one for one in messages if isinstance(one, dict) and isinstance(one.get("uuid"), str)}
    if not known or not all(isinstance(one.get("parent_message_uuid"), str) for one in known.values()):
        return None
    leaf = conversation.get("current_leaf_message_uuid")
    if not isinstance(leaf, str) or leaf not in known:
        leaf = max(known, key=lambda uuid: str(known[uuid].get("created_at") or ""))
    return set(branch(known, leaf, lambda one: one["parent_message_uuid"]))


def _found(message: dict[str, Any], where: str, session: str, title: object) -> Iterator[Found]:
    parts = message.get("content")
    parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    for part in parts:
        if part.get("type") != "text":
            yield Found(where, None, 0, skipped=LEFT_OUT.get(str(part.get("type")), ATTACHMENT))
    for kind in ("attachments", "files"):
        files = message.get(kind)
        yield from (Found(where, None, 0, skipped=ATTACHMENT) for _ in (files if isinstance(files, list) else []))
    text = joined(part.get("text") for part in parts if part.get("type") == "text")
    text = text or ("" if parts else joined([message.get("text")]))
    if not text:
        yield Found(where, None, 0, skipped=EMPTY)
        return
    sender = message.get("sender")
    value = {
        "session_id": session,
        "role": ROLES.get(str(sender), sender),
        "content": text,
        "created_at": message.get("created_at"),
        "message_id": f"claude:{session}:{message['uuid']}",
        "metadata": {"source": "claude", **({"title": title} if isinstance(title, str) and title else {})},
    }
    yield Found(where, value, 0)
