"""`hymem diff`: what changed in memory between two moments."""

import click

from serving.cli.difference import tell_difference
from serving.cli.options import WORDS, command, json_option, opened_memory


@command("hymem diff 2025-01-31", "hymem diff 2025-01-31 2025-02-28", "hymem diff 2025-01-31 2025-02-28 --json")
@click.argument("before", metavar="DATE", type=WORDS)
@click.argument("after", metavar="[DATE]", type=WORDS, required=False)
@json_option
def diff(before: str, after: str | None, as_json: bool) -> None:
    """Tell what was learnt, strengthened, faded, retracted and forgotten between two moments, and why.

    A date stands for the end of that day, in UTC; without the second, memory is compared with what it would be now. No model is
    asked, and nothing is written.
    """
    with opened_memory() as memory:
        found = memory.diff(before, after)
    tell_difference(found, as_json)
