"""Which conclusions memory draws for a list, a query or an id: of a pair of peers that is named, or of every peer.

Where observer and observed are named, it is the one's view of the other. Where they are not, it is what memory as a whole holds
of each peer, as if each were its own observer: whoever may list a workspace's conclusions may know what is in it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Final, cast

from hymem.store.conclusions import ConclusionRecord, without_deleted
from hymem.store.perspectives import speakers
from serving.honcho.concluding import Pair, conclusions_drawn
from serving.honcho.perspective import perspective
from serving.memory import HyMem
from serving.workspaces import Workspaces

_DRAWN: Final = re.compile(r"[0-9a-f]{21}")


def named_pair(filters: Mapping[str, Any] | None) -> tuple[str | None, str | None]:
    """The observer and the observed peer that filters name."""
    told = filters or {}
    found = (told.get("observer_id", told.get("observer")), told.get("observed_id", told.get("observed")))
    return cast(tuple[str | None, str | None], tuple(name if _is_name(name) else None for name in found))


def drawn_for(workspaces: Workspaces, workspace_id: str, filters: Mapping[str, Any] | None) -> list[ConclusionRecord]:
    """What memory concludes where filters look for it."""
    observer, observed = named_pair(filters)
    if observer is not None and observed is not None:
        with perspective(workspaces, workspace_id, observer, observed) as seen:
            return seen.drawn()
    with workspaces.use(workspace_id) as memory:
        drawn = _of_everyone(memory, observer or observed)
    found = {record.conclusion_id: record for record in drawn}
    for name in _named_ids(filters):
        if name not in found and (record := drawn_as(workspaces, workspace_id, name)) is not None:
            found[name] = record
    return list(found.values())


def drawn_as(workspaces: Workspaces, workspace_id: str, conclusion_id: str) -> ConclusionRecord | None:
    """What memory concludes under an id, in whosever view that is; None where it concludes nothing of that id."""
    if not _DRAWN.fullmatch(conclusion_id):
        return None
    with workspaces.use(workspace_id) as memory:
        with memory.reading() as connection:
            peers = speakers(connection)
        for pair in _pairs(peers):
            if pair.name(0)[16:] != conclusion_id[16:]:
                continue
            own = _of_everyone(memory, pair.observed) if pair.observer == pair.observed else []
            with perspective(workspaces, workspace_id, pair.observer, pair.observed) as seen:
                for record in (*own, *seen.drawn()):
                    if record.conclusion_id == conclusion_id:
                        return record
    return None


def _of_everyone(memory: HyMem, only: str | None) -> list[ConclusionRecord]:
    with memory.reading() as connection:
        peers = [peer for peer in speakers(connection) if only in (None, peer)]
        drawn = [record for peer in peers for record in conclusions_drawn(connection, peer, peer)]
        return without_deleted(connection, drawn)


def _pairs(peers: Iterable[str]) -> Iterator[Pair]:
    """Every peer with itself, then with every other."""
    known = list(peers)
    yield from (Pair(peer, peer) for peer in known)
    yield from (Pair(one, other) for one, other in product(known, known) if one != other)


def _named_ids(filters: Mapping[str, Any] | None) -> list[str]:
    told: Any = (filters or {}).get("id")
    if isinstance(told, dict):
        told = cast(dict[str, Any], told).get("in")
    listed = cast(list[Any], told if isinstance(told, list) else [told])
    return [name for name in listed if isinstance(name, str)][:100]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != "*"
