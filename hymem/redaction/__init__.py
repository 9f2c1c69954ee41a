"""Keys, passwords and tokens are taken out of a text before a model, a file or an index sees it.

What finds them (`finding`) compiles some hundred patterns, and is loaded with the first text: not every process has one.
"""

from hymem.redaction.kinds import Kind, Secret, placeholder

__all__ = ["Kind", "Secret", "find_secrets", "placeholder", "redacted"]


def redacted(text: str) -> str:
    """`text` with a placeholder for each secret, such as `[redacted: api key]`; the same object where there is none."""
    secrets = find_secrets(text)
    if not secrets:
        return text
    ends = [0, *(secret.end for secret in secrets)]
    kept = (text[end : secret.start] + placeholder(secret.kind) for end, secret in zip(ends, secrets, strict=False))
    return "".join(kept) + text[ends[-1] :]


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets in `text` by position, none overlapping; placeholders are none."""
    from hymem.redaction.finding import find_secrets

    return find_secrets(text)
