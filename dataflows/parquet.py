"""The graph as Parquet, for programs that read tables: edges, and entities. Types are fixed, also where there is no row."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, Literal, cast

import pyarrow as pa
import pyarrow.parquet as pq

from hymem.digests import shown
from hymem.records import Edge
from hymem.store.entities import Entity
from hymem.times import to_datetime

EDGES: Final = pa.schema(
    [
        ("edge_id", pa.string()),
        ("subject", pa.string()),
        ("predicate", pa.string()),
        ("object", pa.string()),
        ("derived", pa.bool_()),
        ("status", pa.string()),
        ("confidence", pa.float64()),
        ("pos_evidence", pa.int64()),
        ("neg_evidence", pa.int64()),
        ("decay_windows", pa.int64()),
        ("first_seen", pa.timestamp("us", "UTC")),
        ("last_seen", pa.timestamp("us", "UTC")),
        ("last_reinforced", pa.timestamp("us", "UTC")),
        ("value_text", pa.string()),
        ("value_numeric", pa.float64()),
        ("value_unit", pa.string()),
        ("temporal_scope", pa.string()),
        ("path", pa.list_(pa.string())),
    ]
)
ENTITIES: Final = pa.schema(
    [
        ("entity", pa.string()),
        ("type", pa.string()),
        ("names", pa.list_(pa.string())),
        ("facts", pa.int64()),
        ("mentions", pa.int64()),
    ]
)
_MOMENTS: Final = ("first_seen", "last_seen", "last_reinforced")


def as_parquet(kind: Literal["edges", "entities"], rows: Sequence[Edge] | Sequence[Entity]) -> bytes:
    """A Parquet file of edges or entities, a row each; ids are sixteen hexadecimal digits, moments timestamps in UTC."""
    told = [{name: _value(name, value) for name, value in asdict(row).items()} for row in rows]
    return _file(told, EDGES if kind == "edges" else ENTITIES)


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _MOMENTS:
        return to_datetime(value)
    if name == "edge_id":
        return shown(value)
    return [shown(step) for step in value] if name == "path" else value


def _file(rows: list[dict[str, Any]], schema: Any) -> bytes:
    sink = pa.BufferOutputStream()
    cast(Any, pq).write_table(pa.Table.from_pylist(rows, schema), sink, compression="zstd")
    return sink.getvalue().to_pybytes()
