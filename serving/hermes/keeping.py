"""What is said to the agent, kept in the ledger while it is said: each row once, whichever hook brings it.

One keeper serves one memory. A session that goes on under another name, after a compression or as a branch, has the rows of the
one before it; which one that is stands in its metadata, so that a restart knows it too.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from hymem.records import Message
from hymem.store.messages import forgotten
from hymem.store.sessions import ensure_session, read_session
from serving.hermes.transcript import Merged, Said, Stored, following, merged, message_id

if TYPE_CHECKING:
    from serving.memory import HyMem

SOURCE: Final = {"source": "hermes"}
CONTINUES: Final = "parent_session_id"
Rows = tuple[tuple[Said, str], ...]
LONGEST_LINE: Final = 200
"""Sessions that one may be the continuation of."""


class Keeper:
    """Keeps conversations in one memory; thread-safe."""

    def __init__(self, memory: "HyMem") -> None:
        self.memory = memory
        self._stored: dict[str, list[Stored]] = {}
        self._rewound: set[str] = set()
        self._described: set[tuple[Any, ...]] = set()
        self._lock = threading.RLock()

    def keep_transcript(self, session_id: str, transcript: Sequence[Said]) -> int:
        """Store what a whole transcript has and the ledger has not; how many rows. After `rewind`, what it lacks is erased."""
        with self._lock:
            rows = self._rows(session_id)
            found = merged(session_id, rows, self._as_stored(transcript))
            if session_id in self._rewound and found.withdrawn and transcript:
                self._rewound.discard(session_id)
                self._erase(session_id, found.withdrawn)
            return self._log(session_id, replace(found, new=self._not_forgotten(session_id, found.new)))

    def keep_turn(self, session_id: str, turn: Sequence[Said]) -> int:
        """Store a turn that comes without the transcript; how many rows were new."""
        with self._lock:
            found = following(session_id, self._rows(session_id), self._as_stored(turn))
            return self._log(session_id, replace(found, new=self._said_anew(session_id, found.new)))

    def keep_apart(self, session_id: str, rows: Sequence[Said], about: Mapping[str, str]) -> None:
        """Store rows in a session of their own, once."""
        with self._lock:
            found = merged(session_id, self._rows(session_id), self._as_stored(rows))
            self._log(session_id, replace(found, new=self._not_forgotten(session_id, found.new)))
            self.describe(session_id, about)

    def describe(self, session_id: str, about: Mapping[str, str]) -> None:
        """Attach to a session that is kept where it is held and what it is called; once."""
        told = (session_id, *sorted(about.items()))
        with self._lock:
            if told not in self._described:
                self.memory.describe_sessions({session_id: about})
                self._described.add(told)

    def rewind(self, session_id: str) -> None:
        """The user took back what was said last: what the next transcript lacks at its end is erased then."""
        with self._lock:
            self._rewound.add(session_id)

    def go_on(self, session_id: str, parent: str) -> None:
        """Let a session go on as the continuation of another."""
        if session_id == parent:
            return
        with self._lock:
            with self.memory.writing() as connection:
                known = read_session(connection, session_id)
                metadata = {**(known.metadata if known else {}), CONTINUES: parent}
                ensure_session(connection, session_id, self.memory.now(), metadata=metadata)
            self._stored.pop(session_id, None)

    def last_said(self, session_id: str, role: str, count: int) -> list[str]:
        """The last words of one side of a session, the newest last."""
        told = [message.content for message in self.memory.messages(session_id, 4 * count) if message.role == role]
        return told[-count:]

    # ---------------------------------------------------------------------------------------------------------- within

    def _forgotten(self, names: Iterable[str]) -> set[str]:
        with self.memory.reading() as connection:
            return forgotten(connection, names)

    def _not_forgotten(self, session_id: str, new: Rows) -> Rows:
        """The rows without those that people had forgotten: the agent still has them, and hands them over again."""
        line = self._line(session_id) if new else []
        names = {name: _in_each(line, session_id, row, name) for row, name in new}
        gone = self._forgotten(one for several in names.values() for one in several)
        return tuple((row, name) for row, name in new if gone.isdisjoint(names[name]))

    def _said_anew(self, session_id: str, new: Rows) -> Rows:
        """The rows of a turn, which is said now: what was forgotten and is said once more bears another id."""
        told: list[tuple[Said, str]] = []
        for row, name in new:
            times = 1
            while self._forgotten([name]):
                times += 1
                name = message_id(session_id, row, times)
            told.append((row, name))
        return tuple(told)

    def _as_stored(self, rows: Sequence[Said]) -> list[Said]:
        return [Said(row.role, self.memory.stored_form(row.text)) for row in rows]

    def _rows(self, session_id: str) -> list[Stored]:
        if session_id not in self._stored:
            self._stored[session_id] = [
                Stored(Said(message.role, message.content.strip()).digest, message.message_id)
                for each in self._line(session_id)
                for message in self.memory.messages(each)
                if message.role in ("user", "assistant")
            ]
        return self._stored[session_id]

    def _line(self, session_id: str) -> list[str]:
        """The sessions that this one continues, the first of them first, and itself."""
        line = [session_id]
        with self.memory.reading() as connection:
            while len(line) < LONGEST_LINE:
                record = read_session(connection, line[-1])
                before = str(record.metadata.get(CONTINUES) or "") if record else ""
                if not before or before in line:
                    break
                line.append(before)
        return line[::-1]

    def _log(self, session_id: str, found: Merged) -> int:
        if not found.new:
            return 0
        turns = [
            Message(
                session_id, "user" if row.role == "user" else "assistant", row.text, message_id=name, metadata=SOURCE
            )
            for row, name in found.new
        ]
        added = self.memory.log_messages(turns).added
        self._stored[session_id] += [Stored(row.digest, name) for row, name in found.new]
        return added

    def _erase(self, session_id: str, message_ids: Sequence[str]) -> None:
        known = {message.message_id for message in self.memory.messages(session_id)}
        for name in message_ids:
            if name in known:
                self.memory.erase_message(name)
        gone = set(message_ids)
        self._stored[session_id] = [row for row in self._stored[session_id] if row.message_id not in gone]


def _in_each(line: Sequence[str], session_id: str, row: Said, name: str) -> list[str]:
    """What a row is called in each of the sessions; in this one, its name."""
    times = next(times for times in count(1) if message_id(session_id, row, times) == name)
    return [message_id(each, row, times) for each in line]
