"""The envelope of an answer: a JSON object around the list that was asked for.

The JSON is read by hand, since those that call themselves compatible differ in every detail, beginning with errors that
come with status 200.
"""

import json
from collections.abc import Mapping
from typing import Any, cast

from hymem.models.trouble import GARBLED, Trouble, words_of


def opened(body: bytes, name: str, answer: str) -> dict[str, Any]:
    """The object in a response's body, which has a list of objects called `name`: choices, data.

    Raises `Trouble` where there is an error in its place, or no such list; `answer` says in words what was wanted.
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise Trouble(GARBLED, f"it answers, but not with {answer}")
    envelope = cast(dict[str, Any], content)
    listed = envelope.get(name)
    if isinstance(listed, list) and listed and isinstance(listed[0], dict):
        return envelope
    if error := envelope.get("error"):
        raise Trouble(_status_of(error), words_of(cast(object, error)) or "an error without words")
    raise Trouble(GARBLED, f"it answers, but not with {answer}")


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is a JSON object, else an empty one."""
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def _status_of(error: object) -> int:
    code = str(mapping(error).get("code") or "")
    return int(code) if code.isascii() and code.isdigit() and 400 <= int(code[:4]) < 600 else GARBLED
