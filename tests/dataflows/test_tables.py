from typing import Any

import pandas as pd
import pytest
from hamilton import driver
from hamilton.ad_hoc_utils import create_temporary_module

from dataflows import rows, tables
from dataflows.checks import SchemaCheck
from dataflows.rows import Chunk, Mention, OptionalNumber, OptionalText, OptionalTime, Time
from dataflows.tables import Table, columns, frame, has_shape, shaped, stacked, table
from tests.support.frames import day, told

ROWS = [kind for kind in vars(rows).values() if isinstance(kind, type) and kind.__module__ == rows.__name__]
SHAPES = [kind for kind in ROWS if kind.__annotations__]


class Reading:
    number: int
    share: OptionalNumber
    sure: bool
    words: str
    note: OptionalText
    said_at: Time
    until: OptionalTime


ONE = (1, None, True, "a", None, "2026-01-02T00:00:00.000000Z", None)


@pytest.mark.parametrize("row", SHAPES, ids=lambda row: row.__name__)
def test_an_empty_table_has_the_shape_of_a_full_one(row: type):
    assert has_shape(row, table(row))


def test_rows_become_columns_of_their_types():
    made = table(Reading, [ONE])

    assert has_shape(Reading, made)
    assert made.said_at.tolist() == [day(1)]
    assert [name for name in made if made[name].isna().all()] == ["share", "note", "until"]


def test_rows_of_unequal_length_are_refused():
    with pytest.raises(ValueError):
        table(Reading, [ONE, ONE[:-1]])


def test_a_missing_column_is_refused():
    with pytest.raises(KeyError):
        frame(Mention, {"chunk_id": [1], "name": ["a"]})


def test_shaping_keeps_the_columns_of_the_table_in_their_order_numbered_from_zero():
    loose = pd.DataFrame({"entity": ["x"], "other": [0], "name": ["a"], "chunk_id": [1]}, index=[7])

    made = shaped(Mention, loose)

    assert has_shape(Mention, made)
    assert told(made.reset_index()) == [(0, 1, "a", "x")]


def test_an_id_that_became_a_float_is_refused():
    with pytest.raises(TypeError, match="chunk_id"):
        shaped(Mention, table(Mention, [(1 << 62, "a", "x")]).astype({"chunk_id": "float64"}))


def test_a_stack_of_nothing_is_an_empty_table():
    assert has_shape(Mention, stacked(Mention, table(Mention), table(Mention)))


def test_tables_are_stacked_one_below_the_other():
    below = stacked(Mention, table(Mention, [(1, "a", "x")]), table(Mention), table(Mention, [(2, "b", "y")]))

    assert told(below) == [(1, "a", "x"), (2, "b", "y")]


@pytest.mark.parametrize(
    "other",
    [
        None,
        [(1, "a", "x")],
        table(Mention)[["chunk_id", "name"]],
        table(Mention).astype({"chunk_id": "float64"}),
        table(Mention).assign(more=1),
    ],
    ids=["nothing", "no frame", "a column less", "another dtype", "a column more"],
)
def test_what_differs_in_a_column_or_a_dtype_has_another_shape(other: Any):
    assert not has_shape(Mention, other)


def test_the_order_of_columns_is_no_part_of_the_shape():
    assert has_shape(Mention, table(Mention)[["name", "entity", "chunk_id"]])


def honest() -> Table[Mention]:
    """Gives what it promises."""
    return table(Mention)


def forgetful() -> Table[Mention]:
    """Leaves out a column."""
    return shaped(Mention, table(Mention))[["chunk_id", "name"]]  # type: ignore[return-value]


def converted() -> Table[Chunk]:
    """Gives another dtype."""
    return table(Chunk).astype({"chunk_id": "float64"})  # type: ignore[return-value]


def untyped() -> pd.DataFrame:
    """Promises nothing about its columns."""
    return pd.DataFrame()


@pytest.fixture
def checked() -> driver.Driver:
    module = create_temporary_module(honest, forgetful, converted, untyped)
    return driver.Builder().with_modules(module).with_adapters(SchemaCheck()).build()


@pytest.mark.parametrize("node", ["forgetful", "converted"])
def test_a_node_that_breaks_its_promise_is_named(checked: driver.Driver, node: str):
    with pytest.raises(TypeError, match=f"{node} promises .*chunk_id"):
        checked.execute([node])


def test_nodes_that_keep_their_promise_pass(checked: driver.Driver):
    assert checked.execute(["honest", "untyped"]).keys() == {"honest", "untyped"}


def test_every_shape_uses_known_types():
    assert {dtype for row in SHAPES for dtype in columns(row).values()} == set(tables.DTYPES.values())
