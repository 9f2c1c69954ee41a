"""Of a giant message, its beginning and its end: what is asked stands before or after what was pasted."""

from typing import TypeVar

Item = TypeVar("Item")


def both_ends(items: list[Item], most: int) -> list[Item]:
    """All items, or the first and the last of them where there are more than `most`."""
    return items if len(items) <= most else [*items[: most - most // 2], *items[len(items) - most // 2 :]]


def ends_of(text: str, most: int) -> str:
    """The text, or its first and its last characters, on two lines, where it has more than `most`."""
    return text if len(text) <= most else f"{text[: most - most // 2]}\n{text[len(text) - most // 2 :]}"
