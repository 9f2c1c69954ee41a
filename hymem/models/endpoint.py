"""An endpoint that speaks OpenAI's protocol, whatever it is asked for.

The `openai` package does the talking; it costs most of a second to import, so it comes in with the first question.
What this module adds is judgement. Trouble that passes (a busy or absent endpoint) is waited out, for as long as the
endpoint asks and with growing pauses; trouble that stays is raised at once, as `Trouble`, for the client to judge. The
key never appears in a message.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar
from urllib.parse import urlsplit

from hymem.errors import ConfigError
from hymem.models.loopback import default_concurrency, is_loopback
from hymem.models.trouble import GARBLED, NOBODY_THERE, Service, Trouble, wait_asked_for, words_of

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

Answer = TypeVar("Answer")
Call = Callable[[Any], AbstractContextManager[Any]]
"""Given the `OpenAI` client, one request of it, as a context manager that streams the response's body."""

LONGEST_WAIT: Final = 60.0
"""Seconds between two attempts; an endpoint that asks for more is left alone until the next dream."""


class Endpoint:
    """What the clients of an OpenAI-compatible endpoint have in common; safe to use from many threads.

    `timeout` is in seconds, for one attempt as a whole; `retries` is how often an attempt is repeated when its trouble
    passes; `first_wait` is the first pause in seconds, and each later one is about twice as long. `concurrency` is only
    a hint, for whoever asks in parallel. A missing key is fine where the endpoint asks for none.
    """

    service: ClassVar[Service]

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        model: str,
        *,
        timeout: float = 60.0,
        retries: int = 4,
        concurrency: int | None = None,
        first_wait: float = 0.5,
    ) -> None:
        self.base_url = _checked_url(base_url, self.service)
        self.model = model
        self.timeout = timeout
        self.retries = retries
        self.concurrency = concurrency or default_concurrency(base_url)
        self.first_wait = first_wait
        self._key = _checked_key(api_key, self.service)
        self._lock = threading.Lock()
        self._client: OpenAI | None = None
        self._impatience = threading.Event()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, in another process too, is the same client with connections of its own; the key goes with it."""
        given = {name: getattr(self, name) for name in ("timeout", "retries", "concurrency", "first_wait")}
        return partial(type(self), **given), (self.base_url, self._key, self.model)

    def hurried(self, timeout: float) -> Self:
        """The same model for somebody who waits: one attempt of `timeout` seconds, and no second one."""
        return type(self)(
            self.base_url, self._key, self.model, timeout=timeout, retries=0, concurrency=self.concurrency
        )

    def stop_waiting(self) -> None:
        """Let every call that pauses before another attempt give up now; later calls are patient again."""
        with self._lock:
            impatience, self._impatience = self._impatience, threading.Event()
        impatience.set()

    def close(self) -> None:
        """Close the connections; the next question opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answered(self, call: Call, read: Callable[[bytes], Answer], impatience: threading.Event) -> Answer:
        """What `read` makes of the response's body, after as many attempts as it takes. Raises `Trouble`."""
        for attempt in count():
            try:
                return self._attempt(call, read)
            except Trouble as trouble:
                if not trouble.passes or attempt >= self.retries or (trouble.wait or 0) > LONGEST_WAIT:
                    raise
                if impatience.wait(self._pause(attempt, trouble.wait)):
                    raise
        raise AssertionError("unreachable: counting has no end")

    def _pause(self, attempt: int, asked_for: float | None) -> float:
        """Exponential back-off with jitter, so that callers who were turned away together do not return together."""
        growing = min(self.first_wait * 2.0**attempt, LONGEST_WAIT)
        if asked_for is None:
            return growing * random.uniform(0.5, 1.0)
        return asked_for + random.uniform(0.0, 0.5) * min(growing, 1.0)

    def _attempt(self, call: Call, read: Callable[[bytes], Answer]) -> Answer:
        import openai

        http = _http_library()
        client = self._connected()
        deadline = time.monotonic() + self.timeout
        try:
            with call(client) as response:
                return read(b"".join(_in_time(response.iter_bytes(), deadline)))
        except openai.APIStatusError as error:
            raise self._trouble(error) from None
        except (openai.APITimeoutError, http.TimeoutException, TimeoutError):
            raise Trouble(NOBODY_THERE, f"no answer within {self.timeout:g} s") from None
        except (openai.APIConnectionError, http.HTTPError) as error:
            raise Trouble(NOBODY_THERE, self._without_key(str(error.__cause__ or error))) from None
        except UnicodeDecodeError:
            raise Trouble(GARBLED, "what came back is not text") from None

    def _trouble(self, error: "APIStatusError") -> Trouble:
        words = self._without_key(words_of(error.body) or error.message)
        return Trouble(error.status_code, words, wait_asked_for(error.response.headers))

    def _without_key(self, words: str) -> str:
        return words.replace(self._key, "…") if self._key else words

    def _connected(self) -> "OpenAI":
        import openai

        with self._lock:
            if self._client is None:
                # A proxy from the environment has no way to this machine's own ports.
                direct = openai.DefaultHttpxClient(trust_env=False) if is_loopback(self.base_url) else None
                self._client = openai.OpenAI(
                    base_url=self.base_url,
                    api_key=self._key or "none",
                    timeout=self.timeout,
                    max_retries=0,
                    http_client=direct,
                )
            return self._client


def _http_library() -> Any:
    """What openai speaks HTTP with: httpx2 since its version 3, httpx before."""
    import openai

    return import_module(openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])


def _in_time(parts: Iterator[bytes], deadline: float) -> Iterator[bytes]:
    """The parts of a body until the deadline: some endpoints send blank lines for many minutes to keep a call alive."""
    for part in parts:
        if time.monotonic() > deadline:
            raise TimeoutError
        yield part


def _checked_url(base_url: str, service: Service) -> str:
    parts = urlsplit(base_url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"{base_url!r} is no endpoint: set {service.settings}_BASE_URL to an address such as {service.example}"
        )
    return base_url.strip().rstrip("/")


def _checked_key(api_key: str | None, service: Service) -> str:
    key = (api_key or "").strip()
    if key and not (key.isascii() and key.isprintable()):
        raise ConfigError(
            f"the key for the {service.model} holds characters that no key has: copy {service.settings}_API_KEY again"
        )
    return key
