"""The graph: edges with their confidence and status, stated ones and those that follow from them."""

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.edges import edge_ids
from dataflows.rows import Decay, Edge, Evidence, FeedbackAct, Relation, Retraction, Tally, Value
from dataflows.tables import Table, shaped, stacked
from hymem.aliases import Aliases
from hymem.confidence import smoothed_confidence
from hymem.decay import edge_status

RESTATEMENTS_NEEDED = 2
"""So many chunks newer than a person's retraction must say an edge again before it returns."""


def last_words(feedback: Table[FeedbackAct], aliases: Aliases) -> pd.DataFrame:
    """What a person last said of each edge; of two acts of one moment, the retraction counts.

    Columns edge_id, subject, predicate, object, act, created_at.
    """
    resolved = feedback.assign(
        subject=feedback.subject.map(aliases.resolve).astype("str"),
        object=feedback.object.map(aliases.resolve).astype("str"),
    )
    words = resolved.assign(edge_id=edge_ids(resolved), retracts=resolved.act == "retract")
    ordered = words.sort_values(["edge_id", "created_at", "retracts"], kind="stable")
    named = ["edge_id", "subject", "predicate", "object", "act", "created_at"]
    return ordered.drop_duplicates("edge_id", keep="last")[named]


def standing_retractions(last_words: pd.DataFrame, evidence: Table[Evidence]) -> Table[Retraction]:
    """The edges that a person retracted and that two newer chunks have not said again."""
    retracted = last_words[last_words.act == "retract"]
    positive = evidence.loc[evidence.polarity == 1, ["edge_id", "chunk_id", "said_at"]]
    newer = positive.merge(retracted, on="edge_id").query("said_at > created_at")
    restated = newer.groupby("edge_id").chunk_id.nunique()
    returned = restated.index[restated >= RESTATEMENTS_NEEDED]
    return shaped(Retraction, retracted[~retracted.edge_id.isin(returned)])


def stated_edges(
    relations: Table[Relation],
    tallies: Table[Tally],
    edge_values: Table[Value],
    decay_windows: Table[Decay],
    standing_retractions: Table[Retraction],
    retract_threshold: float,
) -> Table[Edge]:
    """Every edge that anything was said about, with what is to be thought of it."""
    edges = relations.merge(tallies, on="edge_id").merge(edge_values, on="edge_id", how="left")
    edges = edges.merge(decay_windows, on="edge_id", how="left")
    faded = edges.decay_windows.fillna(0).astype("int64")
    against = edges.stated_negatives + faded
    confidence = smoothed_confidence(edges.pos_evidence, against)
    retracted = edges.edge_id.isin(standing_retractions.edge_id)
    judged = edges.assign(
        derived=False,
        decay_windows=faded,
        neg_evidence=against,
        confidence=confidence,
        status=edge_status(confidence, faded, retracted, retract_threshold),
        path="[]",
    )
    return shaped(Edge, judged)


@tag(table="knowledge_graph")
def knowledge_graph(stated_edges: Table[Edge], derived_edges: Table[Edge]) -> Table[Edge]:
    """All edges, by id."""
    return shaped(Edge, stacked(Edge, stated_edges, derived_edges).sort_values("edge_id"))
