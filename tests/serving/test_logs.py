"""A server's log: read by people and by programs, and telling no secret to either."""

import json
import logging
import sys

from serving.logs import JsonLines, PlainLines


def event(message: str, **beside: object) -> logging.LogRecord:
    try:
        raise ValueError("no entry for sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD")
    except ValueError:
        error = sys.exc_info() if beside.pop("failed", False) else None
    record = logging.LogRecord("hymem.honcho", logging.WARNING, "file.py", 1, message, (), error)
    record.created = 1_780_272_000.25
    vars(record).update(beside)
    return record


def test_an_event_is_one_object_on_one_line():
    line = JsonLines().format(event("GET\n/health", status=200))

    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2026-06-01T00:00:00.250000Z",
        "level": "warning",
        "logger": "hymem.honcho",
        "message": "GET\n/health",
        "status": 200,
    }


def test_an_event_is_one_line_that_cannot_act_on_a_terminal():
    assert PlainLines().format(event("a\n\x1b[2Jb", status=200)) == (
        "2026-06-01T00:00:00.250000Z warning a  [2Jb status=200"
    )


def test_a_secret_in_a_message_or_in_an_error_is_not_logged():
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    for lines in (JsonLines(), PlainLines()):
        told = lines.format(event(f"key {secret}", failed=True))

        assert secret not in told and "ValueError" in told
