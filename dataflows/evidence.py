"""From triples to evidence: one row for each edge, chunk and polarity, however often the chunk says it.

Counters are sums over these rows and nothing else, so that no dream can count anything twice.
"""

import numpy as np
import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.edges import edge_ids
from dataflows.rows import CanonicalTriple, Chunk, Evidence, Relation, Tally, Value
from dataflows.tables import Table, shaped, stacked, table
from hymem.aliases import Aliases
from hymem.canonical import canonical_or_none

_KEY = ["edge_id", "chunk_id", "polarity"]
_VALUES = ["value_text", "value_numeric", "value_unit", "temporal_scope"]


def stated_evidence(canonical_triples: Table[CanonicalTriple]) -> Table[Evidence]:
    """What chunks say of edges in so many words; the first saying of each chunk stands for the others."""
    ordered = canonical_triples.sort_values([*_KEY, "position"], kind="stable")
    return shaped(Evidence, ordered.drop_duplicates(_KEY).assign(source="stated"))


def superseded_uses(canonical_triples: Table[CanonicalTriple], chunks: Table[Chunk], aliases: Aliases) -> pd.DataFrame:
    """Who stopped using what, by saying that another thing replaces it: the speaker, and whoever uses the other thing.

    Columns subject, predicate, object, and those of the replacing triple.
    """
    said = canonical_triples.merge(chunks[["chunk_id", "peer_id"]], on="chunk_id")
    replacing = said[(said.predicate == "replaces") & (said.polarity == 1)]
    users = said.loc[(said.predicate == "uses") & (said.polarity == 1), ["chunk_id", "subject", "object"]]
    users = users.rename(columns={"subject": "replacer", "object": "subject"})
    speakers = replacing.assign(
        replacer=[aliases.resolve(canonical_or_none(peer) or peer) for peer in replacing.peer_id]
    ).astype({"replacer": "str"})
    everyone = pd.concat([replacing.merge(users, on=["chunk_id", "subject"]), speakers], ignore_index=True)
    return everyone.assign(subject=everyone.replacer, predicate="uses").drop_duplicates(
        ["chunk_id", "subject", "predicate", "object"]
    )


def superseding_evidence(superseded_uses: pd.DataFrame, stated_evidence: Table[Evidence]) -> Table[Evidence]:
    """A replacement as evidence against the older edges that say the replaced thing is used."""
    against = superseded_uses.assign(edge_id=edge_ids(superseded_uses), polarity=-1, source="superseded")
    positive = stated_evidence[stated_evidence.polarity == 1]
    first_said = positive.groupby("edge_id", as_index=False).agg(first_said=("said_at", "min"))
    dated = against.merge(first_said, on="edge_id")
    older = dated[(dated.first_said < dated.said_at) & (dated.subject != dated.object)]
    return shaped(Evidence, older.assign(value_text=None, value_numeric=np.nan, value_unit=None, temporal_scope=None))


@tag(table="kg_evidence")
def evidence(stated_evidence: Table[Evidence], superseding_evidence: Table[Evidence]) -> Table[Evidence]:
    """Everything that speaks for or against an edge; what is stated comes before what is concluded."""
    together = stacked(Evidence, stated_evidence, superseding_evidence).drop_duplicates(_KEY, keep="first")
    return shaped(Evidence, together.sort_values(_KEY))


def relations(canonical_triples: Table[CanonicalTriple]) -> Table[Relation]:
    """Every edge that anything was said about, by id."""
    return shaped(Relation, canonical_triples.drop_duplicates("edge_id").sort_values("edge_id"))


def tallies(evidence: Table[Evidence]) -> Table[Tally]:
    """The evidence of each edge, counted, with its first, last and last positive moment."""
    if evidence.empty:
        return table(Tally)
    positive = evidence.polarity == 1
    counted = evidence.assign(
        pos_evidence=positive.astype("int64"),
        stated_negatives=(~positive).astype("int64"),
        last_reinforced=evidence.said_at.where(positive),
    )
    aggregated = counted.groupby("edge_id", as_index=False).agg(
        pos_evidence=("pos_evidence", "sum"),
        stated_negatives=("stated_negatives", "sum"),
        first_seen=("said_at", "min"),
        last_seen=("said_at", "max"),
        last_reinforced=("last_reinforced", "max"),
    )
    return shaped(Tally, aggregated)


def edge_values(evidence: Table[Evidence]) -> Table[Value]:
    """The value that the newest positive evidence with a value gives each edge."""
    valued = evidence[(evidence.polarity == 1) & evidence[_VALUES].notna().any(axis=1)]
    newest = valued.sort_values(["edge_id", "said_at", "chunk_id"]).drop_duplicates("edge_id", keep="last")
    return shaped(Value, newest)
