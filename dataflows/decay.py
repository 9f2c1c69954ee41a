"""How edges fade: once for each later window in which their topic returned and they did not.

The time since an edge was last said is cut into decay windows. The first is a period of grace. A ubiquitous entity, one with very
many edges ("user"), is a topic only together with the edge's other end, or all that is known of it would fade at every mention.
"""

import numpy as np
import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.rows import Chunk, Decay, Evidence, Mention, Rediscussion, Relation, Tally
from dataflows.tables import Table, shaped, table
from hymem.decay import MICROSECONDS_PER_DAY, decay_window_index, is_past_grace


def ubiquitous_entities(relations: Table[Relation], graph_token_overlap_threshold: int) -> pd.Index:
    """Entities with more edges than this; they are no topic by themselves."""
    ends = pd.concat([relations.subject, relations.object])
    counted = ends.value_counts()
    return counted.index[counted > graph_token_overlap_threshold]


def topics(relations: Table[Relation], tallies: Table[Tally], ubiquitous_entities: pd.Index) -> pd.DataFrame:
    """The entities whose mention brings an edge's topic back (columns edge_id, entity, together, last_reinforced).

    `together` names the entity that must be mentioned too, where both ends are ubiquitous; it is "" elsewhere.
    """
    edges = relations.merge(tallies[["edge_id", "last_reinforced"]].dropna(), on="edge_id")
    wide_subject, wide_object = (end.isin(ubiquitous_entities) for end in (edges.subject, edges.object))
    alone, other = edges[~wide_subject], edges[~wide_object]
    both = edges[wide_subject & wide_object]
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
    """Every chunk that brought an edge's topic back after its period of grace, by edge and time.

    Columns edge_id, window, chunk_id, said_at.
    """
    said = dated_mentions.sort_values(["said_at", "chunk_id"])
    chunks = said.drop_duplicates("chunk_id")
    edges = topics.drop_duplicates("edge_id").sort_values("edge_id")
    moment = chunks.said_at.to_numpy().astype("int64")
    reinforced = edges.last_reinforced.to_numpy().astype("int64")
    width = max(1, round(decay_window_days * MICROSECONDS_PER_DAY))
    # numbers in place of ids and names: edges by id, chunks by time
    edge, chunk = _met(
        topics.assign(edge=pd.Index(edges.edge_id).get_indexer(pd.Index(topics.edge_id))),
        said.assign(chunk=pd.factorize(said.chunk_id)[0]),
    )
    late = is_past_grace(decay_window_index(reinforced[edge], moment[chunk], width))
    edge, chunk = np.divmod(_distinct(edge[late] * len(chunks) + chunk[late]), max(1, len(chunks)))
    return pd.DataFrame(
        {
            "edge_id": edges.edge_id.to_numpy()[edge],
            "window": decay_window_index(reinforced[edge], moment[chunk], width),
            "chunk_id": chunks.chunk_id.to_numpy()[chunk],
            "said_at": chunks.said_at.to_numpy()[chunk],
        }
    )


@tag(table="rediscussions")
def rediscussions(returned_topics: pd.DataFrame, evidence: Table[Evidence]) -> Table[Rediscussion]:
    """The decay windows of each edge, each with the first chunk that brought up the topic and said nothing of the edge."""
    spoken = evidence[["edge_id", "chunk_id"]].drop_duplicates().assign(spoken=True)
    silent = returned_topics.merge(spoken, on=["edge_id", "chunk_id"], how="left").query("spoken.isna()")
    return shaped(Rediscussion, silent.drop_duplicates(["edge_id", "window"]))


def decay_windows(rediscussions: Table[Rediscussion]) -> Table[Decay]:
    """How many windows count against each edge."""
    if rediscussions.empty:
        return table(Decay)
    return shaped(Decay, rediscussions.groupby("edge_id", as_index=False).agg(decay_windows=("window", "size")))


def _met(topics: pd.DataFrame, said: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Every edge with every chunk that mentions its topic: their numbers, in columns `edge` and `chunk` of what comes in."""
    entities = pd.Index(said.entity.unique())
    mentions = pd.DataFrame({"entity": entities.get_indexer(pd.Index(said.entity)), "chunk": said.chunk})
    about = pd.DataFrame(
        {
            "edge": topics.edge,
            "entity": entities.get_indexer(pd.Index(topics.entity)),
            "together": entities.get_indexer(pd.Index(topics.together)),
        }
    )
    alone, pairs = about[topics.together == ""], about[topics.together != ""]
    # the few names of a chunk are paired, not the many chunks of a name
    ones = mentions[mentions.entity.isin(pairs.entity)]
    others = mentions[mentions.entity.isin(pairs.together)].rename(columns={"entity": "together"})
    met = [alone.merge(mentions, on="entity"), pairs.merge(ones.merge(others, on="chunk"), on=["entity", "together"])]
    edge, chunk = (np.concatenate([part[name].to_numpy() for part in met]) for name in ("edge", "chunk"))
    return edge, chunk


def _distinct(numbers: np.ndarray) -> np.ndarray:
    """The numbers in order, each once; `numpy.unique` hashes first, and takes ten times as long."""
    ordered = np.sort(numbers)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
