"""Which vectors lie near one, and how near: the cosine, which for vectors of length 1 is the product.

The signs of the vectors choose a few hundred candidates (`sign_index`), and these are compared number by number, as they are
stored. Without the signs all are compared, by sqlite-vec where it loads, and else as many as the configuration allows.
"""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, cast

from hymem.store.connection import Connection
from hymem.store.vec_tables import INDEXES, has_vec_table, scanned_by_vec
from hymem.store.vectors import stored_space

if TYPE_CHECKING:
    from hymem.store.sign_index import SignIndexes

MOST_NEW: Final = 4096
"""Vectors compared that came since the index of signs was written, at most: a dream that embeds keeps them fewer."""

_LATEST: Final = {
    "chunk": "select chunk_id, vector from chunk_embeddings join chunks using (chunk_id) order by said_at desc, chunk_id",
    "edge": """
        select v.text_id, v.vector
        from knowledge_graph g
        join edge_embeddings v on v.text = g.subject || ' ' || g.predicate || ' ' || g.object
        where g.status <> 'retracted'
        order by g.last_seen desc, v.text_id""",
    "episode": """
        select episode_id, vector
        from episode_embeddings join episodes using (episode_id)
        order by ended_at desc, episode_id""",
}


def nearest(
    connection: Connection, kind: str, vector: bytes, k: int, max_scan: int, signs: "SignIndexes | None" = None
) -> list[tuple[int, float]]:
    """The owners of the `k` vectors that lie nearest, with their cosines from -1 to 1, the nearest first.

    `kind` is one of "chunk", "edge" and "episode"; an edge's owner is the id of its text. With `signs`, kept between questions,
    few are compared, and very likely the nearest are among them. Without, all are: exact where sqlite-vec has indexed them;
    else the vectors of the `max_scan` owners that were seen last are compared.
    """
    if k <= 0 or stored_space(connection) is None:
        return []
    near = _among_candidates(connection, kind, vector, k, signs) if signs else None
    if near is None:
        near = _scanned(connection, kind, vector, k, max_scan)
    return sorted(near, key=lambda owner: (-owner[1], owner[0]))[:k]


def similarities(connection: Connection, kind: str, ids: Iterable[int], vector: bytes) -> dict[int, float]:
    """The cosines of some owners' vectors, from 0 to 1, by their ids; who has no vector is left out."""
    found = cosines(vector, _vectors(connection, kind, ids))
    return {owner: min(1.0, max(0.0, cosine)) for owner, cosine in found.items()}


def edge_vectors(connection: Connection, edge_ids: Iterable[int]) -> dict[int, bytes]:
    """The vectors of those of the edges that have one."""
    found = connection.execute(
        """
        select g.edge_id, v.vector
        from json_each(?) asked
        join knowledge_graph g on g.edge_id = asked.value
        join edge_embeddings v on v.text = g.subject || ' ' || g.predicate || ' ' || g.object
        """,
        (json.dumps(list(edge_ids)),),
    )
    return dict(found.fetchall())


def cosines(vector: bytes, others: Mapping[int, bytes]) -> dict[int, float]:
    """How near each of the others lies: all are of length 1, so the cosine is the product."""
    if not others:
        return {}
    import numpy as np

    matrix = np.frombuffer(b"".join(others.values()), dtype="<f4").reshape(len(others), -1)
    products = np.einsum("ij,j->i", matrix, np.frombuffer(vector, dtype="<f4"), dtype=np.float64)
    return dict(zip(others, products.tolist(), strict=True))


def _among_candidates(
    connection: Connection, kind: str, vector: bytes, k: int, signs: "SignIndexes"
) -> list[tuple[int, float]] | None:
    """The cosines of the candidates; None where there is no index of signs."""
    from hymem.store.sign_index import candidates

    owners = candidates(signs, connection, kind, vector, k, MOST_NEW)
    return [*cosines(vector, _vectors(connection, kind, owners)).items()] if owners else None


def _scanned(connection: Connection, kind: str, vector: bytes, k: int, max_scan: int) -> list[tuple[int, float]]:
    if has_vec_table(connection, kind):
        return scanned_by_vec(connection, kind, vector, k)
    rows = connection.execute(f"{_LATEST[kind]} limit ?", (max_scan,)).fetchall()
    return [*cosines(vector, dict(cast(list[tuple[int, bytes]], rows))).items()]


def _vectors(connection: Connection, kind: str, ids: Iterable[int]) -> dict[int, bytes]:
    table, key, _ = INDEXES[kind]
    found = connection.execute(
        f"select {key}, vector from {table} where {key} in (select value from json_each(?))",
        (json.dumps(list(ids)),),
    )
    return dict(found.fetchall())
