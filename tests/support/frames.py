"""Tiny frames: a test names the columns it is about, and the others have a plain value."""

from datetime import datetime, timedelta
from typing import Any, Final

import pandas as pd
from hypothesis import settings

from dataflows.tables import Row, Table, columns, frame

START: Final = datetime(2026, 1, 1)
_PLAIN: Final[dict[str, Any]] = {
    "int64": 0,
    "float64": float("nan"),
    "bool": False,
    "datetime64[us]": pd.Timestamp(START),
}
_MISSING: Final = ("value_text", "value_unit", "temporal_scope")

sparing: Final = settings(max_examples=max(10, settings().max_examples // 4))
"""For properties over frames, each example of which takes a twentieth of a second."""


def day(number: float) -> pd.Timestamp:
    """The moment so many days after the start of 2026."""
    return pd.Timestamp(START + timedelta(days=number))


def days(*numbers: float) -> list[pd.Timestamp]:
    """Several such moments."""
    return [day(number) for number in numbers]


def some(row: type[Row], **given: Any) -> Table[Row]:
    """A table with the given columns, lists or one value for all rows; the others are empty, zero or missing."""
    height = max((len(values) for values in given.values() if isinstance(values, list)), default=1)
    plain = {name: None if name in _MISSING else _PLAIN.get(dtype, "") for name, dtype in columns(row).items()}
    every = {**plain, **given}
    return frame(row, {n: values if isinstance(values, list) else [values] * height for n, values in every.items()})


def told(frame: pd.DataFrame, *names: str) -> list[tuple[Any, ...]]:
    """The rows of a frame, or some of its columns, as tuples."""
    return list(frame[list(names) or list(frame.columns)].itertuples(index=False, name=None))
