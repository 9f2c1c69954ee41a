"""What a secret is, and what stands in its place: a word for its kind, never a part or a digest of it."""

import re
from dataclasses import dataclass
from typing import Final, Literal, get_args

Kind = Literal[
    "access token",
    "api key",
    "bank account",
    "card number",
    "cookie",
    "credentials",
    "password",
    "password hash",
    "private key",
    "secret",
    "seed phrase",
    "web token",
    "webhook",
]
"""What a secret opens, as far as its form or its neighbours tell."""

PLACEHOLDER: Final = re.compile(rf"\[redacted: (?:{'|'.join(get_args(Kind))})\]")
"""What `placeholder` writes."""


@dataclass(frozen=True)
class Secret:
    """Where a text holds a secret: `text[start:end]` is all of it, and nothing else."""

    kind: Kind
    start: int
    end: int

    def moved(self, offset: int) -> "Secret":
        """The same secret in a longer text, in which this one begins at `offset`."""
        return Secret(self.kind, self.start + offset, self.end + offset) if offset else self


def placeholder(kind: Kind) -> str:
    """What a reader sees instead of a secret."""
    return f"[redacted: {kind}]"
