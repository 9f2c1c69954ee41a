"""When time alone will change what is remembered: until then, a dream over an unchanged ledger has nothing to do."""

import pandas as pd

from dataflows.tables import Chunk, Table


def changes_at(chunks: Table[Chunk], now: pd.Timestamp) -> pd.Timestamp | None:
    """The next moment at which something said in the future, as clocks go, comes to count as said."""
    coming = chunks.said_at[chunks.said_at > now]
    return None if coming.empty else coming.min()
