import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from dataflows.materialization import FrameRows, changed_rows, row_digests
from dataflows.rows import Mention, Value
from dataflows.tables import table
from tests.support.frames import day


def rows_of(frame: pd.DataFrame) -> FrameRows:
    return changed_rows({"a_table": frame})["a_table"]


def test_a_frame_becomes_rows_of_plain_values():
    rows = rows_of(
        pd.DataFrame(
            {
                "number": [1, 1 << 62],
                "share": [0.5, np.nan],
                "sure": [True, False],
                "note": pd.Series(["a", None], dtype="str"),
                "at": pd.Series([day(0.5), pd.NaT], dtype="datetime64[us]"),
            }
        )
    )

    assert rows.columns == ("number", "share", "sure", "note", "at")
    found = rows.rows([0, 1])
    assert found == [(1, 0.5, 1, "a", "2026-01-01T12:00:00.000000Z"), (1 << 62, None, 0, None, None)]
    assert {type(value) for row in found for value in row} == {int, float, str, type(None)}


def test_only_the_rows_that_are_asked_for_are_given():
    rows = rows_of(table(Mention, [(1, "a", "x"), (2, "b", "y"), (3, "c", "z")]))

    assert rows.rows([2, 0]) == [(3, "c", "z"), (1, "a", "x")]
    assert len(rows.digests) == 3


MENTIONS = st.lists(st.tuples(st.integers(0, 2**62), st.text(max_size=5), st.text(max_size=5)), max_size=8)


@given(MENTIONS)
def test_equal_rows_have_equal_digests_and_others_do_not(rows: list[tuple[int, str, str]]):
    digests = row_digests(table(Mention, rows)).tolist()

    assert len(set(digests)) == len(set(rows))
    assert dict(zip(rows, digests, strict=True)) == {
        row: row_digests(table(Mention, [row])).tolist()[0] for row in rows
    }


def test_a_digest_is_the_same_on_every_machine():
    digests = row_digests(table(Value, [(1, "≥ 15", 15.0, None, "since March")]))

    assert digests.tolist() == [-516884064045047853]


def test_digests_fit_into_a_signed_integer():
    digests = row_digests(table(Mention, [(n, "a", "b") for n in range(100)]))

    assert digests.dtype == "int64"
    assert (digests < 0).any() and (digests > 0).any()


def test_an_empty_frame_has_columns_and_no_rows():
    rows = rows_of(table(Mention))

    assert (rows.columns, rows.rows([]), rows.digests) == (("chunk_id", "name", "entity"), [], [])
