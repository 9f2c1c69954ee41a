"""The undreamt tail: the newest messages that no dream has cut into chunks yet."""

import json
from collections.abc import Iterable

from hymem.store.connection import Connection
from hymem.store.search import Passage


def undreamt(connection: Connection, most: int) -> list[int]:
    """The numbers of the newest messages of changed sessions that came after the last that was cut into a chunk."""
    found = connection.execute(
        """
        select m.seq
        from sessions s
        left join chunked_sessions k using (session_id)
        join messages m using (session_id)
        where k.revision is not s.revision
          and m.seq > coalesce((select max(message_seq) from chunks c where c.session_id = s.session_id), 0)
          and m.role <> 'system'
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
