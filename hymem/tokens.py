"""Tokens as OpenAI's models since GPT-4o count them (`o200k_base`), by a library that brings the vocabulary along."""

from functools import cache
from typing import Any

from hymem.errors import ConfigError


def count_tokens(text: str) -> int:
    """How many tokens a text has; what looks like a control token is text. Raises `ConfigError` without the library."""
    return len(_tokenizer().encode_ordinary(text))


def about_so_many_tokens(text: str) -> int:
    """How many tokens a text has; without the library, one for each three bytes, which for most texts is too many."""
    try:
        return count_tokens(text)
    except ConfigError:
        return (len(text.encode("utf-8", "replace")) + 2) // 3


@cache
def _tokenizer() -> Any:
    try:
        from splintr import Tokenizer
    except ImportError as error:
        raise ConfigError("tokens cannot be counted: pip install 'hymem[server]'") from error
    return Tokenizer.from_pretrained("o200k_base")
