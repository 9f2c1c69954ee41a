"""Vectors of chunks, edges and episodes: of one model at a time, and kept as blobs, which are the truth.

Two indexes follow from them: the signs of their numbers (`sign_blocks`), and sqlite-vec's tables where that loads
(`vec_tables`). A model that does not fit the stored vectors is refused: vectors of two models must never be compared.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from hymem.errors import ConfigError
from hymem.store.connection import Connection
from hymem.store.vec_tables import (
    INDEXES,
    add_to_vec_table,
    broken_vec_tables,
    fill_vec_table,
    forget_in_vec_table,
    has_vec_table,
)


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
    from hymem.store import sign_blocks

    refuse_other_model(connection, space.model, space.dimension)
    connection.execute("insert or ignore into embedding_space values (1, ?, ?)", (space.model, space.dimension))
    for kind in INDEXES:
        rows = [vector for vector in vectors if vector.kind == kind]
        if rows:
            _keep(connection, kind, rows)
            add_to_vec_table(connection, kind, space.dimension, [row.owner for row in rows])
    sign_blocks.fold_if_many(connection, space.dimension)


def vectors_of(connection: Connection, texts: Sequence[tuple[str, int, int]]) -> list[OwnedVector]:
    """The stored vectors of these texts (kind, owner, text digest), of those that have one."""
    return [
        vector
        for kind in INDEXES
        for vector in _vectors_of(connection, kind, [text for text in texts if text[0] == kind])
    ]


def drop_orphans(connection: Connection) -> None:
    """Remove the vectors of what is gone: of retired chunks, and of edges that are neither there nor may follow again."""
    space = stored_space(connection)
    if space is None:
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
    for kind in INDEXES:
        forget_in_vec_table(connection, kind, _gone(connection, kind))
    _fold(connection, space)


def drop_vectors(connection: Connection) -> None:
    """Remove all vectors and their model, so that another may come."""
    from hymem.store import sign_blocks

    for kind, (table, _, index) in INDEXES.items():
        connection.execute(f"delete from {table}")
        if has_vec_table(connection, kind):
            connection.execute(f"drop table {index}")
    sign_blocks.drop_blocks(connection)
    connection.execute("delete from embedding_space")
    connection.execute("update dream_state set embedded = ''")


def index_vectors(connection: Connection) -> int:
    """Bring both indexes in line with the stored vectors; returns how many sqlite-vec's tables lacked."""
    space = stored_space(connection)
    if space is None:
        return 0
    _fold(connection, space)
    return sum(fill_vec_table(connection, kind, space.dimension) for kind in INDEXES)


def broken_vector_indexes(connection: Connection) -> list[str]:
    """The indexes that do not hold what the stored vectors say, in words."""
    if stored_space(connection) is None:
        return []
    from hymem.store.sign_blocks import broken_blocks

    return [*broken_blocks(connection), *broken_vec_tables(connection)]


def rebuild_vector_indexes(connection: Connection) -> None:
    """Make both indexes anew from the stored vectors."""
    space = stored_space(connection)
    if space is None:
        return
    from hymem.store.sign_blocks import rebuild_blocks

    rebuild_blocks(connection, space.dimension)
    for kind, (_, _, index) in INDEXES.items():
        if has_vec_table(connection, kind):
            connection.execute(f"drop table {index}")
        fill_vec_table(connection, kind, space.dimension)


def _gone(connection: Connection, kind: str) -> list[int]:
    """The owners whose vectors went since the indexes were brought up to date."""
    table, key, _ = INDEXES[kind]
    found = connection.execute(
        f"select owner from vector_changes where kind = ? and owner not in (select {key} from {table})", (kind,)
    )
    return [owner for (owner,) in found]


def _fold(connection: Connection, space: Space) -> None:
    """Bring the index of signs up to date, unless it is: then numpy stays unloaded."""
    if connection.execute("select exists (select 1 from vector_changes)").fetchall() == [(1,)]:
        from hymem.store.sign_blocks import fold_changes

        fold_changes(connection, space.dimension)


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


def _keep(connection: Connection, kind: str, rows: Sequence[OwnedVector]) -> None:
    table, key, _ = INDEXES[kind]
    forget_in_vec_table(connection, kind, [row.owner for row in rows])
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
