"""How edges fade: once for each later window in which their topic returned and they did not.

The time since an edge was last said is cut into windows. The first is a period of grace. An entity with very many edges
("user") is a topic only together with the edge's other end, or everything known of it would fade at every mention.
"""

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.tables import (
    Chunk,
    Decay,
    Evidence,
    Mention,
    Rediscussion,
    Relation,
    Table,
    Tally,
    shaped,
    table,
)
from hymem.decay import MICROSECONDS_PER_DAY, decay_window_index, is_past_grace


def hubs(relations: Table[Relation], graph_token_overlap_threshold: int) -> pd.Index:
    """Entities with more edges than this; they are no topic by themselves."""
    ends = pd.concat([relations.subject, relations.object])
    counted = ends.value_counts()
    return counted.index[counted > graph_token_overlap_threshold]


def topics(relations: Table[Relation], tallies: Table[Tally], hubs: pd.Index) -> pd.DataFrame:
    """The entities whose mention brings an edge's topic back (columns edge_id, entity, together, last_reinforced).

    `together` names the entity that must be mentioned too, where both ends are hubs; it is "" elsewhere.
    """
    edges = relations.merge(tallies[["edge_id", "last_reinforced"]].dropna(), on="edge_id")
    hub_subject, hub_object = edges.subject.isin(hubs), edges.object.isin(hubs)
    alone, other = edges[~hub_subject], edges[~hub_object]
    both = edges[hub_subject & hub_object]
    named = [
        alone.assign(entity=alone.subject, together=""),
        other.assign(entity=other.object, together=""),
        both.assign(entity=both.subject, together=both.object),
    ]
    return pd.concat(named, ignore_index=True)[["edge_id", "entity", "together", "last_reinforced"]]


def dated_mentions(entity_mentions: Table[Mention], chunks: Table[Chunk], now: pd.Timestamp) -> pd.DataFrame:
    """When which chunk mentioned which entity, up to now (columns entity, chunk_id, said_at)."""
    dated = (
        entity_mentions[["entity", "chunk_id"]].drop_duplicates().merge(chunks[["chunk_id", "said_at"]], on="chunk_id")
    )
    return dated[dated.said_at <= now]


def returned_topics(topics: pd.DataFrame, dated_mentions: pd.DataFrame, decay_window_days: float) -> pd.DataFrame:
    """Every chunk that brought an edge's topic back after its period of grace (columns edge_id, window, chunk_id, said_at)."""
    entities = pd.Index(dated_mentions.entity.unique())
    said = dated_mentions.assign(entity=entities.get_indexer(dated_mentions.entity))
    about = topics.assign(entity=entities.get_indexer(topics.entity), together=entities.get_indexer(topics.together))
    alone = topics.together == ""
    met = pd.concat([about[alone].merge(said, on="entity"), _met_together(about[~alone], said)], ignore_index=True)
    width = max(1, round(decay_window_days * MICROSECONDS_PER_DAY))
    window = decay_window_index(
        met.last_reinforced.to_numpy().astype("int64"), met.said_at.to_numpy().astype("int64"), width
    )
    late = met.assign(window=window)[is_past_grace(window)]
    return late[["edge_id", "window", "chunk_id", "said_at"]].drop_duplicates(["edge_id", "chunk_id"])


@tag(table="rediscussions")
def rediscussions(returned_topics: pd.DataFrame, evidence: Table[Evidence]) -> Table[Rediscussion]:
    """The decay windows of each edge, each with the first chunk that brought up the topic and said nothing of the edge."""
    if returned_topics.empty:
        return table(Rediscussion)
    spoken = evidence[["edge_id", "chunk_id"]].drop_duplicates().assign(spoken=True)
    silent = returned_topics.merge(spoken, on=["edge_id", "chunk_id"], how="left").query("spoken.isna()")
    ordered = silent.sort_values(["edge_id", "window", "said_at", "chunk_id"])
    return shaped(Rediscussion, ordered.drop_duplicates(["edge_id", "window"]))


def decay_windows(rediscussions: Table[Rediscussion]) -> Table[Decay]:
    """How many windows count against each edge."""
    if rediscussions.empty:
        return table(Decay)
    return shaped(Decay, rediscussions.groupby("edge_id", as_index=False).agg(decay_windows=("window", "size")))


def _met_together(pairs: pd.DataFrame, said: pd.DataFrame) -> pd.DataFrame:
    """The chunks that mention both ends of a pair; the few names of a chunk are paired, not the many chunks of a name."""
    one = said[said.entity.isin(pairs.entity)]
    other = said.loc[said.entity.isin(pairs.together), ["entity", "chunk_id"]].rename(columns={"entity": "together"})
    return pairs.merge(one.merge(other, on="chunk_id"), on=["entity", "together"])
