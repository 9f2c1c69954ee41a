"""What `session_search` may be asked: the tool as a model is told of it, and its arguments as models write them."""

from collections.abc import Mapping
from typing import Any, Final, cast

from hymem.errors import InputError
from hymem.vocabulary import ROLES

SESSION_SEARCH: Final[dict[str, Any]] = {
    "name": "hymem_sessions",
    "description": (
        "Look through earlier conversations, word for word. With `query`: the sessions in which it came up, each with the "
        "messages around it. With `session_id` and `around_message_id`: the messages around one. With `session_id` alone: "
        "that session. With nothing: the latest sessions."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words to look for, in any form and any language."},
            "limit": {"type": "integer", "description": "How many sessions, 1 to 10; 3 unless said otherwise."},
            "sort": {
                "type": "string",
                "enum": ["newest", "oldest"],
                "description": "By time; by relevance where it is left out.",
            },
            "role_filter": {
                "type": "string",
                "description": "Roles to look in, with commas: user, assistant, tool. The first two unless said otherwise.",
            },
            "session_id": {"type": "string", "description": "A session to read, or to scroll in."},
            "around_message_id": {"type": "integer", "description": "The id of a message in that session."},
            "window": {
                "type": "integer",
                "description": "Messages on either side of it, 1 to 20; 5 unless said otherwise.",
            },
        },
    },
}
"""The tool, as a model is told of it."""


def text(arguments: Mapping[str, Any], name: str) -> str:
    """An argument that is text, "" where it is left out."""
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name} must be text, not {value!r:.40}")
    return (value or "").strip()


def number(arguments: Mapping[str, Any], name: str, default: int, most: int | None = None) -> int:
    """A whole number, also as the text that some models write; beyond the bounds, the bound."""
    value = arguments.get(name)
    if value is None:
        return default
    try:
        number = int(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise InputError(f"{name} must be a whole number, not {value!r:.40}")
    return number if most is None else max(1, min(number, most))


def roles(value: object) -> list[str]:
    """Roles as a list, or as text with commas."""
    if value is None or value == "":
        return ["user", "assistant"]
    told = cast("list[object]", value) if isinstance(value, list) else str(value).split(",")
    roles = [str(role).strip().lower() for role in told]
    if wrong := [role for role in roles if role not in ROLES]:
        raise InputError(f"role_filter: {wrong[0]!r:.40} is no role; the roles are user, assistant, tool")
    return roles


def order(value: object) -> str:
    """By which end of time to sort; "" for relevance."""
    if value in (None, "", "relevance"):
        return ""
    if value not in ("newest", "oldest"):
        raise InputError(f"sort must be newest or oldest, or left out, not {value!r:.40}")
    return str(value)
