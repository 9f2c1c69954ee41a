"""Ids for whole columns of edges."""

import numpy as np
import pandas as pd

from hymem.digests import edge_id


def edge_ids(relations: pd.DataFrame, derived: bool = False) -> np.ndarray:
    """The id of the edge in each row (columns subject, predicate, object), each distinct edge digested once."""
    told = relations.subject + "\x00" + relations.predicate + "\x00" + relations.object
    codes, distinct = pd.factorize(told)
    edges = np.asarray(distinct, dtype=object)
    digests = np.fromiter((edge_id(*edge.split("\x00"), derived=derived) for edge in edges), dtype="int64")
    return digests[codes] if len(codes) else np.empty(0, dtype="int64")
