"""From whom something may be learnt: decided when a turn is told, by what was said of its peer, session and workspace by then."""

import json
from collections.abc import Iterable
from typing import Any

from hymem.store.connection import Connection


def unobserved(connection: Connection, session_id: str, peer_ids: Iterable[str]) -> set[str]:
    """The peers from whose turns in this session nothing may be learnt.

    What was said of a peer in the session holds before what was said of the peer itself.
    """
    found = connection.execute(
        """
        select p.peer_id
        from peers p left join session_peers sp
          on sp.peer_id = p.peer_id and sp.session_id = ? and sp.left_at is null
        where p.peer_id in (select value from json_each(?))
          and coalesce(sp.observe_me, json_extract(p.configuration, '$.observe_me'), 1) = 0
        """,
        (session_id, json.dumps(list(peer_ids))),
    )
    return {peer for (peer,) in found}


def reasons_about(connection: Connection, session_id: str) -> bool:
    """Whether a session's turns are learnt from where they do not say otherwise: as it says, or its workspace, or yes."""
    found = connection.execute(
        """
        select (select configuration from sessions where session_id = ?), (select configuration from workspace)
        """,
        (session_id,),
    ).fetchall()
    return next((said for told in found[0] if told and (said := _enabled(json.loads(told))) is not None), True)


def _enabled(configuration: dict[str, Any]) -> bool | None:
    match configuration.get("reasoning"):
        case {"enabled": bool(enabled)}:
            return enabled
        case _:
            return None
