"""hermes-agent's `state.db`: its sessions and messages. What its user rewound is hidden there, and left out here."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from hymem.store.hermes_state import SpokenRow, spoken_rows
from serving.exchange.documents import Found
from serving.exchange.exports import EMPTY, TOOL

REWOUND: Final = "rewound message"
PARTS: Final = "\x00json:"
"""How the agent marks content that is a list of parts."""


def found_in(file: BinaryIO, name: str) -> Iterator[Found]:
    """Every message of every session."""
    path = Path(file.name) if isinstance(getattr(file, "name", None), str) else None
    if path is not None and path.exists():
        yield from map(_found, spoken_rows(path))
        return
    with tempfile.NamedTemporaryFile(prefix="hymem-") as copy:  # it came through a pipe
        shutil.copyfileobj(file, copy)
        copy.flush()
        yield from map(_found, spoken_rows(Path(copy.name)))


def _found(row: SpokenRow) -> Found:
    where = f"message {row.row}"
    if row.rewound:
        return Found(where, None, 0, skipped=REWOUND)
    if row.role not in ("user", "assistant"):
        return Found(where, None, 0, skipped=TOOL if row.role == "tool" else "system prompt")
    if not (row.content or "").strip():
        return Found(where, None, 0, skipped=TOOL if row.calls_tools else EMPTY)
    value = {
        "session_id": row.session_id,
        "role": row.role,
        "content": _content(row.content or ""),
        "created_at": row.timestamp,
        "message_id": f"hermes:{row.session_id}:{row.row}",
        "metadata": {"source": "hermes", **({"platform": row.source} if row.source else {})},
    }
    return Found(where, value, 0)


def _content(text: str) -> Any:
    """The text, or the parts that it holds."""
    if not text.startswith(PARTS):
        return text
    try:
        return json.loads(text.removeprefix(PARTS))
    except ValueError:
        return text.removeprefix(PARTS)
