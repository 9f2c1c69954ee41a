"""What the exports of chat services share: a list of conversations, read one at a time, and trees with edited branches.

An export may be larger than memory, so no more than one conversation is held at once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final

import ijson

from serving.exchange.documents import Found

BRANCH: Final = "message of another branch"
EMPTY: Final = "empty message"
ATTACHMENT: Final = "attachment"
TOOL: Final = "tool call or output"
REASONING: Final = "reasoning"
_BOM: Final = b"\xef\xbb\xbf"

Conversation = Mapping[str, Any]
Reader = Callable[[Conversation], Iterator[Found]]


def conversations(file: BinaryIO, read: Reader) -> Iterator[Found]:
    """What a reader finds in each conversation of a list, or in the only one of a file."""
    number = 0
    try:
        for number, conversation in enumerate(_each(file), start=1):
            yield from _placed(conversation, f"conversation {number}", read, _behind(file))
    except (ijson.JSONError, UnicodeDecodeError) as error:
        place = f"after conversation {number}" if number else "at its beginning"
        reason = str(error).split("\n", 1)[0].strip()
        yield Found(place, None, _behind(file), f"not JSON, and nothing from there on was read: {reason}")


def branch(nodes: Mapping[str, Any], leaf: str, parent_of: Callable[[Any], object]) -> list[str]:
    """The ids of nodes from the root to a leaf; a parent that is missing, or that comes again, is the root."""
    path = dict[str, None]()
    at: object = leaf
    while isinstance(at, str) and at in nodes and at not in path:
        path[at] = None
        at = parent_of(nodes[at])
    return list(path)[::-1]


def joined(texts: Iterable[object]) -> str:
    """The texts among some values, as one."""
    return "\n".join(text for text in texts if isinstance(text, str) and text.strip())


def _each(file: BinaryIO) -> Iterator[object]:
    start = _first(file)
    return ijson.items(file, "item" if start == b"[" else "", use_float=True)


def _first(file: BinaryIO) -> bytes:
    """The first byte that counts, the file standing where it stood; a byte order mark is left behind."""
    begun = file.read(3)
    if begun != _BOM:
        file.seek(0)
    here = file.tell()
    first = b" "
    while first.isspace() and first:
        first = file.read(1)
    file.seek(here)
    return first


def _placed(conversation: object, where: str, read: Reader, behind: int) -> Iterator[Found]:
    if not isinstance(conversation, dict):
        yield Found(where, None, behind, "a conversation must be an object")
        return
    for found in read(conversation):
        place = f"{where}, {found.where}".removesuffix(", ")
        yield Found(place, found.value, behind, found.fault, found.session_id, found.skipped)


def _behind(file: BinaryIO) -> int:
    return file.tell()
