"""Vectors of chunks, edges and episodes: of one model at a time, kept as blobs, and indexed by sqlite-vec where that loads.

The blobs are the truth, the vec0 tables an exact index over them (cosine distance). A model that does not fit the stored vectors
is refused: vectors of two models must never be compared.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

import apsw

from hymem.errors import ConfigError
from hymem.store.connection import Connection

INDEXES: Final = {
    "chunk": ("chunk_embeddings", "chunk_id", "vec_chunks"),
    "edge": ("edge_embeddings", "text_id", "vec_edges"),
    "episode": ("episode_embeddings", "episode_id", "vec_episodes"),
}
"""For each kind of thing: the table of its vectors, their key, and the sqlite-vec table."""

LARGEST_K: Final = 4096
"""Neighbours that sqlite-vec gives at most."""

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


@dataclass(frozen=True)
class Space:
    """The model whose vectors are stored, and how many numbers each has."""

    model: str
    dimension: int


@dataclass(frozen=True)
class OwnedVector:
    """A vector with what it belongs to: an id, the digest of the text, and the text where that is the key (edges)."""

    kind: str
    owner: int
    text_digest: int
    text: str
    vector: bytes


def load_vec(connection: Connection) -> bool:
    """Load sqlite-vec into this connection; False where it cannot be had on this platform."""
    raw = cast(apsw.Connection, connection)
    try:
        connection.execute("select vec_version()")
        return True
    except apsw.SQLError:
        pass
    try:
        import sqlite_vec  # pyright: ignore[reportMissingTypeStubs]

        raw.enable_load_extension(True)
        raw.load_extension(sqlite_vec.loadable_path())
    except (ImportError, apsw.ExtensionLoadingError):
        return False
    finally:
        raw.enable_load_extension(False)
    return True


def stored_space(connection: Connection) -> Space | None:
    """The model of the stored vectors; None where there are none."""
    found = connection.execute("select model, dimension from embedding_space").fetchall()
    return Space(*found[0]) if found else None


def refuse_other_model(connection: Connection, model: str, dimension: int | None) -> None:
    """Raise `ConfigError` where vectors of another model, or of another dimension, are stored."""
    space = stored_space(connection)
    if space and (space.model != model or dimension not in (None, space.dimension)):
        raise ConfigError(
            f"the stored vectors are of {space.model} ({space.dimension} numbers), not of {model}"
            f" ({dimension or 'unknown'}): run `hymem reembed` to change the model, or set HYMEM_EMBEDDING_MODEL back"
        )


def known_vectors(connection: Connection) -> list[tuple[str, int, int]]:
    """Kind, owner and text digest of every stored vector."""
    sql = " union all ".join(
        f"select '{kind}', {key}, text_digest from {table}" for kind, (table, key, _) in INDEXES.items()
    )
    return cast(list[tuple[str, int, int]], connection.execute(sql).fetchall())


def keep_vectors(connection: Connection, space: Space, vectors: Sequence[OwnedVector]) -> None:
    """Store vectors within the caller's transaction; what is there is replaced, owners that are gone are skipped."""
    refuse_other_model(connection, space.model, space.dimension)
    connection.execute("insert or ignore into embedding_space values (1, ?, ?)", (space.model, space.dimension))
    indexed = load_vec(connection)
    for kind in INDEXES:
        rows = [vector for vector in vectors if vector.kind == kind]
        if rows:
            _keep(connection, kind, rows)
            if indexed:
                _index(connection, kind, space.dimension)


def vectors_of(connection: Connection, texts: Sequence[tuple[str, int, int]]) -> list[OwnedVector]:
    """The stored vectors of these texts (kind, owner, text digest), of those that have one."""
    return [
        vector
        for kind in INDEXES
        for vector in _vectors_of(connection, kind, [text for text in texts if text[0] == kind])
    ]


def drop_orphans(connection: Connection) -> None:
    """Remove the vectors of what is gone: of retired chunks, and of edges that are neither there nor may follow again."""
    if stored_space(connection) is None:
        return
    connection.execute("delete from chunk_embeddings where chunk_id in (select chunk_id from chunks where text = '')")
    connection.execute(
        """
        delete from edge_embeddings
        where text not in (select subject || ' ' || predicate || ' ' || object from knowledge_graph)
          and not (
            text = subject || ' depends_on ' || object
            and exists (
                select 1
                from knowledge_graph one join knowledge_graph other on other.subject = one.object
                where one.subject = edge_embeddings.subject and one.predicate in ('uses', 'depends_on')
                  and other.object = edge_embeddings.object and other.predicate = 'depends_on'
                  and not one.derived and not other.derived))
        """
    )
    if load_vec(connection):
        for table, key, index in INDEXES.values():
            if _exists(connection, index):
                connection.execute(f"delete from {index} where {key} not in (select {key} from {table})")


def drop_vectors(connection: Connection) -> None:
    """Remove all vectors and their model, so that another may come."""
    for table, _, index in INDEXES.values():
        connection.execute(f"delete from {table}")
        if _exists(connection, index) and load_vec(connection):
            connection.execute(f"drop table {index}")
    connection.execute("delete from embedding_space")
    connection.execute("update dream_state set embedded = ''")


def index_vectors(connection: Connection) -> int:
    """Bring the sqlite-vec tables in line with the stored vectors; returns how many were missing there."""
    space = stored_space(connection)
    if space is None or not load_vec(connection):
        return 0
    return sum(_index(connection, kind, space.dimension) for kind in INDEXES)


def nearest(connection: Connection, kind: str, vector: bytes, k: int, max_scan: int) -> list[tuple[int, float]]:
    """The owners of the `k` vectors that lie nearest, with their cosines, the nearest first.

    Exact where sqlite-vec has indexed them; else the vectors of the `max_scan` owners that were seen last are compared.
    """
    if k <= 0 or stored_space(connection) is None:
        return []
    _, key, index = INDEXES[kind]
    if _exists(connection, index) and load_vec(connection):
        near = connection.execute(
            f"select {key}, 1 - distance from {index} where embedding match ? and k = ?", (vector, min(k, LARGEST_K))
        ).fetchall()
    else:
        rows = connection.execute(f"{_LATEST[kind]} limit ?", (max_scan,)).fetchall()
        near = cosines(vector, dict(cast(list[tuple[int, bytes]], rows))).items()
    return sorted(cast(Iterable[tuple[int, float]], near), key=lambda owner: (-owner[1], owner[0]))[:k]


def similarities(connection: Connection, kind: str, ids: Iterable[int], vector: bytes) -> dict[int, float]:
    """The cosines of those of the owners that have a vector."""
    table, key, _ = INDEXES[kind]
    found = connection.execute(
        f"select {key}, vector from json_each(?) asked join {table} on {key} = asked.value", (json.dumps(list(ids)),)
    )
    return cosines(vector, dict(cast(list[tuple[int, bytes]], found.fetchall())))


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


def _vectors_of(connection: Connection, kind: str, texts: Sequence[tuple[str, int, int]]) -> list[OwnedVector]:
    table, key, _ = INDEXES[kind]
    text = "text" if kind == "edge" else "''"
    digests = {owner: digest for _, owner, digest in texts}
    found = connection.execute(
        f"""
        select {key}, text_digest, {text}, vector
        from {table}
        where {key} in (select value from json_each(?))
        order by {key}
        """,
        (json.dumps(list(digests)),),
    )
    return [
        OwnedVector(kind, owner, digest, words, vector)
        for owner, digest, words, vector in found
        if digests[owner] == digest
    ]


def _keep(connection: Connection, kind: str, rows: Iterable[OwnedVector]) -> None:
    table, key, index = INDEXES[kind]
    if _exists(connection, index) and load_vec(connection):
        connection.executemany(f"delete from {index} where {key} = ?", [(row.owner,) for row in rows])
    if kind == "edge":
        connection.executemany(
            "insert or replace into edge_embeddings values (?, ?, ?, ?, ?, ?)",
            [(row.owner, row.text, *_ends(row.text), row.text_digest, row.vector) for row in rows],
        )
        return
    owners = "chunks" if kind == "chunk" else "episodes"
    connection.executemany(
        f"insert or replace into {table} select {key}, ?, ? from {owners} where {key} = ?",
        [(row.text_digest, row.vector, row.owner) for row in rows],
    )


def _ends(text: str) -> tuple[str, str]:
    """Subject and object of an edge's text, "subject predicate object"; names hold no spaces."""
    words = text.split(" ")
    return words[0], words[-1]


def _index(connection: Connection, kind: str, dimension: int) -> int:
    table, key, index = INDEXES[kind]
    if not _exists(connection, index):
        connection.execute(
            f"create virtual table {index} using vec0({key} integer primary key,"
            f" embedding float[{dimension}] distance_metric=cosine)"
        )
    connection.execute(
        f"insert into {index} ({key}, embedding) select {key}, vector from {table} where {key} not in (select {key} from {index})"
    )
    return connection.changes()


def _exists(connection: Connection, table: str) -> bool:
    return connection.execute("select 1 from sqlite_schema where name = ?", (table,)).fetchall() != []
