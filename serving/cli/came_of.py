"""`hymem what-came-of`: from a message up to everything that rests on it."""

from collections import defaultdict

import click

from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.origins import listed
from serving.cli.printing import say, say_json


@command("hymem what-came-of 25d9c9860bf8e7c5", "hymem what-came-of 25d9c9860bf8e7c5 --json")
@click.argument("message", nargs=-1, required=True, type=WORDS, metavar="MESSAGE…")
@json_option
def what_came_of(message: tuple[str, ...], as_json: bool) -> None:
    """Tell what rests on a message: chunks, replies, facts, profile entries, insights, episodes, told facts, lines.

    And which of these would go without it; the others have more to rest on. Nothing is changed: `hymem forget` does that.
    """
    with opened_memory() as memory:
        found = memory.what_came_of(*message)
    if as_json:
        say_json(found)
        return
    going: dict[str, tuple[str, ...]] = defaultdict(tuple)
    staying: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for one in found:
        (going if one.would_go else staying)[one.table] += (one.text,)
    say("Would go without it")
    say("\n".join(listed(going)))
    say("Rests on it among others, and would stay")
    say("\n".join(listed(staying)))
