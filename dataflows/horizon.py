"""When time alone will change what is remembered: until then, a dream over an unchanged ledger has nothing to do."""

import pandas as pd

from dataflows.rows import Chunk
from dataflows.tables import Table


def changes_at(
    chunks: Table[Chunk],
    dispensable_chunks: Table[Chunk],
    dispensable_silence: pd.DataFrame,
    retention_days: float,
    now: pd.Timestamp,
) -> pd.Timestamp | None:
    """The next moment at which something said in the future, as clocks go, counts as said, or a chunk is let go."""
    letting_go = pd.concat([dispensable_chunks.said_at, dispensable_silence.said_at])
    old_enough = letting_go + pd.Timedelta(days=retention_days) + pd.Timedelta(1, unit="us")
    coming = pd.concat([chunks.said_at, old_enough])
    coming = coming[coming > now]
    return None if coming.empty else coming.min()
