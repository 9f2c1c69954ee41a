"""`hymem config`: every variable, its value, and where that came from."""

from typing import TYPE_CHECKING, Any

from hymem.errors import ConfigError
from serving.cli.options import command, json_option, root_named
from serving.cli.printing import note, say_json, say_table

if TYPE_CHECKING:
    from hymem.variables import Environment, Variable


@command("hymem config", "hymem config --json", "hymem --root ~/notes config")
@json_option
def config(as_json: bool) -> None:
    """Print every setting, and where it came from.

    --root comes before the environment, the environment before a file .env in the root, and that before the default. Keys and
    secrets are masked. Variables beginning with HYMEM_ that HyMem does not know are named. The exit code is 2 where a value
    cannot be understood or a key is missing; docs/configuration.md tells what each means.

    The numbers that shape memory follow. The command takes their defaults: no variable sets them, only HyMemConfig in Python.
    """
    from hymem.settings import read_environment
    from hymem.variables import VARIABLES

    given = read_environment(root=root_named())
    told = [_told(variable, given) for variable in VARIABLES]
    if as_json:
        say_json({"settings": told, "numbers": _numbers(), "remarks": list(given.remarks)})
    else:
        say_table(("variable", "value", "from"), [(one["name"], one["value"] or "", one["source"]) for one in told])
        say_table(("number", "value", "from"), [(name, str(value), "default") for name, value in _numbers().items()])
    for remark in given.remarks:
        note(f"warning: {remark}")
    _check()


def _numbers() -> dict[str, Any]:
    from dataclasses import asdict

    from hymem.config import HyMemConfig

    return asdict(HyMemConfig())


def _told(variable: "Variable", given: "Environment") -> dict[str, str | bool | None]:
    name = next((name for name in (variable.name, variable.after) if given.get(name)), "")
    source = given.sources.get(name) or _default_source(variable)
    value = _shown(variable, given.get(name)) if name else _default(variable, given)
    return {
        "name": variable.name,
        "value": value or None,
        "source": source if name in ("", variable.name) else f"{name} of {source}",
        "meaning": variable.meaning,
        "secret": variable.secret,
    }


def _shown(variable: "Variable", value: str) -> str:
    from hymem.models.trouble import shown
    from hymem.variables import masked

    if variable.secret:
        return masked(value)
    return shown(value) if variable.name.endswith("_URL") else value


def _default_source(variable: "Variable") -> str:
    return f"default: {variable.default}" if variable.secret and variable.default else "default"


def _default(variable: "Variable", given: "Environment") -> str:
    if variable.name == "HYMEM_ROOT":
        return str(given.root)
    if variable.secret:
        return ""
    if variable.name != "HYMEM_LLM_CONCURRENCY":
        return variable.default
    from hymem.models.loopback import default_concurrency

    return str(default_concurrency(given.get("HYMEM_LLM_BASE_URL")))


def _check() -> None:
    from hymem.settings import NO_KEY, lacks_key, read_server_settings, read_settings

    root = root_named()
    read_server_settings(root=root)
    if lacks_key(read_settings(root=root)):
        raise ConfigError(NO_KEY)
