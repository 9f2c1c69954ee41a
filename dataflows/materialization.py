"""From frames to rows: what the store writes, each row with a digest by which the next dream knows it again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class FrameRows:
    """A frame as the store takes it; only the rows that it asks for become plain Python values."""

    frame: pd.DataFrame
    digests: list[int]
    kept: Sequence[int] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.frame.columns)

    def rows(self, numbers: Sequence[int]) -> list[tuple[Any, ...]]:
        """The rows of these numbers in plain values: missing ones None, moments as ISO text."""
        if not numbers:
            return []
        chosen = self.frame.take(numbers)
        return list(zip(*(_plain(chosen[name]) for name in chosen), strict=True))


def row_digests(frame: pd.DataFrame) -> np.ndarray:
    """A signed 64-bit digest of each row; equal rows have equal digests on every machine."""
    if frame.empty:
        return np.empty(0, dtype="int64")
    return pd.util.hash_pandas_object(frame, index=False).to_numpy().view("int64")


def changed_rows(
    tables: Mapping[str, pd.DataFrame], kept: Mapping[str, Sequence[int]] | None = None
) -> dict[str, FrameRows]:
    """All tables as the store takes them; `kept` are the digests of stored rows that stay as they are."""
    stay = kept or {}
    return {name: FrameRows(frame, row_digests(frame).tolist(), stay.get(name, ())) for name, frame in tables.items()}


def _plain(column: pd.Series) -> list:
    if column.dtype.kind == "M":
        text = np.char.add(np.datetime_as_string(column.to_numpy(), unit="us"), "Z").astype(object)
        text[column.isna().to_numpy()] = None
        return text.tolist()
    if column.dtype.kind == "b":
        return column.astype("int64").tolist()
    if column.dtype.kind == "i":
        return column.tolist()
    return column.astype(object).where(column.notna(), None).tolist()
