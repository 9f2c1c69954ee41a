"""What follows: A depends on C where A depends on, or uses, what depends on C.

A derived edge bears the confidence of the strongest path, the product of the confidences along it. As no factor exceeds 1,
a path that falls below the threshold can be dropped at once, which makes the search exact and ends it on cycles.
"""

import logging
from collections import Counter

import numpy as np
import pandas as pd

from dataflows.edges import edge_ids
from dataflows.paths import Paths, strongest_paths
from dataflows.rows import Edge, Retraction
from dataflows.tables import Table, shaped, table
from hymem.confidence import is_doubtful
from hymem.decay import ACTIVE, RETRACTED, STALE

LONGEST_PATH = 6
"""Edges on a path, at most."""

DERIVED_PER_SUBJECT = 64
"""Derived edges of one subject, at most: the most confident."""

DERIVED_IN_ALL = 200_000
"""Derived edges of a graph, at most: the most confident."""

log = logging.getLogger(__name__)


def believed_edges(stated_edges: Table[Edge]) -> Table[Edge]:
    """The stated edges that conclusions may rest on: neither retracted nor doubtful."""
    doubtful = is_doubtful(stated_edges.pos_evidence, stated_edges.confidence)
    return shaped(Edge, stated_edges[(stated_edges.status != RETRACTED) & ~doubtful])


def room_for_conclusions(settled_pairs: pd.DataFrame) -> dict[str, int]:
    """How many of its strongest paths matter for each thing: as many as may become conclusions, and the settled ones."""
    settled = Counter(settled_pairs.subject)
    return {thing: count + DERIVED_PER_SUBJECT for thing, count in settled.items()}


def dependency_paths(
    believed_edges: Table[Edge], room_for_conclusions: dict[str, int], retract_threshold: float
) -> Paths:
    """The strongest paths of dependencies from each thing, as many as matter."""
    links = believed_edges[believed_edges.predicate == "depends_on"]
    return strongest_paths(links, links, retract_threshold, LONGEST_PATH, room_for_conclusions)


def paths_from_use(believed_edges: Table[Edge], retract_threshold: float) -> Paths:
    """What users of a thing depend on because the thing does: one use, then one dependency."""
    uses = believed_edges[believed_edges.predicate == "uses"]
    links = believed_edges[believed_edges.predicate == "depends_on"]
    return strongest_paths(uses, links, retract_threshold, 2)


def settled_pairs(
    stated_edges: Table[Edge], last_words: pd.DataFrame, standing_retractions: Table[Retraction]
) -> pd.DataFrame:
    """The pairs about whose dependency something was stated, or of which a person said that there is none."""
    retracted = last_words[last_words.edge_id.isin(standing_retractions.edge_id)]
    pairs = [part.loc[part.predicate == "depends_on", ["subject", "object"]] for part in (stated_edges, retracted)]
    return pd.concat(pairs, ignore_index=True)


def conclusions(dependency_paths: Paths, paths_from_use: Paths, settled_pairs: pd.DataFrame) -> pd.DataFrame:
    """One strongest path for each pair that is not settled otherwise, within the limits, most confident first.

    Columns edge_id, subject, predicate, object, confidence, paths, place: the path is number `place` of `paths`.
    """
    names = pd.Index(np.union1d(dependency_paths.names, paths_from_use.names))
    every = pd.concat([_concluded(dependency_paths, 0, names), _concluded(paths_from_use, 1, names)], ignore_index=True)
    every = every.sort_values(["confidence", "paths", "subject", "object"], ascending=[False, True, True, True])
    every = every.drop_duplicates(["subject", "object"])
    stated = settled_pairs[
        settled_pairs.subject.isin(names) & settled_pairs.object.isin(names)
    ]  # a stranger's place is -1
    known = names.get_indexer(pd.Index(stated.subject)) * len(names) + names.get_indexer(pd.Index(stated.object))
    every = every[~(every.subject * len(names) + every.object).isin(known)]
    kept = every[every.groupby("subject").cumcount() < DERIVED_PER_SUBJECT].head(DERIVED_IN_ALL)
    left_out = len(every) - len(kept) + dependency_paths.dropped
    if left_out:
        log.warning("%d conclusions were left out, or more: the least confident beyond the limits", left_out)
    named = kept.assign(
        subject=pd.Series(names[kept.subject], dtype="str", index=kept.index),
        predicate=pd.Series("depends_on", dtype="str", index=kept.index),
        object=pd.Series(names[kept.object], dtype="str", index=kept.index),
    )
    return named.assign(edge_id=edge_ids(named, derived=True))


def derived_edges(
    conclusions: pd.DataFrame, dependency_paths: Paths, paths_from_use: Paths, believed_edges: Table[Edge]
) -> Table[Edge]:
    """The conclusions as edges: as old as their youngest step, as fresh as their stalest."""
    if conclusions.empty:
        return table(Edge)
    parts = (dependency_paths, paths_from_use)
    found = [parts[which].edges(place) for which, place in zip(conclusions.paths, conclusions.place, strict=True)]
    steps = pd.DataFrame(
        {
            "derived_id": np.repeat(conclusions.edge_id.to_numpy(), [len(path) for path in found]),
            "edge_id": np.concatenate(found),
        }
    ).merge(believed_edges[["edge_id", "status", "first_seen", "last_seen"]], on="edge_id")
    seen = steps.groupby("derived_id").agg(first_seen=("first_seen", "max"), last_seen=("last_seen", "min"))
    stale = steps.derived_id[steps.status == STALE]
    edges = conclusions.assign(path=[f"[{', '.join(map(str, path))}]" for path in found])
    edges = edges.merge(seen, left_on="edge_id", right_index=True)
    return shaped(
        Edge,
        edges.assign(
            derived=True,
            status=np.where(edges.edge_id.isin(stale), STALE, ACTIVE),
            pos_evidence=0,
            neg_evidence=0,
            decay_windows=0,
            last_reinforced=np.datetime64("NaT", "us"),
            value_text=None,
            value_numeric=np.nan,
            value_unit=None,
            temporal_scope=None,
        ),
    )


def _concluded(paths: Paths, number: int, names: pd.Index) -> pd.DataFrame:
    """The pairs that a path of two edges or more joins, as places in `names`, which are in order."""
    places = np.flatnonzero(paths.length > 1)
    code = names.get_indexer(pd.Index(paths.names))
    return pd.DataFrame(
        {
            "subject": code[paths.source[places]],
            "object": code[paths.target[places]],
            "confidence": paths.confidence[places],
            "paths": number,
            "place": places,
        }
    )
