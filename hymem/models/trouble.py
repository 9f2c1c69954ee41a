"""What an endpoint's rejection means: whom it concerns, how long it lasts, what to tell the reader.

Endpoints agree on little but the status code, and not even on that: an unknown model is a 404 here and a 400 there, an
empty account a 402 or a 429, a filtered text a 400 or a 403. So the words decide where the number does not.
"""

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import urlsplit

from hymem.errors import ModelError, ModelRefusedError, ModelUnavailableError, ReplyError

NOBODY_THERE: Final = 0
"""In place of a status: no connection, or no answer in time."""
GARBLED: Final = 502
"""The status of an answer that is not what was asked for, whatever the endpoint called it."""


@dataclass(frozen=True)
class Service:
    """What an endpoint is asked for, as far as messages must know: how its variables begin, its path, its answer."""

    model: str
    settings: str
    path: str
    answer: str
    later: str
    example: str


LANGUAGE: Final = Service(
    model="language model",
    settings="HYMEM_LLM",
    path="/chat/completions",
    answer="a chat completion",
    later="dream again later; nothing is lost",
    example="https://api.deepseek.com",
)
EMBEDDING: Final = Service(
    model="embedding model",
    settings="HYMEM_EMBEDDING",
    path="/embeddings",
    answer="embeddings",
    later="dream again later; until then recall goes by words and names",
    example="https://api.openai.com/v1",
)

_PASSING: Final = frozenset({NOBODY_THERE, 408, 409, 425, 429})
_OF_THE_REQUEST: Final = frozenset({400, 404, 415, 422, 500, 501})

_EMPTY_ACCOUNT: Final = re.compile(r"insufficient[_ ](quota|balance|credit|funds)|billing", re.IGNORECASE)
_BAD_KEY: Final = re.compile(r"api[_ -]?key|unauthori[sz]ed|authentication", re.IGNORECASE)
_BAD_MODEL: Final = re.compile(
    r"model[_ ]not[_ ](found|exist)|model\b.{0,80}(does not exist|not found)|(unknown|invalid|no such) model",
    re.IGNORECASE,
)
_TOO_LARGE: Final = re.compile(
    r"too (many|long|large|big)|(max(imum)?|context)[ _](\w+[ _]){0,3}(length|size|number|tokens|inputs)|batch[ _]?size"
    r"|exceed|at most|(less|fewer|larger|longer|greater|more) than",
    re.IGNORECASE,
)
_BAD_TEXT: Final = re.compile(r"content[_ ]?(filter|policy|management)|moderation|flagged|safety", re.IGNORECASE)


class Trouble(Exception):
    """An attempt that brought no completion: its HTTP status, the endpoint's words, the seconds it asks to wait."""

    def __init__(self, status: int, words: str, wait: float | None = None) -> None:
        super().__init__(status, words)
        self.status, self.words, self.wait = status, words, wait

    @property
    def passes(self) -> bool:
        """Whether the same request may succeed a little later."""
        lasts = self.of_an_empty_account or self.too_large or self.status == 501
        return (self.status in _PASSING or self.status >= 500) and not lasts

    @property
    def concerns_the_request(self) -> bool:
        """Whether a simpler request may succeed."""
        return self.status in _OF_THE_REQUEST

    @property
    def too_large(self) -> bool:
        """Whether a smaller request may succeed; a limit on requests a minute counts only where it says "too large"."""
        if self.status == 429:
            return "too large" in self.words.lower()
        return self.status == 413 or (self.status in (400, 422) and _TOO_LARGE.search(self.words) is not None)

    @property
    def of_an_empty_account(self) -> bool:
        """Whether it is about money."""
        return self.status == 402 or (self.status == 429 and _EMPTY_ACCOUNT.search(self.words) is not None)


def verdict(trouble: Trouble, base_url: str, model: str, service: Service) -> ModelError:
    """The error to raise: it names the endpoint and says what to do."""
    place, settings = shown(base_url), service.settings
    said = f"{trouble.status}: {shorter(trouble.words)}" if trouble.status else shorter(trouble.words)
    if trouble.of_an_empty_account:
        return ModelRefusedError(f"{place} says that the account has no credit left ({said})")
    if trouble.passes:
        return ModelUnavailableError(
            f"{place} is not available ({said}): check {settings}_BASE_URL, or {service.later}"
        )
    if _BAD_TEXT.search(trouble.words) and trouble.status in (400, 403, 422):
        return ReplyError(f"{place} does not take this text ({said})")
    if trouble.status in (401, 403) or (trouble.status == 400 and _BAD_KEY.search(trouble.words)):
        return ModelRefusedError(f"{place} refuses the key ({said}): check {settings}_API_KEY")
    if trouble.status == 404 or _BAD_MODEL.search(trouble.words):
        return ModelRefusedError(
            f"{place} has no model {model!r} ({said}): check {settings}_MODEL, and that {settings}_BASE_URL is the part"
            f" before {service.path}"
        )
    if trouble.too_large or trouble.status in (400, 413, 422):
        return ReplyError(f"{place} does not take this request ({said})")
    return ModelRefusedError(f"{place} refuses the request ({said}): check {settings}_BASE_URL")


def shown(base_url: str) -> str:
    """The endpoint as it may be printed: without a password or a query, which may hold a key."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def shorter(words: str, limit: int = 300) -> str:
    """Somebody else's words on one line of bounded length."""
    line = " ".join(words.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def words_of(body: object) -> str:
    """The human words in the body of an error, in the many shapes they come in; what it echoes is left out."""
    if isinstance(body, str):
        return body[:4000]
    if not isinstance(body, Mapping):
        return ""
    fields = cast(Mapping[str, Any], body)
    if "error" in fields:
        return words_of(fields["error"])
    details = fields.get("detail")
    if isinstance(details, list):
        return "; ".join(_validation(detail) for detail in cast(list[object], details))[:4000]
    metadata = fields.get("metadata")
    raw = cast(Mapping[str, Any], metadata).get("raw") if isinstance(metadata, Mapping) else None
    named = [fields.get("message"), details, fields.get("code"), fields.get("param"), raw]
    return " ".join(str(word) for word in named if word)[:4000]


def _validation(detail: object) -> str:
    if not isinstance(detail, Mapping):
        return str(detail)
    fields = cast(Mapping[str, Any], detail)
    return f"{json.dumps(fields.get('loc'))} {fields.get('type', '')} {fields.get('msg', '')}"


def wait_asked_for(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as `Retry-After` says, in seconds or as a date (RFC 9110, 10.2.3); None where it does not say."""
    asked = headers.get("retry-after", "").strip()
    try:
        seconds = float(asked)
    except ValueError:
        seconds = _seconds_until(asked)
    return None if seconds is None or math.isnan(seconds) else max(0.0, seconds)


def _seconds_until(date: str) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, OverflowError, TypeError):
        return None
