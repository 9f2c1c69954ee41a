"""`hymem hermes import-holographic`: facts of hermes-agent's built-in store, taken over."""

from pathlib import Path

import click

from hymem.errors import InputError
from hymem.vocabulary import DEFAULT_PEERS
from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import counted, note, say, say_json


@command("hymem hermes import-holographic ~/.hermes/memory_store.db")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--peer", metavar="ID", type=WORDS, default=DEFAULT_PEERS["user"], help="Whose facts they are.")
@json_option
def import_holographic(file: Path, peer: str, as_json: bool) -> None:
    """Take over the facts of hermes-agent's built-in store (memory_store.db), with their trust and how often they helped.

    The store stays as it is, and the agent may go on. Doing it again adds what is new. A fact that cannot be taken is reported,
    the others are told, and the exit code is 3.
    """
    from hymem.store.facts.holographic import kept_facts, take_over

    facts = kept_facts(file)
    with opened_memory() as memory, memory.writing() as connection:
        done = take_over(connection, facts, memory.now(), peer)
    if as_json:
        refused = [{"fact": number, "reason": reason} for number, reason in done.refused]
        say_json({"told": done.told, "known": done.known, "refused": refused})
    else:
        for number, reason in done.refused:
            note(f"fact {number}: {reason}")
        say(f"{counted(done.told, 'fact')} told, {done.known} known already")
    if done.refused:
        click.get_current_context().exit(InputError.exit_code)
