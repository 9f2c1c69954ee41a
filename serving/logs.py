"""A server's log: one line for each event, for people or, as JSON, for programs; never what was said, nor who is let in."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final

from hymem.redaction import redacted

_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


def configure_logs(*, as_json: bool = False, level: int = logging.INFO) -> None:
    """Write everything from `level` on to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if as_json else PlainLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("httpx", "httpcore", "openai", "pypdf"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


class JsonLines(logging.Formatter):
    """Each event an object: time, level, logger, message, what the event carries beside, and the trace of an error."""

    def format(self, record: logging.LogRecord) -> str:
        """The event on one line."""
        told: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redacted(record.getMessage()),
            **_beside(record),
        }
        if record.exc_info:
            told["trace"] = redacted(self.formatException(record.exc_info))
        return json.dumps(told, default=str)


class PlainLines(logging.Formatter):
    """Each event a line: time, level, message, and what the event carries beside."""

    def format(self, record: logging.LogRecord) -> str:
        """The event, with the trace of an error below it."""
        beside = "".join(f" {name}={value}" for name, value in _beside(record).items())
        line = f"{_time(record)} {record.levelname.lower():7} {redacted(record.getMessage())}{beside}"
        line = "".join(sign if sign.isprintable() else " " for sign in line)
        return f"{line}\n{redacted(self.formatException(record.exc_info))}" if record.exc_info else line


def _beside(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
