"""A condition with its parameters, to be put behind `where` in a statement that knows the tables by their aliases.

Messages are `m`, conclusions `c`, sessions `s`, peers `p`, workspaces `w`. Parameters are named, so that a condition can be
put anywhere into a statement that has others.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class Where(NamedTuple):
    """SQL that is true or false of a row, and the values of the names in it."""

    condition: str
    parameters: Mapping[str, Any]

    def also(self, condition: str, **parameters: Any) -> "Where":
        """Both this and another condition."""
        return Where(f"({self.condition}) and ({condition})", {**self.parameters, **parameters})


EVERYTHING: Final = Where("true", {})
