"""The agent's own notes (its `memory` tool's MEMORY.md and USER.md entries), kept as told facts and in step with them.

What the agent adds, replaces and removes there is added, replaced and removed here, so that no ghost of a note is recalled. A
note is found again by the words that the agent named it by, which are part of it.
"""

from collections.abc import Mapping
from typing import Any, Final

from hymem.errors import RefusedFactError
from hymem.redaction import redacted
from serving.facts import MemoryStore

CATEGORIES: Final = {"memory": "hermes_memory", "user": "hermes_user"}
ACTIONS: Final = ("add", "replace", "remove")


def mirror(
    store: MemoryStore, action: str, target: str, content: str, metadata: Mapping[str, Any] | None = None
) -> None:
    """Do to the told facts what was done to the notes; raises `HyMemError` where the store cannot."""
    category = CATEGORIES.get(target)
    if category is None or action not in ACTIONS:
        return
    told = metadata or {}
    new = content.strip() if action != "remove" else ""
    former = _former(store, category, told, content if action == "remove" else "") if action != "add" else None
    if former is None:
        if new:
            store.add_fact(new, category, "hermes")
    elif not new:
        store.remove_fact(former)
    else:
        _reword(store, former, new, category)


def _former(store: MemoryStore, category: str, metadata: Mapping[str, Any], content: str) -> int | None:
    """The note that was meant: the very words where they are known, else those that hold the words it was named by."""
    notes = store.list_facts(category, limit=10_000)
    whole = redacted(str(metadata.get("previous_content") or "").strip())
    part = redacted(str(metadata.get("old_text") or content).strip())
    named = [note for note in notes if whole and note["content"] == whole]
    named = named or [note for note in notes if part and part in note["content"]]
    return int(min(named, key=lambda note: len(note["content"]))["fact_id"]) if named else None


def _reword(store: MemoryStore, fact_id: int, new: str, category: str) -> None:
    try:
        store.update_fact(fact_id, content=new, category=category)
    except RefusedFactError:  # the new words are another note's already, or cannot be told
        store.remove_fact(fact_id)
        store.add_fact(new, category, "hermes")
