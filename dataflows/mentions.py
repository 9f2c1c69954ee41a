"""Which chunks mention which entities: the index by which decay knows that a topic returned.

New chunks are searched for every name, old chunks for new names only.
"""

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.rows import Chunk, EntityName, FoundName, KnownName, Mention
from dataflows.tables import Table, shaped, stacked, table, texts
from hymem.mentions import NameFinder


def new_names(entity_names: Table[EntityName], carried_names: Table[KnownName]) -> list[str]:
    """The names that earlier dreams did not search for."""
    return entity_names.name[~entity_names.name.isin(carried_names.name)].tolist()


def names_in_new_chunks(
    chunks: Table[Chunk], carried_chunks: Table[Chunk], entity_names: Table[EntityName]
) -> Table[FoundName]:
    """Every name in the chunks that earlier dreams did not search."""
    return _found(chunks[~chunks.chunk_id.isin(carried_chunks.chunk_id)], entity_names.name.tolist())


def new_names_in_old_chunks(
    chunks: Table[Chunk], carried_chunks: Table[Chunk], new_names: list[str]
) -> Table[FoundName]:
    """New names in the chunks that earlier dreams searched without them."""
    return _found(chunks[chunks.chunk_id.isin(carried_chunks.chunk_id)], new_names)


@tag(table="entity_mentions")
def entity_mentions(
    carried_mentions: Table[FoundName],
    names_in_new_chunks: Table[FoundName],
    new_names_in_old_chunks: Table[FoundName],
    entity_names: Table[EntityName],
    chunks: Table[Chunk],
) -> Table[Mention]:
    """Which chunk mentions which entity, by which of its names."""
    found = stacked(FoundName, carried_mentions, names_in_new_chunks, new_names_in_old_chunks)
    found = found[found.chunk_id.isin(chunks.chunk_id)].drop_duplicates()
    named = found.merge(entity_names, on="name").sort_values(["chunk_id", "name"])
    return shaped(Mention, named)


def _found(chunks: pd.DataFrame, names: list[str]) -> Table[FoundName]:
    if not names or chunks.empty:
        return table(FoundName)
    finder = NameFinder(names)
    said = zip(chunks.chunk_id, texts(chunks.context), texts(chunks.text), strict=True)
    return table(
        FoundName,
        [
            (chunk, name)
            for chunk, context, text in said
            for name in finder.find(text) | (finder.find(context) if context else set())
        ],
    )
