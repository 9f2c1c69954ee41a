"""From surface forms to entities: one canonical name for each, and the aliases that people and usage give it."""

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.edges import edge_ids
from dataflows.rows import AliasAct, CanonicalTriple, Chunk, EntityName, EntityType, Triple, TypeClaim
from dataflows.tables import Table, frame, shaped, table
from hymem.aliases import Aliases
from hymem.canonical import canonical_or_none
from hymem.vocabulary import FIRST_PERSON


def aliases(alias_acts: Table[AliasAct]) -> Aliases:
    """Which name leads to which entity, from what people said, in their order."""
    return Aliases.replay(alias_acts.itertuples(index=False, name=None))


def attributed_triples(extracted_triples: Table[Triple], chunks: Table[Chunk]) -> pd.DataFrame:
    """The triples with the time of their chunk, the first person replaced by the peer who spoke."""
    said = extracted_triples.merge(chunks[["chunk_id", "peer_id", "said_at"]], on="chunk_id")
    return said.assign(
        subject=said.subject.mask(said.subject.str.casefold().isin(FIRST_PERSON), said.peer_id),
        object=said.object.mask(said.object.str.casefold().isin(FIRST_PERSON), said.peer_id),
    )


def canonical_names(attributed_triples: pd.DataFrame, type_claims: Table[TypeClaim]) -> dict[str, str]:
    """The canonical name of every surface form that has one."""
    surfaces = pd.concat([attributed_triples.subject, attributed_triples.object, type_claims.name])
    named = ((surface, canonical_or_none(surface)) for surface in surfaces.unique())
    return {surface: name for surface, name in named if name is not None}


def entities(canonical_names: dict[str, str], aliases: Aliases) -> dict[str, str]:
    """The entity behind every surface form."""
    return {surface: aliases.resolve(name) for surface, name in canonical_names.items()}


def canonical_triples(attributed_triples: pd.DataFrame, entities: dict[str, str]) -> Table[CanonicalTriple]:
    """The triples between entities; those with a nameless end, or with both ends the same, are dropped."""
    named = attributed_triples.assign(
        subject=attributed_triples.subject.map(entities).astype("str"),
        object=attributed_triples.object.map(entities).astype("str"),
    )
    named = named[named.subject.notna() & named.object.notna() & (named.subject != named.object)]
    return shaped(CanonicalTriple, named.assign(edge_id=edge_ids(named)))


@tag(table="entity_names")
def entity_names(
    canonical_triples: Table[CanonicalTriple], canonical_names: dict[str, str], aliases: Aliases
) -> Table[EntityName]:
    """Every name by which an entity of the graph is known, its aliases included."""
    used = set(canonical_triples.subject.unique()) | set(canonical_triples.object.unique())
    known = {name: aliases.resolve(name) for name in canonical_names.values()}
    known = {name: entity for name, entity in known.items() if entity in used}
    known |= {alias: entity for alias, entity in aliases.roots.items() if entity in used} | {
        name: name for name in used
    }
    return frame(EntityName, {"name": sorted(known), "entity": [known[name] for name in sorted(known)]})


@tag(table="entity_types")
def entity_types(type_claims: Table[TypeClaim], entities: dict[str, str]) -> Table[EntityType]:
    """What kind of thing each entity is: what most chunks say, the first in the alphabet where they are even."""
    claims = type_claims.assign(entity=type_claims.name.map(entities).astype("str"))
    claims = claims[claims.entity.notna()].drop_duplicates(["chunk_id", "entity", "type"])
    if claims.empty:
        return table(EntityType)
    votes = claims.groupby(["entity", "type"], as_index=False).size()
    votes = votes.sort_values(["entity", "size", "type"], ascending=[True, False, True], kind="stable")
    return shaped(EntityType, votes.drop_duplicates("entity").assign(source="extraction"))
