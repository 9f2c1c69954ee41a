import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from dataflows.materialization import FrameRows, changed_rows, row_digests
from dataflows.tables import Mention, Value, table
from tests.support.frames import day


def test_a_frame_becomes_plain_values():
    rows = FrameRows(
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
    assert rows.values == [
        [1, 1 << 62],
        [0.5, None],
        [1, 0],
        ["a", None],
        ["2026-01-01T12:00:00.000000Z", None],
    ]
    assert {type(value) for column in rows.values for value in column} == {int, float, str, type(None)}


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
    rows = changed_rows({"entity_mentions": table(Mention)})["entity_mentions"]

    assert (rows.columns, rows.values, rows.digests) == (("chunk_id", "name", "entity"), [[], [], []], [])
