"""Filters as Honcho's clients write them, compiled to a condition in SQL.

`{field: value}` asks for equality, several fields for all of them; `AND`, `OR` and `NOT` take lists; `{field: {operator: value}}`
compares. `NOT` keeps what is not true of a row, so also what is unknown. `"*"` asks for nothing, and `null` for what is missing.
`metadata` are asked for what they contain, type by type, or for the text of one member. A search may ask for what a peer heard.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NoReturn, cast

from hymem.errors import InputError
from hymem.store.session_peers import HEARD
from hymem.store.where import EVERYTHING, Where
from hymem.times import parse_time

Kind = Literal["text", "number", "truth", "time", "metadata", "list", "perspective"]
DEPTH: Final = 5
OPERATORS: Final = {"gte": ">=", "lte": "<=", "gt": ">", "lt": "<", "ne": "is not"}
_ALL: Final = (*OPERATORS, "in", "contains", "icontains")
_LOGIC: Final = ("AND", "OR", "NOT")


@dataclass(frozen=True)
class Field:
    """What a field's name stands for in SQL, and which values it has."""

    sql: str
    kind: Kind = "text"
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fields:
    """The fields that one noun may be asked for, and the workspace that all of its rows are in."""

    known: Mapping[str, Field]
    workspace_id: str | None = None


def _of_workspace(known: Mapping[str, Field]) -> Callable[[str], Fields]:
    named = {**known, "workspace_id": Field(":the_workspace")}
    return lambda workspace_id: Fields(named, workspace_id)


WORKSPACES: Final = Fields(
    {
        "id": Field("w.workspace_id"),
        "workspace_id": Field("w.workspace_id"),
        "created_at": Field("w.created_at", "time"),
        "metadata": Field("w.metadata", "metadata"),
    }
)
PEERS: Final = _of_workspace(
    {
        "id": Field("p.peer_id"),
        "peer_id": Field("p.peer_id"),
        "created_at": Field("p.created_at", "time"),
        "metadata": Field("p.metadata", "metadata"),
    }
)
SESSIONS: Final = _of_workspace(
    {
        "id": Field("s.session_id"),
        "session_id": Field("s.session_id"),
        "is_active": Field("1", "truth"),
        "created_at": Field("s.created_at", "time"),
        "metadata": Field("s.metadata", "metadata"),
    }
)
_OF_MESSAGES: Final = {
    "session_id": Field("m.session_id"),
    "peer_id": Field("m.peer_id"),
    "token_count": Field("m.token_count", "number"),
    "created_at": Field("m.created_at", "time"),
    "metadata": Field("m.metadata", "metadata"),
}
MESSAGES: Final = _of_workspace(_OF_MESSAGES)
SEARCHED: Final = _of_workspace({**_OF_MESSAGES, "peer_perspective": Field("", "perspective")})
LEVELS: Final = ("explicit", "deductive", "inductive", "contradiction")
CONCLUSIONS: Final = _of_workspace(
    {
        "id": Field("c.conclusion_id"),
        "session_id": Field("c.session_id"),
        "session_name": Field("c.session_id"),
        "observer_id": Field("c.observer_id"),
        "observer": Field("c.observer_id"),
        "observed_id": Field("c.observed_id"),
        "observed": Field("c.observed_id"),
        "level": Field("c.level", values=LEVELS),
        "times_derived": Field("c.times_derived", "number"),
        "source_ids": Field("c.source_ids", "list"),
        "created_at": Field("c.created_at", "time"),
        "metadata": Field("'{}'", "metadata"),
    }
)


def compiled(filters: Mapping[str, Any] | None, fields: Fields) -> Where:
    """The condition that filters describe; raises `InputError` where they describe none."""
    if not filters:
        return EVERYTHING
    writer = _Writer(fields)
    condition = writer.all_of(filters, 1)
    return Where(condition, writer.parameters)


@dataclass
class _Writer:
    """Writes a condition, and gathers the values that it names."""

    fields: Fields
    parameters: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())

    def all_of(self, filters: object, depth: int) -> str:
        """Every entry of an object."""
        if not isinstance(filters, dict):
            _refuse(f"a filter is an object, not {_shown(filters)}")
        if depth > DEPTH:
            _refuse(f"filters nest at most {DEPTH} deep")
        entries = cast(dict[str, Any], filters)
        return _joined("and", [self._entry(name, value, depth) for name, value in entries.items()])

    def _entry(self, name: str, value: Any, depth: int) -> str:
        if name in _LOGIC:
            if not isinstance(value, list):
                _refuse(f"{name} takes a list of filters, not {_shown(value)}")
            parts = [self.all_of(part, depth + 1) for part in cast(list[Any], value)]
            if name == "NOT":
                return _joined("and", [f"({part}) is not true" for part in parts])
            return _joined(name.lower(), parts)
        asked = self.fields.known.get(name)
        if asked is None:
            _refuse(f"nothing can be asked of {name[:60]!r}: ask of {', '.join(sorted(self.fields.known))}")
        if asked.kind == "metadata":
            return self._metadata(asked, value)
        if asked.kind == "perspective":
            return self._heard(value)
        if isinstance(value, dict):
            return self._compared(asked, name, cast(dict[str, Any], value))
        return self._equal(asked, name, value)

    def _equal(self, asked: Field, name: str, value: Any) -> str:
        if value == "*":
            return "true"
        if value is None:
            return f"{self._column(asked)} is null"
        if asked.kind == "list":
            return (
                f"json_contains({asked.sql}, {self._name(json.dumps(value if isinstance(value, list) else [value]))})"
            )
        if isinstance(value, list):
            return self._among(asked, name, cast(list[Any], value))
        return f"{self._column(asked)} = {self._value(asked, name, value)}"

    def _compared(self, asked: Field, name: str, operators: dict[str, Any]) -> str:
        if not operators:
            _refuse(f"{name}: an operator is missing; there are {', '.join(_ALL)}")
        return _joined("and", [self._one(asked, name, operator, value) for operator, value in operators.items()])

    def _one(self, asked: Field, name: str, operator: str, value: Any) -> str:
        if operator not in _ALL:
            _refuse(f"{name}: no operator {operator[:40]!r}; there are {', '.join(_ALL)}")
        if value == "*":
            return "true"
        if operator == "in":
            return self._among(asked, name, value)
        if value is None:
            if operator != "ne":
                _refuse(f"{name}: null can be compared with ne only")
            return f"{self._column(asked)} is not null"
        if operator in ("contains", "icontains"):
            return self._containing(asked, name, value)
        if asked.kind == "list":
            _refuse(f"{name}: a list can be asked for what it contains, not {operator}")
        return f"{self._column(asked)} {OPERATORS[operator]} {self._value(asked, name, value)}"

    def _among(self, asked: Field, name: str, values: Any) -> str:
        if not isinstance(values, list):
            _refuse(f"{name}: in takes a list, not {_shown(values)}")
        items = cast(list[Any], values)
        if "*" in items:
            return "true"
        if any(item is None or isinstance(item, list | dict) for item in items) or asked.kind == "list":
            _refuse(f"{name}: in takes a list of plain values")
        if not items:
            return "false"
        return f"{self._column(asked)} in ({', '.join(self._value(asked, name, item) for item in items)})"

    def _containing(self, asked: Field, name: str, value: Any) -> str:
        if asked.kind == "list":
            return self._equal(asked, name, value)
        if asked.kind != "text" or not isinstance(value, str):
            _refuse(f"{name}: contains looks for text within text")
        return f"instr(casefolded({self._column(asked)}), {self._name(value.casefold())}) > 0"

    def _heard(self, value: Any) -> str:
        named: Any = cast(dict[str, Any], value).get("in") if _is_comparison(value) else value
        peers = cast(list[Any], named if isinstance(named, list) else [named])
        if "*" in peers:
            return "true"
        if not all(isinstance(peer, str) for peer in peers):
            _refuse(f"peer_perspective names a peer, or a list of them, not {_shown(value)}")
        return HEARD.format(peers=self._name(json.dumps(peers)).removeprefix(":"))

    # -------------------------------------------------------------------------------------------------------- metadata

    def _metadata(self, asked: Field, value: Any) -> str:
        if value == "*":
            return "true"
        if value is None:
            return "false"
        if not isinstance(value, dict):
            _refuse(f"metadata are an object, not {_shown(value)}")
        entries = cast(dict[str, Any], value)
        if set(entries) == {"contains"} and isinstance(entries["contains"], dict):
            return self._has(asked, entries["contains"])
        plain = {key: item for key, item in entries.items() if item != "*" and not _is_comparison(item)}
        compared = {key: item for key, item in entries.items() if _is_comparison(item)}
        parts = [self._has(asked, plain)] if plain else []
        for key, operators in compared.items():
            parts += [self._member(asked, key, operator, item) for operator, item in operators.items()]
        return _joined("and", parts)

    def _has(self, asked: Field, part: Any) -> str:
        return f"json_contains({asked.sql}, {self._name(_json(part))})"

    def _member(self, asked: Field, key: str, operator: str, value: Any) -> str:
        text = f"json_member_text({asked.sql}, {self._name(key)})"
        if value == "*":
            return "true"
        if value is None:
            if operator != "ne":
                _refuse(f"metadata.{key[:60]}: null can be compared with ne only")
            return f"{text} is not null"
        if operator == "in":
            return self._member_among(text, key, value)
        if not isinstance(value, str | int | float):
            _refuse(f"metadata.{key[:60]}: {operator} takes a plain value, not {_shown(value)}")
        told = _text(value)
        if operator in ("contains", "icontains"):
            return f"instr(casefolded({text}), {self._name(told.casefold())}) > 0"
        if operator == "ne":
            return f"{text} is not {self._name(told)}"
        number = _number(value)
        if number is not None:
            return f"as_number({text}) {OPERATORS[operator]} {self._name(number)}"
        return f"{text} {OPERATORS[operator]} {self._name(told)}"

    def _member_among(self, text: str, key: str, values: Any) -> str:
        if not isinstance(values, list):
            _refuse(f"metadata.{key[:60]}: in takes a list, not {_shown(values)}")
        items = cast(list[Any], values)
        if "*" in items:
            return "true"
        if not items:
            return "false"
        return f"{text} in ({', '.join(self._name(_text(item)) for item in items)})"

    # ---------------------------------------------------------------------------------------------------------- values

    def _column(self, asked: Field) -> str:
        if asked.sql == ":the_workspace":
            self.parameters["the_workspace"] = self.fields.workspace_id
        return asked.sql

    def _value(self, asked: Field, name: str, value: Any) -> str:
        return self._name(_value(asked, name, value))

    def _name(self, value: Any) -> str:
        name = f"filter_{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"


def _value(asked: Field, name: str, value: Any) -> Any:
    """A value as the column has it; raises `InputError` where the column has no such values."""
    if asked.kind == "time" and isinstance(value, str):
        return parse_time(value)
    if asked.kind == "truth" and isinstance(value, bool):
        return int(value)
    if asked.kind == "number" and isinstance(value, int | float) and not isinstance(value, bool) and _fits(value):
        return value
    if asked.kind == "text" and isinstance(value, str):
        if asked.values and value not in asked.values:
            _refuse(f"{name} is one of {', '.join(asked.values)}, not {_shown(value)}")
        return value
    wanted = {"time": "a time", "truth": "true or false", "number": "a number"}.get(asked.kind, "text")
    raise InputError(f"{name} is {wanted}, not {_shown(value)}")


def _fits(value: float) -> bool:
    return abs(value) < 1 << 63 and math.isfinite(value)


def _is_comparison(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    keys = set(cast(dict[str, Any], value))
    return bool(keys) and keys <= set(_ALL)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        _refuse("a filter holds what JSON cannot say")


def _joined(word: str, parts: list[str]) -> str:
    kept = [part for part in parts if word == "or" or part != "true"]
    return f" {word} ".join(f"({part})" for part in kept) or "true"


def _shown(value: object) -> str:
    return f"{value!r:.60}"


def _refuse(reason: str) -> NoReturn:
    raise InputError(reason)
