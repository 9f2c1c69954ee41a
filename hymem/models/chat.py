"""A language model, as dreaming sees it: a question with its material goes in, a text comes out.

`LLMClient` is an extension point. Anything that has a `model` name and a `complete` method can be given to
`HyMem(llm=…)`: a wrapper around a local runtime, a recorded conversation, a rule book. `complete` is called from
several threads at once, so it must be thread-safe; it either returns a `ChatReply` or raises one of
`ModelUnavailableError` (worth asking again later), `ModelRefusedError` (not worth asking again: the dream stops asking)
and `ReplyError` (it answered, but not in full).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class ChatRequest:
    """One question to a language model.

    `system` and `user` are the prompt as an OpenAI-style endpoint takes it; `schema` is the JSON Schema of the object
    asked for. `material` holds the same content unrendered, for a client that computes its answer instead of
    reading a prompt (the rules extractor): plain JSON values.
    """

    kind: str
    system: str
    user: str
    schema: Mapping[str, Any] | None = None
    material: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class ChatReply:
    """What came back: the text (a leading reasoning block already cut), who answered, and what it cost in tokens."""

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


@runtime_checkable
class LLMClient(Protocol):
    """Whoever can answer a `ChatRequest`; see the module's docstring for the contract."""

    @property
    def model(self) -> str:
        """The name under which replies are kept: another name is another answerer, and chunks are asked anew."""
        ...

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one question, or raise a `ModelError`."""
        ...


@runtime_checkable
class Closable(Protocol):
    """A client that holds connections; after `close` it may be used again, and opens new ones."""

    def close(self) -> None:
        """Close them."""
        ...


def close_client(client: object) -> None:
    """Close a client's connections, where it holds any."""
    if isinstance(client, Closable):
        client.close()
