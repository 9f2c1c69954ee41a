"""The undreamt tail: the newest messages that no dream has cut into chunks yet."""

import json
from collections.abc import Iterable

from hymem.store.connection import Connection
from hymem.store.search import Passage


def undreamt(connection: Connection, most: int) -> list[int]:
    """The numbers of the newest messages of changed sessions that came after the last that was cut into a chunk."""
    found = connection.execute(
        """
        with changed (session_id, last) as materialized (
            select s.session_id, coalesce((select max(message_seq) from chunks c where c.session_id = s.session_id), 0)
            from sessions s left join chunked_sessions k using (session_id)
            where k.revision is not s.revision)
        select m.seq
        from changed cross join messages m
        where m.session_id = changed.session_id and m.seq > changed.last and m.role <> 'system'
        order by m.seq desc
        limit ?
        """,
        (most,),
    )
    return [seq for (seq,) in found]


def as_passages(connection: Connection, seqs: Iterable[int]) -> list[Passage]:
    """These messages as they were logged; they have no chunk, so that its id is 0."""
    found = connection.execute(
        """
        select 0, m.session_id, m.seq, m.message_id, m.peer_id, m.role, m.created_at, m.content
        from json_each(?) asked join messages m on m.seq = asked.value
        """,
        (json.dumps(list(seqs)),),
    )
    return [Passage(*row) for row in found]
