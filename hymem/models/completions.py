"""What a chat completion says: its text, or the reason why it has none.

Those that call themselves compatible differ in every detail: content comes in parts, usage is left out. Reasoning in a
field of its own is not part of the answer.
"""

from collections.abc import Mapping
from typing import Any, cast

from hymem.errors import ModelUnavailableError, ReplyError
from hymem.models.chat import ChatReply
from hymem.models.envelope import mapping, opened
from hymem.models.json_in_text import cut_reasoning
from hymem.models.trouble import LANGUAGE


def completion_of(body: bytes) -> dict[str, Any]:
    """The completion in a response's body. Raises `Trouble` where it holds an error, or is no completion."""
    return opened(body, "choices", LANGUAGE.answer)


def reply_of(completion: Mapping[str, Any], model: str) -> ChatReply:
    """The first choice as a reply, its leading reasoning cut. Raises `ReplyError` where there is no whole answer."""
    choice = cast(dict[str, Any], completion["choices"][0])
    message = mapping(choice.get("message"))
    text = cut_reasoning(_text_of(message.get("content")))
    match choice.get("finish_reason"):
        case "length":
            raise ReplyError(f"the reply of {model} was cut off at its length limit")
        case "content_filter":
            raise ReplyError(f"the reply of {model} was held back by a content filter")
        case "insufficient_system_resource" | "error":
            raise ModelUnavailableError(f"{model} broke off its reply: dream again later; nothing is lost")
        case _:
            pass
    if refusal := message.get("refusal"):
        raise ReplyError(f"{model} refused to answer: {str(refusal)[:200]}")
    if not text.strip():
        raise ReplyError(f"the reply of {model} is empty")
    usage = mapping(completion.get("usage"))
    return ChatReply(text, model, _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def _text_of(content: object) -> str:
    if isinstance(content, list):
        parts = [mapping(part) for part in cast(list[object], content)]
        return "".join(str(part.get("text") or "") for part in parts if part.get("type", "text") == "text")
    return content if isinstance(content, str) else ""


def _count(value: object) -> int:
    return max(0, int(value)) if isinstance(value, int | float) and value == value and abs(value) < 2**53 else 0
