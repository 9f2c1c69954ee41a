"""Claude Code's sessions: JSON Lines, a record a line, of which most is machinery.

Taken is what the user typed and what the assistant answered in words. Left out: tools and their output, reasoning, side chains
(what an agent told its helpers), summaries that stand in for a compacted conversation, and slash commands.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from serving.exchange.documents import Found
from serving.exchange.documents import found_in as lines_in
from serving.exchange.exports import EMPTY, REASONING, TOOL, joined

SPEECH: Final = frozenset({"user", "assistant"})
LEFT_OUT: Final = {
    "tool_use": TOOL,
    "tool_result": TOOL,
    "server_tool_use": TOOL,
    "thinking": REASONING,
    "redacted_thinking": REASONING,
    "image": "image",
    "document": "attachment",
}
RECORD: Final = "record of the program"
_REMINDER: Final = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_COMMAND: Final = re.compile(
    r"\s*(?:<(?:command-|local-command|bash-)|Caveat: The messages below|\[Request interrupted)"
)


def begins(head: bytes) -> bool:
    """Whether a file begins as such a session does."""
    for line in head.split(b"\n")[:20]:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("type"), str):
            return "sessionId" in record or "leafUuid" in record or record["type"] == "file-history-snapshot"
        return False
    return b'"sessionId":' in head and b'"parentUuid":' in head


def found_in(file: BinaryIO, name: str) -> Iterator[Found]:
    """Every message that was typed or answered."""
    for found in lines_in(file, f"{name}.jsonl"):
        if found.fault or not isinstance(found.value, dict):
            yield found if found.fault else Found(found.where, None, found.read, "a record must be an object")
        else:
            yield from _record(found.value, found.where, found.read)


def _record(record: dict[str, Any], where: str, read: int) -> Iterator[Found]:
    kind = _machinery(record)
    message = record.get("message")
    if kind:
        yield Found(where, None, read, skipped=kind)
    elif not isinstance(message, dict):
        yield Found(where, None, read, "a record of type user or assistant must have a message")
    else:
        yield from _spoken(record, message, where, read)


def _machinery(record: dict[str, Any]) -> str:
    """What a record is that nobody said; "" for speech."""
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in SPEECH:
        return "summary" if kind == "summary" else RECORD
    if record.get("isCompactSummary"):
        return "summary"
    if record.get("isSidechain"):
        return "message of a side chain"
    return RECORD if record.get("isMeta") or record.get("isApiErrorMessage") else ""


def _spoken(record: dict[str, Any], message: dict[str, Any], where: str, read: int) -> Iterator[Found]:
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list):
        yield Found(where, None, read, "content must be text, or a list of parts")
        return
    parts = [part for part in parts if isinstance(part, dict)]
    other = [LEFT_OUT.get(str(part.get("type")), RECORD) for part in parts if part.get("type") != "text"]
    yield from (Found(where, None, read, skipped=kind) for kind in other)
    text = _REMINDER.sub("", joined(part.get("text") for part in parts if part.get("type") == "text")).strip()
    if _COMMAND.match(text):
        yield Found(where, None, read, skipped="command")
    elif text:
        yield Found(where, _value(record, text), read)
    elif not other:
        yield Found(where, None, read, skipped=EMPTY)


def _value(record: dict[str, Any], text: str) -> dict[str, Any]:
    session, uuid = record.get("sessionId"), record.get("uuid")
    place = {name: record[name] for name in ("cwd", "gitBranch") if isinstance(record.get(name), str)}
    return {
        "session_id": session,
        "role": record["type"],
        "content": text,
        "created_at": record.get("timestamp"),
        "message_id": f"claude-code:{session}:{uuid}" if uuid else None,
        "metadata": {"source": "claude-code", **place},
    }
