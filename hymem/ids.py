"""Names that are made up: what a client is given for a message, a session or a conclusion that it did not name itself."""

import secrets
from typing import Final

LENGTH: Final = 21
"""Characters of A-Z a-z 0-9 _ -, six bits each."""


def new_id() -> str:
    """A name that nothing else has."""
    return secrets.token_urlsafe(16)[:LENGTH]
