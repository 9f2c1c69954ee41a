"""Finding the JSON object that was asked for in whatever a model says instead.

Models wrap their answer in fences, greetings, second thoughts and other objects. All of that is looked through. What is
not forgiven is an answer that is not whole: to take half a reply, or none, for "nothing to say" would lose facts for
ever, so everything doubtful is a `ReplyError` and is asked again.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from hymem.errors import ReplyError

Lists = dict[str, list[Any]]

_REASONING: Final = re.compile(r"\s*<(think|thinking|thought|reasoning)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_ORPHAN_END: Final = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_NOTHING: Final = re.compile(r"(?:```\w*+\s*+)?\[\s*+\]\s*+(?:```)?")
_REASONING_BEGINS: Final = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_OPENER: Final = re.compile(r"[{\[]")
_STRING_OR_LAST_COMMA: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|,(?=\s*[}\]])', re.DOTALL)
_LONGEST_INTEGER: Final = 400
"""Digits; a longer one is infinite for every purpose here, and Python refuses to read some thousands."""
_MOST_FAILURES: Final = 1000
"""Stray brackets before the answer."""


def cut_reasoning(text: str) -> str:
    """The text without the reasoning blocks it begins with; the same tags further on are somebody's words and stay."""
    while block := _REASONING.match(text):
        text = text[block.end() :]
    return text


def read_object(text: str, lists: Sequence[str]) -> Lists:
    """The named lists of the first whole JSON object in the text that has at least one of them; the others are empty.

    A bare array of objects is the first named list, and `[]` alone is all of them. An object one level up, such as
    `{"result": {…}}`, is looked through. Raises `ReplyError` with the reason where there is no such object, or where it
    reports an error. Takes linear time.
    """
    answer = cut_reasoning(text.lstrip("\ufeff").strip()).strip()
    if not answer:
        raise ReplyError("the reply is empty")
    if _REASONING_BEGINS.match(answer) and not answer.endswith(("}", "]", "```")):
        raise ReplyError("the reply breaks off in the middle of its reasoning")
    if _NOTHING.fullmatch(answer):
        return {name: [] for name in lists}
    found = _first(answer, lists)
    if found is None and (repaired := _without_last_commas(answer)) != answer:
        found = _first(repaired, lists)
    if found is None:
        raise ReplyError(_why_unreadable(answer, lists))
    return found


def _first(answer: str, lists: Sequence[str]) -> Lists | None:
    """Where a reasoning block ends that never began (its opening tag was part of the prompt), the answer follows it."""
    if not answer.startswith(("{", "[", "`")):
        for end in list(_ORPHAN_END.finditer(answer))[-1:]:
            if (after := _first_of(answer[end.end() :], lists)) is not None:
                return after
    return _first_of(answer, lists)


def _first_of(answer: str, lists: Sequence[str]) -> Lists | None:
    whole = True
    for value in _values(answer):
        if value is None:
            whole = False
        elif (found := _named(value, lists, bare=whole)) is not None:
            return found
    return None


def _values(text: str) -> Iterator[Any]:
    """Each outermost JSON object or array in the text, and None for each opening bracket that begins neither.

    What failed attempts may cost is bounded by a multiple of the text's length: each counts the lines before it.
    """
    at, failed, effort = 0, 0, 0
    while failed < _MOST_FAILURES and effort <= 8 * len(text) and (opener := _OPENER.search(text, at)):
        try:
            value, at = _decoder.raw_decode(text, opener.start())
        except json.JSONDecodeError as error:
            at = opener.end()
            failed += 1
            effort += error.pos - opener.start() + 1
            yield None
        except RecursionError:
            raise ReplyError("the reply is JSON that is nested too deeply") from None
        else:
            yield value


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


_decoder: Final = json.JSONDecoder(strict=False, parse_int=_integer)


def _named(value: Any, lists: Sequence[str], bare: bool) -> Lists | None:
    """The lists that the value holds, directly or one level down; a bare array only where nothing before it broke."""
    if isinstance(value, list):
        return _bare(cast(list[Any], value), lists) if bare else None
    for holder in (value, *value.values()):
        if isinstance(holder, dict):
            held = cast(dict[str, Any], holder)
            found = {name: held[name] for name in lists if isinstance(held.get(name), list)}
            if found:
                _refuse_error(held)
                return {name: found.get(name, []) for name in lists}
    _refuse_error(value)
    return None


def _bare(items: list[Any], lists: Sequence[str]) -> Lists | None:
    if len(items) == 1 and isinstance(items[0], dict) and (inner := _named(items[0], lists, bare=False)) is not None:
        return inner
    if items and all(isinstance(item, dict) for item in items):
        return {name: items if name == lists[0] else [] for name in lists}
    return None


def _refuse_error(holder: Mapping[str, Any]) -> None:
    if error := holder.get("error"):
        raise ReplyError(f"the reply reports an error: {str(error)[:200]}")


def _without_last_commas(text: str) -> str:
    return _STRING_OR_LAST_COMMA.sub(lambda part: "" if part[0] == "," else part[0], text)


def _why_unreadable(answer: str, lists: Sequence[str]) -> str:
    wanted = " or ".join(lists)
    opener = _OPENER.search(answer)
    if opener is None:
        return f"the reply holds no JSON object with {wanted}"
    try:
        _decoder.raw_decode(answer, opener.start())
    except json.JSONDecodeError as error:
        cut = error.pos >= len(answer.rstrip()) - 1 or error.msg.startswith("Unterminated")
        return "the reply breaks off in the middle of its JSON" if cut else f"the reply is broken JSON: {error.msg}"
    return f"the reply's JSON has no list named {wanted}"
