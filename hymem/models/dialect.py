"""How much of OpenAI's chat protocol an endpoint understands, found out by asking.

Everybody calls themselves OpenAI-compatible, and means less by it. So a request starts on the highest rung, where the
reply is bound to a JSON Schema; when the endpoint rejects that, it goes down to "some JSON object", then to plain text,
with the schema described in words on the lower two. A temperature that is rejected is left out likewise. What was
understood is remembered for the endpoint and the model as long as the process lives, and only once it has brought an
answer: a request that is rejected for another reason teaches nothing.
"""

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final, cast

from hymem.models.chat import ChatRequest


class Rung(IntEnum):
    """What the endpoint can be told about the shape of its reply."""

    PLAIN = 0
    JSON_OBJECT = 1
    JSON_SCHEMA = 2


_OF_THE_FORMAT: Final = re.compile(
    r"response_?format|json_?(schema|object)|structured[ _]output|guided|grammar|requested parameters", re.IGNORECASE
)
_OF_THE_TEMPERATURE: Final = re.compile(r"temperature", re.IGNORECASE)
_OF_A_PARAMETER: Final = re.compile(
    r"(unknown|unsupported|unrecogni[sz]ed|unexpected|extra|additional)\W+(request )?(parameter|field|argument|key)"
    r"|extra_forbidden|extra inputs|not permitted",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Dialect:
    """The part of the protocol that is used with one model at one endpoint."""

    rung: Rung = Rung.JSON_SCHEMA
    temperature: bool = True

    def parameters(self, request: ChatRequest) -> dict[str, Any]:
        """The request as this dialect says it, but for the model's name."""
        system = request.system
        if request.schema is not None and self.rung < Rung.JSON_SCHEMA:
            system = f"{system}\n\n{_in_words(request.schema)}".strip()
        said = [("system", system), ("user", request.user)]
        parameters: dict[str, Any] = {"messages": [{"role": role, "content": text} for role, text in said if text]}
        if request.schema is not None and self.rung > Rung.PLAIN:
            parameters["response_format"] = _response_format(request, self.rung)
        if self.temperature:
            parameters["temperature"] = 0
        return parameters

    def without(self, rejected: str, request: ChatRequest) -> "Dialect | None":
        """The next simpler dialect, given an endpoint's words of rejection; None where simpler words would not help."""
        formatted = request.schema is not None and self.rung > Rung.PLAIN
        if formatted and _OF_THE_FORMAT.search(rejected):
            return replace(self, rung=Rung(self.rung - 1))
        if self.temperature and _OF_THE_TEMPERATURE.search(rejected):
            return replace(self, temperature=False)
        if formatted and _OF_A_PARAMETER.search(rejected):
            return replace(self, rung=Rung(self.rung - 1))
        return None


_learned: dict[tuple[str, str], Dialect] = {}
_learning = threading.Lock()


def learned_dialect(endpoint: str, model: str) -> Dialect:
    """What this process knows about the model at the endpoint: everything is tried until something was rejected."""
    return _learned.get((endpoint, model), Dialect())


def learn(endpoint: str, model: str, understood: Dialect) -> None:
    """Remember what has brought an answer; what two threads learned at once is added up."""
    with _learning:
        known = learned_dialect(endpoint, model)
        _learned[endpoint, model] = Dialect(
            min(known.rung, understood.rung), known.temperature and understood.temperature
        )


def forget_dialects() -> None:
    """Begin anew, as a fresh process would."""
    with _learning:
        _learned.clear()


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as OpenAI's strict mode demands it: closed objects, every property required.

    What was optional may be null instead. Raises `ValueError` for an object with free keys, which strict mode lacks.
    """
    strict = {key: _strict_part(key, value) for key, value in schema.items() if key != "default"}
    if "properties" not in schema:
        if schema.get("type") == "object":
            raise ValueError("an object with free keys has no strict form")
        return strict
    required = schema.get("required", ())
    strict["properties"] = {
        name: strict_schema(part) if name in required else _or_null(strict_schema(part))
        for name, part in schema["properties"].items()
    }
    return strict | {"required": list(schema["properties"]), "additionalProperties": False}


def _strict_part(key: str, value: Any) -> Any:
    if key in ("items", "not"):
        return strict_schema(cast(Mapping[str, Any], value)) if isinstance(value, Mapping) else value
    if key in ("$defs", "definitions"):
        return {name: strict_schema(part) for name, part in value.items()}
    if key == "anyOf":
        return [strict_schema(part) for part in value]
    return value


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type")
    if kinds is None:
        return {"anyOf": [schema, {"type": "null"}]}
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    nullable = schema | {"type": [*kinds, *({"null"} - set(kinds))]}
    return nullable | {"enum": [*schema["enum"], None]} if "enum" in schema else nullable


def _response_format(request: ChatRequest, rung: Rung) -> dict[str, Any]:
    if rung is Rung.JSON_OBJECT:
        return {"type": "json_object"}
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", request.kind)[:64] or "reply"
    try:
        described = {"name": name, "schema": strict_schema(request.schema or {}), "strict": True}
    except ValueError:
        described = {"name": name, "schema": dict(request.schema or {}), "strict": False}
    return {"type": "json_schema", "json_schema": described}


def _in_words(schema: Mapping[str, Any]) -> str:
    """The schema for a model that can only read it; the word JSON is what some endpoints insist on."""
    shape = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON object and nothing else. It must conform to this JSON Schema:\n{shape}"
