"""The stored tables as frames, those that a dream fills in the very shape in which its dataflow made them."""

import typing
from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd

from dataflows.driver import build_driver
from dataflows.tables import columns, frame
from hymem.errors import InputError
from hymem.store.database import Database
from hymem.store.tables import stored_rows, table_names


def stored_frames(database: Database, names: Collection[str] = ()) -> dict[str, pd.DataFrame]:
    """The named tables, or all of them, as they are at one moment; raises `InputError` for a table that there is not."""
    shapes = {
        str(node.tags["table"]): typing.get_args(node.type)[0]
        for node in build_driver().list_available_variables(tag_filter={"table": None})
    }
    with database.reading() as connection:
        known = table_names(connection)
        if unknown := sorted(set(names) - set(known)):
            raise InputError(f"there is no table {', '.join(unknown)}: choose of {', '.join(known)}")
        wanted = [name for name in known if not names or name in names]
        return {name: _framed(*stored_rows(connection, name), shapes.get(name)) for name in wanted}


def _framed(names: Sequence[str], rows: Sequence[tuple[Any, ...]], shape: type | None) -> pd.DataFrame:
    if shape is None:
        return pd.DataFrame(rows, columns=list(names))
    values = dict(zip(names, list(zip(*rows, strict=True)) or [()] * len(names), strict=True))
    return frame(shape, {column: values[column] for column in columns(shape)})
