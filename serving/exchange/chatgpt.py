"""ChatGPT's export: `conversations.json`, each conversation a tree, since a message that is edited begins another branch.

The branch that its user last saw is taken. What only the machinery said (system prompts, calls and output of tools, reasoning) is
left out, and so are pictures and files; the words of voice messages are kept.
"""

from collections.abc import Iterator, Mapping
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

IMAGE: Final = "image"
SYSTEM: Final = "system prompt"
NO_SPEECH: Final = {
    "thoughts": REASONING,
    "reasoning_recap": REASONING,
    "execution_output": TOOL,
    "tether_browsing_display": TOOL,
    "tether_quote": TOOL,
    "user_editable_context": SYSTEM,
    "model_editable_context": SYSTEM,
    "system_error": TOOL,
}
"""Kinds of content that nobody said."""


def found_in(file: BinaryIO, name: str) -> Iterator[Found]:
    """Every message of every conversation."""
    return conversations(file, _messages)


def _messages(conversation: Conversation) -> Iterator[Found]:
    nodes, session = conversation.get("mapping"), conversation.get("conversation_id") or conversation.get("id")
    if not isinstance(nodes, dict) or not isinstance(session, str):
        yield Found("", None, 0, "a conversation of ChatGPT's has a conversation_id and a mapping")
        return
    path = dict.fromkeys(branch(nodes, _leaf(conversation, nodes), _parent))
    at = conversation.get("create_time")
    for node in path:
        message = _message(nodes[node])
        if message is not None:
            at = message.get("create_time") or at
            yield from _found(message, node, session, at, conversation.get("title"))
    for node in nodes:
        message = _message(nodes[node])
        if node not in path and message is not None and isinstance(_said(message, node), str):
            yield Found(f"message {node}", None, 0, skipped=BRANCH)


def _leaf(conversation: Conversation, nodes: Mapping[str, Any]) -> str:
    """Where the conversation stands; in one that does not say so, the newest message."""
    current = conversation.get("current_node")
    if isinstance(current, str) and current in nodes:
        return current
    return max(nodes, key=lambda node: _moment(_message(nodes[node]) or {}), default="")


def _moment(message: Mapping[str, Any]) -> float:
    at = message.get("create_time")
    return at if isinstance(at, float | int) else 0.0


def _metadata(message: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = message.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _parent(node: Any) -> object:
    return node.get("parent") if isinstance(node, dict) else None


def _message(node: Any) -> dict[str, Any] | None:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else None


def _found(message: dict[str, Any], node: str, session: str, at: object, title: object) -> Iterator[Found]:
    where = f"message {node}"
    said = _said(message, node)
    yield from (Found(where, None, 0, skipped=kind) for kind in _left_out(message))
    if isinstance(said, Found):
        yield said
        return
    value = {
        "session_id": session,
        "role": message["author"].get("role"),
        "content": said,
        "created_at": at,
        "message_id": f"chatgpt:{session}:{message.get('id') or node}",
        "metadata": {"source": "chatgpt", **({"title": title} if isinstance(title, str) else {})},
    }
    yield Found(where, value, 0)


def _said(message: dict[str, Any], node: str) -> str | Found:
    """What a person or the assistant said in a message, or why that is nothing."""
    where, author, content = f"message {node}", message.get("author"), message.get("content")
    if not isinstance(author, dict) or not isinstance(content, dict):
        return Found(where, None, 0, "a message must have an author and a content")
    role = author.get("role")
    if role in ("system", "tool"):
        return Found(where, None, 0, skipped=SYSTEM if role == "system" else TOOL)
    if (kind := NO_SPEECH.get(str(content.get("content_type")))) is not None:
        return Found(where, None, 0, skipped=kind)
    if _metadata(message).get("is_visually_hidden_from_conversation"):
        return Found(where, None, 0, skipped=SYSTEM)
    if role == "assistant" and message.get("recipient") not in (None, "all"):
        return Found(where, None, 0, skipped=TOOL)
    return joined(_texts(content)) or Found(where, None, 0, skipped=EMPTY)


def _texts(content: dict[str, Any]) -> Iterator[object]:
    parts = content.get("parts")
    if not isinstance(parts, list):
        yield content.get("text")
        return
    for part in parts:
        spoken = isinstance(part, dict) and part.get("content_type") in ("audio_transcription", "text")
        yield part.get("text") if spoken else part


def _left_out(message: dict[str, Any]) -> Iterator[str]:
    """The pictures and files of a message, one by one."""
    content = message.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict) and part.get("content_type") not in ("audio_transcription", "text"):
            yield IMAGE if "image" in str(part.get("content_type")) else ATTACHMENT
    attachments = _metadata(message).get("attachments")
    yield from (
        ATTACHMENT
        for one in (attachments if isinstance(attachments, list) else [])
        if not str(one.get("mime_type") if isinstance(one, dict) else "").startswith("image/")
    )
