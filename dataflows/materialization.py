"""From frames to rows: what the store writes, each row with a digest by which the next dream knows it again."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from hymem.store.materialization import TableRows


def table_rows(frame: pd.DataFrame) -> TableRows:
    """A frame as the store takes it: columns of plain Python values, missing ones None, moments as ISO text."""
    return TableRows(tuple(frame.columns), [_plain(frame[name]) for name in frame], row_digests(frame).tolist())


def row_digests(frame: pd.DataFrame) -> np.ndarray:
    """A signed 64-bit digest of each row; equal rows have equal digests on every machine."""
    if frame.empty:
        return np.empty(0, dtype="int64")
    return pd.util.hash_pandas_object(frame, index=False).to_numpy().view("int64")


def changed_rows(tables: Mapping[str, pd.DataFrame]) -> dict[str, TableRows]:
    """All tables as the store takes them."""
    return {name: table_rows(frame) for name, frame in tables.items()}


def _plain(column: pd.Series) -> list:
    if column.dtype.kind == "M":
        text = np.char.add(np.datetime_as_string(column.to_numpy(), unit="us"), "Z").astype(object)
        return np.where(column.isna(), None, text).tolist()
    if column.dtype.kind == "b":
        return column.astype("int64").tolist()
    if column.dtype.kind == "i":
        return column.tolist()
    return column.astype(object).where(column.notna(), None).tolist()
