"""The transcripts of HyMem as a peer sees them in one look at the database: discovered, scrolled, read, browsed.

Sessions that go on from one another are one conversation, which is found once.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

from hymem.bigrams import bigrams
from hymem.errors import InputError
from hymem.records import LoggedMessage, MessageHit
from hymem.redaction import redacted
from hymem.salience import own_words
from hymem.store import transcripts
from hymem.store.connection import Connection
from hymem.store.search import tokens
from hymem.store.transcripts import Transcript
from hymem.store.where import Where

AROUND, BOOKEND = 5, 3
"""Messages on either side of the one that was found, and from either end of its session."""

HEAD, TAIL = 20, 10
"""Messages of a long session that are read from either end."""

LONGEST: Final = 4_000
SNIPPET: Final = 240
PREVIEW: Final = 100
"""Characters of a message, of a snippet, and of the words that a session began with."""

HIDDEN: Final = ("subagent", "tool")
LAST: Final = ("cron",)
"""Platforms whose sessions are found by their id only, and those that come after everybody else's."""


class TranscriptView:
    """What a peer sees of the transcripts, in one look at the database."""

    def __init__(self, connection: Connection, peer_id: str | None, current: str) -> None:
        """The sessions of a peer, or everybody's for None, seen from the one that goes on now."""
        self.connection, self.current = connection, current
        self.reach = transcripts.within_reach(peer_id, "s")
        self.messages_in_reach = transcripts.within_reach(peer_id)

    @cached_property
    def parents(self) -> dict[str, str]:
        """Which session each goes on from."""
        return transcripts.parents(self.connection)

    def root(self, session_id: str) -> str:
        """The session in which a conversation began, whatever it went on in since."""
        seen = {session_id}
        while (before := self.parents.get(session_id)) is not None and before not in seen:
            seen.add(before)
            session_id = before
        return session_id

    def scope(self) -> Where:
        """The messages that a discovery looks through: those of other conversations, which are no machine's own."""
        here = [one for one in {self.current, *self.parents} if self.root(one) == self.root(self.current)]
        own = json.dumps([*here, self.root(self.current)])
        return self.messages_in_reach.also("m.session_id not in (select value from json_each(:own))", own=own).also(
            """m.session_id not in (
                select hidden.session_id from sessions hidden
                where json_extract(hidden.metadata, '$.platform') in (select value from json_each(:hidden)))""",
            hidden=json.dumps(HIDDEN),
        )

    # ------------------------------------------------------------------------------------------------------- the modes

    def discovered(self, query: str, hits: Sequence[MessageHit], limit: int) -> list[dict[str, Any]]:
        """The conversations of these hits, each by its best one; a title that is what was asked for comes first."""
        best = dict[str, MessageHit]()
        for hit in hits:
            best.setdefault(self.root(hit.message.session_id), hit)
        named = {one.session_id: one for one in self._transcripts([hit.message.session_id for hit in best.values()])}
        late = {root for root, hit in best.items() if named[hit.message.session_id].platform in LAST}
        roots = sorted(best, key=lambda root: root in late)
        titled = self._titled(query)
        found = [] if titled is None else [self._titled_result(titled)]
        told = () if titled is None else (self.root(titled.session_id),)
        results = (
            self._result(named[best[root].message.session_id], best[root], query) for root in roots if root not in told
        )
        return [*found, *(result for result, _ in zip(results, range(limit - len(found)), strict=False))]

    def scrolled(self, session_id: str, seq: int, window: int) -> dict[str, Any]:
        """The messages around one; one that is in a session that went on from the named one is found there."""
        if not session_id:
            raise InputError("around_message_id needs the session_id that it was found with")
        self._other_than_this(session_id)
        told = self._there(session_id)
        place = transcripts.place_of(self.connection, session_id, seq)
        where = None if place is not None else transcripts.session_of(self.connection, seq)
        if where is not None and self.root(where) == self.root(session_id) and self._transcripts([where]):
            told, place = self._there(where), transcripts.place_of(self.connection, where, seq)
        if place is None:
            raise InputError(f"message {seq} is not in session {session_id}: take an id from what was found there")
        part = transcripts.stretch(self.connection, told.session_id, place - window, 2 * window + 1)
        moved = {"warning": f"message {seq} is in {told.session_id}, which went on from {session_id}"}
        return {
            "mode": "scroll",
            **_meta(told),
            "around_message_id": seq,
            "window": window,
            "messages": [_shown(one, seq) for one in part.messages],
            "messages_before": part.before,
            "messages_after": part.after,
            **(moved if told.session_id != session_id else {}),
        }

    def read(self, session_id: str) -> dict[str, Any]:
        """A session: whole, or its beginning and its end."""
        told = self._there(session_id)
        total = told.messages
        whole = total <= HEAD + TAIL
        head = transcripts.stretch(self.connection, session_id, 0, HEAD + TAIL if whole else HEAD).messages
        tail = () if whole else transcripts.stretch(self.connection, session_id, total - TAIL, TAIL).messages
        hint = f"The first {HEAD} and last {TAIL} of {total} messages: around_message_id shows those between."
        return {
            "mode": "read",
            **_meta(told),
            "message_count": total,
            "truncated": not whole,
            "messages": [_shown(one) for one in (*head, *tail)],
            **({} if whole else {"message": hint}),
        }

    def browsed(self, limit: int) -> dict[str, Any]:
        """The latest conversations, each by the session in which it goes on."""
        here, seen, found = self.root(self.current), set[str](), list[dict[str, Any]]()
        for one in self._transcripts(None):
            root = self.root(one.session_id)
            if one.platform in HIDDEN or root in seen or root == here:
                continue
            seen.add(root)
            preview = _clean(transcripts.first_words(self.connection, root))
            began = {"message_count": one.messages, "last_active": one.last_at, "preview": _cut(preview, PREVIEW)}
            found.append({**_meta(one), **began})
            if len(found) == limit:
                break
        return {"mode": "browse", "results": found, "count": len(found)}

    # ----------------------------------------------------------------------------------------------------------- within

    def _transcripts(self, session_ids: Sequence[str] | None) -> list[Transcript]:
        return transcripts.transcripts(self.connection, self.reach, session_ids=session_ids)

    def _there(self, session_id: str) -> Transcript:
        found = self._transcripts([session_id])
        if not found:
            raise InputError(f"no session {session_id}: call without arguments to see the latest sessions")
        return found[0]

    def _other_than_this(self, session_id: str) -> None:
        if self.current and self.root(session_id) == self.root(self.current):
            raise InputError("that is the conversation that goes on now: its messages are before you already")

    def _titled(self, query: str) -> Transcript | None:
        title = query.strip().strip("`'\"").strip()
        named = transcripts.sessions_titled(self.connection, title, self.reach)
        found = self._transcripts(named[:1])
        if not found or found[0].platform in HIDDEN:
            return None
        return None if self.current and self.root(found[0].session_id) == self.root(self.current) else found[0]

    def _titled_result(self, told: Transcript) -> dict[str, Any]:
        first = transcripts.stretch(self.connection, told.session_id, 0, 1).messages[0]
        around = self._around(told, first)
        matched = {"matched_role": "session_title", "match_message_id": first.seq, "snippet": told.title}
        return {**_meta(told), **matched, **around}

    def _result(self, told: Transcript, hit: MessageHit, query: str) -> dict[str, Any]:
        said = hit.message
        snippet = _snippet(self.connection, _clean(said.content), query)
        matched = {"matched_role": said.role, "match_message_id": said.seq, "snippet": snippet}
        root = self.root(told.session_id)
        began = {} if root == told.session_id else {"parent_session_id": root}
        return {**_meta(told), **began, **matched, "score": round(hit.score, 4), **self._around(told, said)}

    def _around(self, told: Transcript, anchor: LoggedMessage) -> dict[str, Any]:
        """The messages around one, with the first and the last of its session where these are not among them."""
        place = transcripts.place_of(self.connection, told.session_id, anchor.seq) or 0
        part = transcripts.stretch(self.connection, told.session_id, place - AROUND, 2 * AROUND + 1)
        first = transcripts.stretch(self.connection, told.session_id, 0, min(BOOKEND, part.before))
        count = min(BOOKEND, part.after)
        last = transcripts.stretch(self.connection, told.session_id, told.messages - count, count)
        return {
            "bookend_start": [_shown(one) for one in first.messages],
            "messages": [_shown(one, anchor.seq) for one in part.messages],
            "bookend_end": [_shown(one) for one in last.messages],
            "messages_before": part.before,
            "messages_after": part.after,
        }


def _meta(told: Transcript) -> dict[str, Any]:
    return {"session_id": told.session_id, "when": told.started_at, "source": told.platform, "title": told.title}


def _shown(said: LoggedMessage, anchor: int | None = None) -> dict[str, Any]:
    shown = {
        "id": said.seq,
        "role": said.role,
        "content": _cut(_clean(said.content), LONGEST),
        "timestamp": said.created_at,
    }
    return {**shown, "anchor": True} if said.seq == anchor else shown


def _clean(text: str) -> str:
    return redacted(own_words(text)).strip()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()} … [{len(text) - most:,} more characters]"


def _snippet(connection: Connection, text: str, query: str) -> str:
    """The words of a text around the first that is sought, which stands in >>> <<<."""
    asked = {term for _, term in tokens(connection, f"{query} {bigrams(query)}")}
    place = 0
    for word, term in tokens(connection, text):
        with suppress(ValueError):
            place = text.index(word, place)
        if term in asked:
            return _framed(text, place, place + len(word))
    pair = next((pair for pair in bigrams(query).split() if pair in text), "")
    return _framed(text, text.index(pair), text.index(pair) + len(pair)) if pair else text[:SNIPPET]


def _framed(text: str, start: int, end: int) -> str:
    begin = max(0, start - SNIPPET // 2)
    before, after = text[begin:start], text[end : end + SNIPPET // 2]
    return (
        f"{'…' if begin else ''}{before}>>>{text[start:end]}<<<{after}{'…' if end + SNIPPET // 2 < len(text) else ''}"
    )
