"""A condition with its parameters, to be put behind `where` in a statement that knows the tables by their aliases.

Messages are `m`, conclusions `c`, sessions `s`, peers `p`, workspaces `w`. Parameters are named, so that a condition can be
put anywhere into a statement that has others.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from hymem.errors import InputError


class Where(NamedTuple):
    """SQL that is true or false of a row, and the values of the names in it."""

    condition: str
    parameters: Mapping[str, Any]

    def also(self, condition: str, **parameters: Any) -> "Where":
        """Both this and another condition."""
        return Where(f"({self.condition}) and ({condition})", {**self.parameters, **parameters})


EVERYTHING: Final = Where("true", {})


def chosen_messages(
    sessions: Iterable[str] | None = None,
    peers: Iterable[str] | None = None,
    roles: Iterable[str] | None = None,
    where: Where | None = None,
) -> Where | None:
    """Messages of these sessions, peers and roles for which a condition holds; None where nothing is asked of them."""
    chosen = where
    for column, values in (("session_id", sessions), ("peer_id", peers), ("role", roles)):
        if values is None:
            continue
        if isinstance(values, str):
            raise InputError(f"{column}: give a list, not the text {values!r:.40}")
        place = f"chosen_{column}"
        one = f"m.{column} in (select value from json_each(:{place}))", {place: json.dumps(list(values))}
        chosen = Where(*one) if chosen is None else chosen.also(one[0], **one[1])
    return chosen
