"""Which part a peer plays, read from its name: whole words tell ("abbott" is no bot), the last one that does decides."""

import re
from collections.abc import Mapping
from typing import Any, Final

from hymem.records import Role

_USERS: Final = frozenset({"user", "human", "client", "telegram", "discord", "slack"})
_ASSISTANTS: Final = frozenset({"agent", "hermes", "assistant", "ai", "bot", "llm"})
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def inferred_role(peer_id: str, metadata: Mapping[str, Any] | None = None) -> Role:
    """The role that metadata name, else the one that the name tells, else a user's."""
    named = told_role(metadata)
    if named is not None:
        return named
    words = [word.casefold() for word in _WORD.findall(peer_id)]
    telling = [word for word in words if word in _USERS | _ASSISTANTS]
    return "assistant" if telling and telling[-1] in _ASSISTANTS else "user"


def told_role(metadata: Mapping[str, Any] | None) -> Role | None:
    """The role that metadata name in so many words."""
    match (metadata or {}).get("role"):
        case "user" | "assistant" | "system" | "tool" as role:
            return role
        case _:
            return None
