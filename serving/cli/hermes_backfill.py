"""`hymem hermes backfill`: what was said to hermes-agent before HyMem was its memory."""

from dataclasses import asdict
from pathlib import Path

import click

from hymem.errors import InputError
from serving.cli.hermes_plugin import home_of, profile_options
from serving.cli.options import command, json_option
from serving.cli.printing import counted, note, say, say_json


@command("hymem hermes backfill", "hymem hermes backfill --profile coder --json")
@profile_options
@click.option("--state", metavar="FILE", type=click.Path(path_type=Path), help="Another state.db than the profile's.")
@json_option
def backfill(home: str | None, profile: str | None, state: Path | None, as_json: bool) -> None:
    """Take over the conversations that hermes-agent has in its state.db.

    They come into the memories in which the agent looks: the profile's own, and one for each user of a gateway. The file stays as
    it is, and the agent may go on. Doing it again adds what is new; so does doing it after HyMem was the memory for a while.
    The exit code is 3 where a message could not be taken.
    """
    from serving.hermes.backfill import backfill as take

    refused = 0
    told = list[dict[str, object]]()
    for workspace, done in take(home_of(home, profile), state):
        refused += done.refused
        told.append({"workspace": workspace, **asdict(done)})
        if not as_json:
            say(f"{workspace}: {counted(done.messages, 'message')} read, {done.added} new")
            for fault in done.faults:
                note(f"{fault.where}: {fault.reason}")
    if as_json:
        say_json(told)
    elif told:
        say("`hymem dream` learns from them, or the agent's next turn does.")
    if refused:
        click.get_current_context().exit(InputError.exit_code)
