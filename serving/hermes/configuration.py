"""What a hermes user can set of HyMem: `hymem/config.json` in the folder of the profile, written by
hermes itself (its set-up, its dashboard) or by hand.

    {"recall_characters": 2400, "rewrite_follow_ups": "yes", "dream": "yes", "llm_model": "rules", "owners": ""}

hermes's set-up writes every choice as text, so "yes" and "no" are text here too; true and false do as well. Keys are no part of
it: those stay in the profile's `.env`, which hermes keeps.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from hymem.errors import ConfigError

FILE: Final = "hymem/config.json"
LABEL: Final = "HyMem"
GLYPH: Final = "🧠"
_YES: Final = frozenset({"yes", "true", "on", "1"})
_NO: Final = frozenset({"no", "false", "off", "0", ""})
FEWEST_CHARACTERS: Final = 200
MOST_CHARACTERS: Final = 9_000
"""hermes shortens recall of more than 10,000 characters."""


@dataclass(frozen=True)
class Configuration:
    """The settings of a profile. `owners` are gateway users, as "telegram:123", whose memory is the profile's own."""

    recall_characters: int = 2400
    rewrite_follow_ups: bool = True
    dream: bool = True
    llm_model: str = ""
    owners: tuple[str, ...] = ()


SCHEMA: Final[list[dict[str, Any]]] = [
    {
        "key": "llm_model",
        "description": "Model that learns from conversations (empty: HYMEM_LLM_MODEL; rules: works without a model)",
        "default": "",
    },
    {
        "key": "llm_api_key",
        "description": "Key of the language model, unless the model is rules",
        "secret": True,
        "env_var": "HYMEM_LLM_API_KEY",
    },
    {
        "key": "dream",
        "description": "Learn from conversations in the background",
        "default": "yes",
        "choices": ["yes", "no"],
    },
    {
        "key": "recall_characters",
        "description": f"Characters recalled for a turn at most ({FEWEST_CHARACTERS} to {MOST_CHARACTERS})",
        "default": "2400",
    },
    {
        "key": "rewrite_follow_ups",
        "description": "Understand follow-ups such as 'and the other one?'",
        "default": "yes",
        "choices": ["yes", "no"],
    },
    {
        "key": "owners",
        "description": "Gateway users whose memory is your own, as telegram:123, separated by commas",
        "default": "",
    },
]
"""The fields, as hermes's set-up asks for them."""

KEYS: Final = tuple(field["key"] for field in SCHEMA if not field.get("secret"))


def read_configuration(home: Path) -> Configuration:
    """The settings of the profile in `home`; raises `ConfigError`, naming file and field, for what cannot be meant."""
    given = _read(home / FILE)
    return Configuration(
        _characters(given.get("recall_characters", 2400)),
        _yes_or_no("rewrite_follow_ups", given.get("rewrite_follow_ups", True)),
        _yes_or_no("dream", given.get("dream", True)),
        str(given.get("llm_model") or "").strip(),
        _owners(given.get("owners") or ()),
    )


def write_configuration(home: Path, values: Mapping[str, Any]) -> None:
    """Set some of the fields, and leave the others; a value that cannot be meant is refused before anything is written."""
    path = home / FILE
    merged = {**_read(path), **{key: value for key, value in values.items() if key in KEYS}}
    _characters(merged.get("recall_characters", 2400))
    for name in ("rewrite_follow_ups", "dream"):
        _yes_or_no(name, merged.get(name, True))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(merged, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.chmod(0o600)
    unfinished.replace(path)


def _read(path: Path) -> dict[str, Any]:
    text = ""
    with suppress(FileNotFoundError):
        text = path.read_text(encoding="utf-8-sig")
    try:
        given = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise ConfigError(f"{path} is no JSON ({error}): mend it, or delete it to have the defaults") from None
    if not isinstance(given, dict):
        raise ConfigError(f"{path} must hold an object, as {{}}: mend it, or delete it to have the defaults")
    return cast("dict[str, Any]", given)


def _characters(value: object) -> int:
    text = str(value).strip() or "2400"
    if not text.isdecimal() or not FEWEST_CHARACTERS <= int(text) <= MOST_CHARACTERS:
        raise ConfigError(
            f"recall_characters in {FILE} must be a number from {FEWEST_CHARACTERS} to {MOST_CHARACTERS}, not {value!r:.40}"
        )
    return int(text)


def _yes_or_no(name: str, value: object) -> bool:
    text = str(value).strip().casefold()
    if text not in _YES | _NO:
        raise ConfigError(f"{name} in {FILE} must be yes or no, not {value!r:.40}")
    return text in _YES


def _owners(value: object) -> tuple[str, ...]:
    named = value.split(",") if isinstance(value, str) else cast("list[object]", value)
    return tuple(text for each in named if (text := str(each).strip()))
