from datetime import UTC, date, datetime, timedelta, timezone

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import InputError
from hymem.times import format_time, from_microseconds, microseconds, parse_as_of, parse_time, to_datetime

MOMENTS = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("2025-03-01T09:30:00Z", "2025-03-01T09:30:00.000000Z"),
        (" 2025-03-01t09:30:00z ", "2025-03-01T09:30:00.000000Z"),
        ("2025-03-01 10:30+01:00", "2025-03-01T09:30:00.000000Z"),
        ("2025-03-01T10:30:00.5+0100", "2025-03-01T09:30:00.500000Z"),
        ("2025-03-01T10:30:00,123456789 +01", "2025-03-01T09:30:00.123456Z"),
        ("2025-03-01 09:30:00 UTC", "2025-03-01T09:30:00.000000Z"),
        ("2020-02-02T02:02:02+09:00", "2020-02-01T17:02:02.000000Z"),
        ("2025-03-01", "2025-03-01T00:00:00.000000Z"),
        ("0001-01-01T00:00:00", "0001-01-01T00:00:00.000000Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        (date(2025, 3, 1), "2025-03-01T00:00:00.000000Z"),
        (datetime(2025, 3, 1, 9, 30), "2025-03-01T09:30:00.000000Z"),
        (datetime(2025, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=-5))), "2025-03-01T14:30:00.000000Z"),
        (pd.Timestamp("2025-03-01T09:30:00.000000001Z"), "2025-03-01T09:30:00.000000Z"),
        (0, "1970-01-01T00:00:00.000000Z"),
        (-1, "1969-12-31T23:59:59.000000Z"),
        (-0.25, "1969-12-31T23:59:59.750000Z"),
        (1_740_821_400.5, "2025-03-01T09:30:00.500000Z"),
    ],
)
def test_a_moment_has_one_text_however_it_is_written(written: str | date | float, text: str):
    assert parse_time(written) == text


@pytest.mark.parametrize(
    "garbage",
    [
        "", "yesterday", "2025-02-30", "2025-03-01T25:00", "2025-03-01T09", "20250301", "1740821400", "0000-01-01",
        "2025-03-01T09:30:00+24:00", "2025-03-01T09:30:00+01:60", "2025-03-01Z", "２０２５-03-01", "2025-03-01x09:30",
        "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "2025-03-01T09:30:00\x00",
        True, float("nan"), float("inf"), -1e300, 10**400, 1_740_821_400_000, None, pd.NaT, b"2025-03-01", [2025],
    ],
)  # fmt: skip
def test_what_is_no_moment_is_refused_with_an_example(garbage):
    with pytest.raises(InputError, match="2025-03-01T09:30:00Z"):
        parse_time(garbage)


def test_no_time_is_the_default_where_there_is_one():
    assert parse_time(None, default="2025-03-01T09:30:00.000000Z") == "2025-03-01T09:30:00.000000Z"


@given(MOMENTS)
def test_a_moment_comes_back_from_its_text_and_from_its_microseconds(moment: datetime):
    text = format_time(moment)

    assert to_datetime(text) == moment
    assert parse_time(text) == from_microseconds(microseconds(text)) == text
    assert len(text) == 27


@given(MOMENTS, MOMENTS)
def test_the_order_of_texts_is_the_order_of_moments(one: datetime, other: datetime):
    assert (format_time(one) < format_time(other)) == (one < other)
    assert microseconds(format_time(other)) - microseconds(format_time(one)) == (other - one) // timedelta(
        microseconds=1
    )


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)), st.integers(-1439, 1439))
def test_the_zone_in_which_a_moment_is_written_does_not_matter(moment: datetime, minutes: int):
    local = moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=minutes)))

    assert parse_time(local) == parse_time(local.isoformat()) == format_time(moment)


@given(st.text() | st.floats() | st.integers())
def test_anything_else_is_read_or_refused(value: str | float):
    try:
        assert len(parse_time(value)) == 27
    except InputError as error:
        assert "cannot read the time" in str(error)
    with pytest.raises(InputError):
        from_microseconds(10**18)


@pytest.mark.parametrize(
    ("named", "moment"),
    [
        ("2025-02-28", "2025-02-28T23:59:59.999999Z"),
        (date(2025, 2, 28), "2025-02-28T23:59:59.999999Z"),
        ("2025-02-28T10:00+02:00", "2025-02-28T08:00:00.000000Z"),
        (datetime(2025, 2, 28, 8, tzinfo=UTC), "2025-02-28T08:00:00.000000Z"),
        (0, "1970-01-01T00:00:00.000000Z"),
        ("2025-03-01", None),
        (None, None),
    ],
    ids=str,
)
def test_looking_back_a_day_is_meant_to_its_end_and_today_is_now(named: object, moment: str | None):
    assert parse_as_of(named, now="2025-03-01T12:00:00.000000Z") == moment  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("named", ["2025-03-02", "2025-03-01T12:00:01Z", "tomorrow", "2025-02-30", True], ids=str)
def test_nobody_looks_back_from_ahead(named: object):
    with pytest.raises(InputError):
        parse_as_of(named, now="2025-03-01T12:00:00.000000Z")  # pyright: ignore[reportArgumentType]
