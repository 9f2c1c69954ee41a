"""What the code is, in one word: memory is recomputed when the code that computes it has changed."""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from hymem.config import HyMemConfig

_THAT_SHAPES_MEMORY: Final = ("hymem", "dataflows")
_SUFFIXES: Final = (".py", ".md", ".sql")
_OUTSIDE: Final = frozenset(
    [
        "completions.py",
        "dialect.py",
        "embedding_cache.py",
        "endpoint.py",
        "envelope.py",
        "local_embedding.py",
        "loopback.py",
        "openai_chat.py",
        "openai_embedding.py",
        "settings.py",
        "simulated_year.py",
        "testing.py",
        "trouble.py",
        "variables.py",
        "wordpiece.py",
    ]
)
"""What speaks with models, reads the environment or serves tests: what the ledger means does not hang on it."""


def memory_fingerprint(config: HyMemConfig, model: str) -> str:
    """Equal where the same ledger gives the same memory. Budgets are left out: they decide when, not what."""
    unlimited = config.replace(dream_budget=0, dream_call_budget=0, dream_token_budget=0)
    return f"{unlimited.digest()}:{code_digest()}:{model}"


@cache
def code_digest() -> str:
    """A digest of every source file, prompt and schema that shapes memory."""
    digest = hashlib.sha256()
    for source in _sources():
        digest.update(f"{source.name}:{hashlib.sha256(source.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    """The files in the order of their paths; `importlib.resources` would find them too, and costs more than reading them."""
    home = Path(__file__).parents[1]
    for package in _THAT_SHAPES_MEMORY:
        found = (path for path in (home / package).rglob("*") if path.suffix in _SUFFIXES)
        yield from sorted(path for path in found if path.name not in _OUTSIDE)
