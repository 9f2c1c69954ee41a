"""Files as messages: text, JSON and PDF, cut at good places into pieces that a message can hold.

An agent's own memory files come again with every new session. They are known by their content, whatever session they come to,
so that the same file adds nothing a second time; and HyMem's own sections in them are left out, since it wrote them.
"""

import hashlib
import json
import logging
import mimetypes
from collections.abc import Mapping
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from starlette.exceptions import HTTPException

from hymem.errors import InputError
from hymem.salience import own_words, pieces
from serving.honcho.models import MessageConfiguration, Metadata, Time

LARGEST_FILE: Final = 5 * 1024 * 1024
LARGEST_TEXT: Final = 20 * 1024 * 1024
"""Characters that a PDF of that size may unfold into."""

MESSAGE_LIMIT: Final = 25_000
MEMORY_FILES: Final = frozenset({"memory.md", "user.md", "soul.md"})
TYPES: Final = "application/pdf, application/json or text/*"

_METADATA: Final[TypeAdapter[Any]] = TypeAdapter(Metadata)
_CONFIGURATION: Final[TypeAdapter[Any]] = TypeAdapter(MessageConfiguration)
_TIME: Final[TypeAdapter[Any]] = TypeAdapter(Time)

logger: Final = logging.getLogger(__name__)


def file_texts(data: bytes, content_type: str | None, name: str | None) -> list[str]:
    """The file's text, in pieces of at most 25,000 characters.

    Raises `HTTPException`: 413 for a file that is too large, 415 for another type, 422 for one that cannot be read.
    """
    if len(data) > LARGEST_FILE:
        raise HTTPException(413, f"the file is larger than {LARGEST_FILE // 1024 // 1024} MiB: send it in parts")
    told = [text for _, text in pieces(_text(data, _type(content_type, name)), MESSAGE_LIMIT) if text.strip()]
    if not told:
        raise HTTPException(422, "there is no text in the file: pictures of text are not read")
    return told


def is_memory_file(name: str | None, metadata: Mapping[str, Any]) -> bool:
    """Whether it is an agent's own memory file, by its name or by the one that the metadata gives."""
    named = [name, *(value for value in metadata.values() if isinstance(value, str))]
    return any(PurePosixPath(each.replace("\\", "/")).name.lower() in MEMORY_FILES for each in named if each)


def memory_texts(texts: list[str]) -> list[str]:
    """The pieces of a memory file without HyMem's own sections; none where nothing else is in it."""
    told = own_words("".join(texts))
    return [text for _, text in pieces(told.strip(), MESSAGE_LIMIT) if text.strip()]


def content_id(peer_id: str, text: str) -> str:
    """The id of a message that is known by what it says and who says it: 21 characters, as all ids of messages here."""
    return hashlib.sha256(f"{peer_id}\x00{text}".encode("utf-8", "surrogatepass")).hexdigest()[:21]


def json_object(text: str | None) -> dict[str, Any]:
    """Metadata as a form has them; what cannot be read is left aside, as Honcho does, and the log says so."""
    return _readable(_METADATA, text, as_json=True) or {}


def message_configuration(text: str | None) -> MessageConfiguration | None:
    """A message's configuration as a form has it."""
    return _readable(_CONFIGURATION, text, as_json=True)


def readable_time(text: str | None) -> str | None:
    """A time as a form has it."""
    return _readable(_TIME, text, as_json=False)


def _readable(kind: TypeAdapter[Any], text: str | None, *, as_json: bool) -> Any:
    if not text:
        return None
    try:
        return kind.validate_json(text) if as_json else kind.validate_python(text)
    except (ValidationError, InputError, RecursionError):
        logger.warning("what came beside an uploaded file could not be read and was left aside")
        return None


def _type(content_type: str | None, name: str | None) -> str:
    """The type that is given, or that the name suggests where the given one says nothing."""
    given = (content_type or "").partition(";")[0].strip().lower()
    if given in ("", "application/octet-stream"):
        guessed = "text/markdown" if (name or "").lower().endswith(".md") else mimetypes.guess_type(name or "")[0]
        given = guessed or given
    if given not in ("application/pdf", "application/json") and not given.startswith("text/"):
        raise HTTPException(415, f"files of type {given or 'unknown'!r} are not read: send {TYPES}")
    return given


def _text(data: bytes, kind: str) -> str:
    if kind == "application/pdf":
        return _pdf_text(data)
    text = _decoded(data)
    if kind == "application/json":
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            raise HTTPException(422, f"the file is no JSON: {error}") from None
    return text


def _decoded(data: bytes) -> str:
    """UTF-8, or UTF-16 where its mark says so; else the bytes as the western Windows wrote them."""
    encodings = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _pdf_text(data: bytes) -> str:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    told: list[str] = []
    try:
        for page in PdfReader(BytesIO(data)).pages:
            told.append(page.extract_text())
            if sum(map(len, told)) > LARGEST_TEXT:
                raise HTTPException(413, "the PDF unfolds into too much text: send it in parts")
    except (
        PyPdfError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OverflowError,
        RecursionError,
    ) as error:
        raise HTTPException(
            422, f"the PDF cannot be read ({type(error).__name__}): save it anew, without a password"
        ) from None
    return "\n\n".join(told)
