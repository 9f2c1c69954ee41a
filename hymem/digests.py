"""Names made from content: the same thing has the same id on every machine, in whatever order it came."""

import hashlib
import re
from typing import Final

_BITS_63: Final = (1 << 63) - 1
_SHOWN: Final = re.compile(r"[0-7][0-9a-f]{15}")


def digest63(*parts: str) -> int:
    """The first 63 bits of SHA-256 over the parts: a positive 64-bit integer, as SQLite and numpy hold it."""
    told = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(told).digest()[:8], "big") & _BITS_63


def edge_id(subject: str, predicate: str, object_: str, derived: bool = False) -> int:
    """The id of an edge between canonical names; a derived edge is another than the stated one."""
    return digest63("derived" if derived else "edge", subject, predicate, object_)


def chunk_id(session_id: str, message_id: str, context_id: str, start: int) -> int:
    """The id of the piece of a turn that begins at character `start`, with the turn before it."""
    return digest63("chunk", session_id, message_id, context_id, str(start))


def entry_id(peer_id: str, kind: str, statement_key: str) -> int:
    """The id of a profile entry."""
    return digest63("entry", peer_id, kind, statement_key)


def shown(identifier: int) -> str:
    """An id as people see it: sixteen hexadecimal digits."""
    return f"{identifier:016x}"


def read(text: str) -> int | None:
    """The id that people see as this; None for what is no id, such as digits that tell a number of more than 63 bits."""
    return int(text, 16) if _SHOWN.fullmatch(text) else None
