"""`hymem hermes install`, `uninstall` and `status`: the plugin in a profile of hermes-agent."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from serving.cli.options import command, json_option
from serving.cli.printing import counted, note, say, say_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from serving.hermes.installing import Installed
    from serving.memory import HyMem


def profile_options(function: "Callable[..., Any]") -> "Callable[..., Any]":
    """`--profile` and `--home`: which profile is meant."""
    for option in (
        click.option("--home", metavar="FOLDER", help="hermes's folder, in place of HERMES_HOME or ~/.hermes."),
        click.option("--profile", metavar="NAME", help="One of its profiles; its own folder where none is named."),
    ):
        function = option(function)
    return function


def home_of(home: str | None, profile: str | None) -> Path:
    """The folder of the profile that is meant."""
    from hymem.settings import hermes_home
    from serving.hermes.installing import profile_home

    return profile_home(Path(home).expanduser().absolute() if home else hermes_home(), profile)


@command("hymem hermes install", "hymem hermes install --profile coder", "hymem hermes install --model rules")
@profile_options
@click.option("--model", metavar="NAME", help="The model that learns from conversations, or rules to work without one.")
@click.option("--no-activate", is_flag=True, help="Write the plugin, and leave hermes's choice of memory as it is.")
def install(home: str | None, profile: str | None, model: str | None, no_activate: bool) -> None:
    """Make HyMem the memory of hermes-agent, in one of its profiles.

    Writes a small plugin and names it in config.yaml. Run it again after an upgrade of HyMem.
    """
    from hymem.settings import DATABASE, RULES, names_a_model
    from serving.hermes.configuration import read_configuration, write_configuration
    from serving.hermes.installing import install as put

    folder = home_of(home, profile)
    chosen = read_configuration(folder).llm_model
    if model is None and not chosen and not names_a_model(folder):
        model = RULES
        note("There is no key for a language model: HyMem learns with its grammar (rules), in English. For more, set")
        note(f"HYMEM_LLM_API_KEY in {folder / '.env'}, and llm_model in {folder / 'hymem/config.json'} to your model.")
    if model is not None:
        write_configuration(folder, {"llm_model": model})
    done = put(folder, activate=not no_activate)
    say(f"Installed in {done.home / 'plugins' / 'hymem'}; memory lives in {done.home / DATABASE}.")
    if not done.active:
        say("hermes does not use it yet: run `hermes memory setup hymem`.")
    if find_spec("hermes_constants") is None:
        note("hermes-agent is not in this Python. Install HyMem in the Python that runs hermes, too.")


@command("hymem hermes uninstall")
@profile_options
def uninstall(home: str | None, profile: str | None) -> None:
    """Take the plugin away; hermes uses its own memory from then on, and what HyMem remembers stays where it is."""
    from hymem.settings import DATABASE
    from serving.hermes.installing import uninstall as take

    folder = home_of(home, profile)
    say("Taken away." if take(folder) else "It was not there.")
    if (folder / DATABASE).exists():
        say(f"What is remembered stays in {folder / DATABASE}.")


@command("hymem hermes status", "hymem hermes status --profile coder --json")
@profile_options
@json_option
def status(home: str | None, profile: str | None, as_json: bool) -> None:
    """Tell whether hermes uses HyMem, and how its memory stands."""
    from serving.hermes.installing import installed

    folder = home_of(home, profile)
    found = installed(folder)
    told = {"home": str(folder), "installed": found.there, "current": found.current, "active": found.active}
    told |= _memory_of(folder)
    if as_json:
        say_json(told)
        return
    say(f"{folder}: {_standing(found)}")
    if "messages" in told:
        say(f"{counted(told['messages'], 'message')}, {counted(told['told_facts'], 'told fact')}, {told['last_dream']}")
    else:
        say(str(told["memory"]))


def _standing(found: "Installed") -> str:
    if not found.there:
        return "not installed; run `hymem hermes install`"
    use = "in use" if found.active else "not in use; run `hermes memory setup hymem`"
    return f"installed, {use}" if found.current else f"installed by another version, {use}; run `hymem hermes install`"


def _memory_of(folder: Path) -> dict[str, Any]:
    from hymem.settings import DATABASE
    from serving.environment import build_from_env
    from serving.hermes.dreams import last_words

    if not (folder / DATABASE).exists():
        return {"memory": "nothing is remembered yet"}
    with build_from_env(need_llm=False, root=str(folder)) as memory:
        dreams = memory.runs(1)
        return {
            **_totals(memory),
            "last_dream": f"last dream {dreams[0].started_at}" if dreams else "no dream yet",
            "last_words": last_words(folder),
        }


def _totals(memory: "HyMem") -> dict[str, int]:
    from hymem.store.totals import totals

    with memory.reading() as connection:
        return totals(connection)
