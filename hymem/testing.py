"""Stand-ins for what is outside of HyMem, honest enough to test with: they answer, count and fail as it does."""

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from hymem.models.chat import ChatReply, ChatRequest
from hymem.models.embedding import Vectors, no_vectors, unit_vectors

Scripted = str | Mapping[str, Any] | Exception
"""What a question gets: a text, an object that becomes one, or an exception to be raised."""

NO_NOTES: Final[Scripted] = {"summaries": [], "episodes": [], "procedures": []}
"""The answer about a session in which nothing is worth noting."""


class ScriptedModel:
    """An `LLMClient` whose answers are written down beforehand: by the chunk's text, or by a function of it.

    A text that is not in the script raises `LookupError`, unless there is an answer for all `others`. Questions about
    whole `sessions` have an answer of their own: nothing to tell, or a function of the turns' texts joined by line
    breaks. What was asked is in `requests`, in the order of asking; a token is a word. `latency` is the time in seconds
    that an answer takes.
    """

    def __init__(
        self,
        script: Mapping[str, Scripted] | Callable[[str], Scripted],
        *,
        others: Scripted | None = None,
        sessions: Scripted | Callable[[str], Scripted] = NO_NOTES,
        model: str = "scripted",
        latency: float = 0.0,
    ) -> None:
        self.model = model
        self.requests: list[ChatRequest] = []
        self.most_at_once = 0
        self._script, self._others, self._sessions, self._latency = script, others, sessions, latency
        self._under_way = 0
        self._lock = threading.Lock()

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer as the script says."""
        with self._lock:
            self.requests.append(request)
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            time.sleep(self._latency)
            return self._reply(request)
        finally:
            with self._lock:
                self._under_way -= 1

    def _reply(self, request: ChatRequest) -> ChatReply:
        text = asked_about(request)
        if request.kind == "session":
            scripted = self._sessions(text) if callable(self._sessions) else self._sessions
        else:
            scripted = self._scripted(text)
        if isinstance(scripted, Exception):
            raise scripted
        text = scripted if isinstance(scripted, str) else json.dumps(scripted, ensure_ascii=False)
        return ChatReply(text, self.model, _words(request.system) + _words(request.user), _words(text))

    def _scripted(self, text: str) -> Scripted:
        if callable(self._script):
            return self._script(text)
        scripted = self._script.get(text, self._others)
        if scripted is None:
            raise LookupError(f"nothing is scripted for {text!r}: add it to the script, or give an answer for others")
        return scripted


class HashedWordsEmbedder:
    """An `EmbeddingClient` without a model: texts are as near as they share words, whatever these mean.

    Each word, its case folded, stands for a direction of its own, the same on every machine; a text's vector is their
    sum. With few dimensions words fall together by chance. What was asked is in `requests`, call by call. `trouble` is
    raised in place of an answer as long as it is set.
    """

    def __init__(self, dimension: int = 256, *, model: str = "hashed-words", trouble: Exception | None = None) -> None:
        self.model = model
        self.dimension = dimension
        self.trouble = trouble
        self.requests: list[list[str]] = []

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """Answer, or fail as told."""
        self.requests.append(list(texts))
        if self.trouble is not None:
            raise self.trouble
        return unit_vectors([self._vector(text) for text in texts]) if len(texts) else no_vectors(self.dimension)

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.casefold()):
            vector[_hash(word) % self.dimension] += 1.0
        if not any(vector):
            vector[_hash(text) % self.dimension] = 1.0
        return vector


def asked_about(request: ChatRequest) -> str:
    """The chunk's text where the question is about a chunk, the turns' texts where it is about a session, else the prompt."""
    if request.kind == "session":
        return "\n".join(turn["text"] for turn in request.material["turns"])
    text = request.material.get("text")
    return text if isinstance(text, str) else request.user


def _words(text: str) -> int:
    return len(text.split())


def _hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest())
