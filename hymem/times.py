"""Moments as text: ISO-8601 in UTC, of one fixed width.

`2025-03-01T09:30:00.000000Z`. As every stored time has this shape, text order is time order, for SQLite as for
Python, and two spellings of one moment are one. A time without a zone is taken as UTC, a date as its midnight.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final

from hymem.errors import InputError

Moment = str | date | float
"""A moment however it was written: text, a date or datetime, seconds since 1970."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_FIRST_SECOND: Final = -62_135_596_800  # 0001-01-01
_LAST_SECOND: Final = 253_402_300_800  # 10000-01-01
_ACCEPTED: Final = "write it as 2025-03-01T09:30:00Z, 2025-03-01 09:30+01:00, 2025-03-01, or seconds since 1970"
_ISO: Final = re.compile(
    r"""\s* (?P<day> [0-9]{4}-[0-9]{2}-[0-9]{2} )
    (?: (?:T|\s+) (?P<hour>[0-9]{2}) : (?P<minute>[0-9]{2})
        (?: : (?P<second>[0-9]{2}) (?: [.,] (?P<fraction>[0-9]+) )? )?
        \s* (?: Z | UTC | (?P<sign>[+-]) (?P<offset_hour>[0-9]{2}) :? (?P<offset_minute>[0-5][0-9])? )?
    )? \s*""",
    re.VERBOSE | re.IGNORECASE,
)
_UTC_TEXT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{6})?Z")


def wall_clock() -> str:
    """The present moment; the one place where the library reads a clock by itself."""
    return format_time(datetime.now(UTC))


def parse_time(value: Moment | None, default: str | None = None) -> str:
    """The fixed-width UTC text of a moment, however it was written.

    Takes ISO-8601 text, a datetime or date, or seconds since 1970; years 1 to 9999; digits beyond the microsecond are
    cut off. None gives `default`. Raises `InputError` for anything else.
    """
    if value is None and default is not None:
        return default
    if isinstance(value, str) and (found := _UTC_TEXT.fullmatch(value)) and _is_day(value[:10]):
        return value if found[1] else f"{value[:19]}.000000Z"  # as most logs write it
    return format_time(_moment(value))


def parse_as_of(value: Moment | None, now: str) -> str | None:
    """The moment up to which to look back: the one that is named, or the end of a day; None for the present day, and for None.

    Raises `InputError` for what is no moment, and for the future.
    """
    day = _day(value)
    if value is None or day == now[:10]:
        return None
    moment = parse_time(value) if day is None else f"{day}T23:59:59.999999Z"
    if moment <= now:
        return moment
    raise InputError(f"nobody can tell memory as of {str(value)[:60]!r}: it lies ahead; name a day up to {now[:10]}")


def _day(value: object) -> str | None:
    """The day that a value names without a time of day."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    found = _ISO.fullmatch(value) if isinstance(value, str) else None
    return parse_time(found["day"])[:10] if found and found["hour"] is None else None


def format_time(moment: datetime) -> str:
    """`moment` as fixed-width UTC text; a moment without a zone is taken as UTC."""
    try:
        utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise _refused(moment, "in UTC it lies outside the years 1 to 9999") from None
    return utc.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def to_datetime(text: str) -> datetime:
    """The moment as a datetime in UTC."""
    return datetime.fromisoformat(parse_time(text))


def microseconds(text: str) -> int:
    """Microseconds from 1970 to the moment, exactly; negative before."""
    return (to_datetime(text) - EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> str:
    """The text of the moment `count` microseconds after 1970: the inverse of `microseconds`."""
    try:
        return format_time(EPOCH + timedelta(microseconds=count))
    except OverflowError:
        raise _refused(count, "it lies outside the years 1 to 9999") from None


def _moment(value: Moment | None) -> datetime:
    if value != value:  # NaN, and pandas' NaT, which is a datetime
        raise _refused(value, "it is no moment")
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_seconds(value)
    raise _refused(value, "it is neither text, nor a date, nor a number")


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _from_seconds(value: float) -> datetime:
    if not _FIRST_SECOND <= value < _LAST_SECOND:
        raise _refused(value, "it lies outside the years 1 to 9999, or counts milliseconds")
    whole, fraction = divmod(value, 1)
    try:
        return EPOCH + timedelta(seconds=int(whole), microseconds=round(fraction * 1_000_000))
    except OverflowError:
        raise _refused(value, "it lies outside the years 1 to 9999") from None


def _from_text(text: str) -> datetime:
    found = _ISO.fullmatch(text)
    if found is None:
        raise _refused(text, "it is not an ISO-8601 time")
    try:
        day = date.fromisoformat(found["day"])
        clock = time(int(found["hour"] or 0), int(found["minute"] or 0), int(found["second"] or 0), _micros(found))
        return datetime.combine(day, clock, _zone(found))
    except ValueError as error:
        raise _refused(text, str(error)) from None


def _micros(found: re.Match[str]) -> int:
    return int((found["fraction"] or "0")[:6].ljust(6, "0"))


def _zone(found: re.Match[str]) -> timezone:
    if found["sign"] is None:
        return UTC
    offset = timedelta(hours=int(found["offset_hour"]), minutes=int(found["offset_minute"] or 0))
    return timezone(-offset if found["sign"] == "-" else offset)


def _refused(value: object, reason: str) -> InputError:
    return InputError(f"cannot read the time {str(value)[:60]!r}: {reason}; {_ACCEPTED}")
