"""`session_search`: an agent looks through earlier conversations in HyMem, in one of four modes that its arguments tell apart.

`query` discovers sessions; `session_id` with `around_message_id` scrolls in one; `session_id` alone reads one; nothing at all
browses the latest. Words are found in all their forms and in any script. A peer finds the sessions that it takes part in.
No model is called, and what is shown is without secrets.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from hymem.errors import HyMemError
from serving.hermes.session_arguments import number, order, roles, text
from serving.hermes.session_view import TranscriptView

if TYPE_CHECKING:
    from serving.memory import HyMem

SCANNED: Final = 300
"""Messages that a discovery looks through for sessions, at most."""


@dataclass(frozen=True)
class SessionSearch:
    """The earlier sessions of a peer, or everybody's where none is named, seen from the session that goes on now."""

    memory: "HyMem"
    peer_id: str | None = None
    current: str = ""

    def __call__(self, arguments: Mapping[str, Any]) -> str:
        """What the arguments ask for, as JSON; one that cannot be meant, or that finds nothing there, gives `error`."""
        try:
            return json.dumps({"success": True, **self.answer(arguments)}, ensure_ascii=False)
        except HyMemError as error:
            return json.dumps({"success": False, "error": str(error)}, ensure_ascii=False)

    def answer(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What the arguments ask for, as plain values; raises `InputError` where that cannot be meant."""
        session_id, query = text(arguments, "session_id"), text(arguments, "query")
        anchor = arguments.get("around_message_id")
        limit = number(arguments, "limit", 3, 10)
        with self.memory.reading() as connection:
            view = TranscriptView(connection, self.peer_id, self.current)
            if anchor is not None:
                return view.scrolled(
                    session_id, number(arguments, "around_message_id", 0), number(arguments, "window", 5, 20)
                )
            if session_id:
                return view.read(session_id)
            if not query:
                return view.browsed(limit)
        return self._discovered(query, limit, roles(arguments.get("role_filter")), order(arguments.get("sort")))

    def _discovered(self, query: str, limit: int, roles: Sequence[str], order: str) -> dict[str, Any]:
        with self.memory.reading() as connection:
            scope = TranscriptView(connection, self.peer_id, self.current).scope()
        hits = self.memory.search(query, limit=SCANNED, roles=cast(Any, roles), where=scope)
        if order:
            hits.sort(key=lambda hit: (hit.message.created_at, hit.message.seq), reverse=order == "newest")
        with self.memory.reading() as connection:
            found = TranscriptView(connection, self.peer_id, self.current).discovered(query, hits, limit)
        told = {"mode": "discover", "query": query, "results": found, "count": len(found)}
        return (
            told if found else {**told, "message": "No session has that: try other words, or none to see the latest."}
        )
