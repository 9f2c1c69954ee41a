"""Frames of known shape: one row class a table, checked between nodes and after each of them.

`Table[Chunk]` is a DataFrame whose columns are the annotations of `dataflows.rows.Chunk`. Hamilton compares these types when the
driver is built, so that a node cannot be wired to the wrong table, and `dataflows.checks` compares names and dtypes at run time.
"""

import typing
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, Generic, TypeVar

import numpy as np
import pandas as pd

from dataflows.rows import OptionalNumber, OptionalText, OptionalTime, Time

Row = TypeVar("Row")


class Table(pd.DataFrame, Generic[Row]):
    """A frame with one column for each annotation of `Row`."""


DTYPES: Final[dict[type, str]] = {
    int: "int64",
    float: "float64",
    bool: "bool",
    str: "str",
    Time: "datetime64[us]",
    OptionalText: "str",
    OptionalNumber: "float64",
    OptionalTime: "datetime64[us]",
}


@cache
def columns(row: type) -> Mapping[str, str]:
    """The dtype of every column of a table."""
    return {name: DTYPES[kind] for name, kind in typing.get_type_hints(row).items()}


def table(row: type[Row], rows: Iterable[Sequence[Any]] = ()) -> Table[Row]:
    """A frame of that shape from rows in its column order; moments may be ISO text."""
    wanted = columns(row)
    values = list(zip(*rows, strict=True)) or [()] * len(wanted)
    return frame(row, dict(zip(wanted, values, strict=True)))


def frame(row: type[Row], values: dict[str, Any]) -> Table[Row]:
    """A frame of that shape from its columns."""
    made = {name: _column(values[name], dtype) for name, dtype in columns(row).items()}
    return typing.cast("Table[Row]", pd.DataFrame(made))


def shaped(row: type[Row], loose: pd.DataFrame) -> Table[Row]:
    """A frame with these columns only, in their order, each of its dtype, numbered from 0.

    Raises `TypeError` where whole numbers arrive as floats: ids have 63 bits, and a float holds 53.
    """
    wanted = columns(row)
    picked = loose[list(wanted)]
    other = {name: dtype for (name, dtype), had in zip(wanted.items(), picked.dtypes, strict=True) if had != dtype}
    lossy = [name for name, dtype in other.items() if dtype == "int64" and picked[name].dtype.kind == "f"]
    if lossy:
        raise TypeError(f"{', '.join(lossy)} of {row.__name__} became floats on the way: keep whole numbers whole")
    return typing.cast("Table[Row]", (picked.astype(other) if other else picked).reset_index(drop=True))


def stacked(row: type[Row], *parts: pd.DataFrame) -> Table[Row]:
    """Frames of one shape, one below the other."""
    filled = [part for part in parts if len(part)]
    if not filled:
        return table(row)
    return shaped(row, pd.concat(filled, ignore_index=True) if len(filled) > 1 else filled[0])


def each(frame: pd.DataFrame) -> Iterator[Any]:
    """The rows of a frame as named tuples; with `itertuples`, each cell of text takes a microsecond by itself."""
    row = namedtuple("Row", frame.columns)
    columns = (texts(column) if column.dtype == "str" else column.tolist() for _, column in frame.items())
    return map(row._make, zip(*columns, strict=True))


def texts(column: pd.Series) -> np.ndarray:
    """A column of text for going through it, NaN where missing."""
    return column.to_numpy(dtype=object)


def has_shape(row: type, value: Any) -> bool:
    """Whether a value is a frame with these columns and dtypes."""
    return isinstance(value, pd.DataFrame) and {n: str(t) for n, t in value.dtypes.items()} == columns(row)


def _column(values: Any, dtype: str) -> pd.Series:
    if dtype == "datetime64[us]" and isinstance(next((value for value in values if value is not None), None), str):
        return pd.Series(np.array(["NaT" if text is None else text[:26] for text in values], dtype=dtype))
    if dtype == "str":
        return pd.Series(values, dtype="str")
    return pd.Series(np.asarray(values, dtype=dtype))
