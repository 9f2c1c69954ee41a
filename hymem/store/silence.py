"""Silent chunks: turns that are searched and never read by a model."""

from hymem.store.connection import Connection, Row


def unembedded_silence(connection: Connection) -> list[Row]:
    """Kind, id and text of the silent chunks that have no vector."""
    return connection.execute(
        """
        select 'chunk', chunk_id, text
        from chunks
        where salience_reason = '' and chunk_id not in (select chunk_id from chunk_embeddings)
        order by chunk_id
        """
    ).fetchall()
