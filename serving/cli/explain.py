"""`hymem explain`: at which step something was lost that recall does not return."""

import sys

import click

from serving.cli.options import WORDS, as_of_option, command, json_option, opened_memory
from serving.cli.printing import one_line, plain, say, say_json

STDIN = "-"


@command(
    'hymem explain "What does the api use?" --expecting "api uses redis"',
    'hymem explain "What is billing?" --expecting billing',
    "hymem explain - --expecting 3df5dcfe5bd863ba --json < message.txt",
)
@click.argument("message", type=WORDS)
@click.option(
    "--expecting",
    metavar="WHAT",
    type=WORDS,
    required=True,
    help="A fact in words, an entity, a message's id, or an episode's or procedure's title.",
)
@as_of_option
@json_option
def explain(message: str, expecting: str, as_of: str | None, as_json: bool) -> None:
    """Tell why `hymem augment MESSAGE` does not return what was expected.

    It names the step at which that was lost: nobody said it, nothing was read from it, it was retracted, MESSAGE does not lead
    to it, or others have better scores. Where it is recalled, that is told. For - the message comes from standard input.
    """
    asked = WORDS.convert(sys.stdin.read(), None, None) if message == STDIN else message
    with opened_memory(as_of=as_of) as memory:
        found = memory.explain(asked, expecting=expecting)
    if as_json:
        say_json({**plain(found), "recalled": found.recalled})
        return
    lost = "It is recalled" if found.recalled else f"Lost at the step `{found.lost_at}`"
    say(f"{lost}: {one_line(found.told, 500)}")
    if found.score is not None:
        last = "" if found.last_score is None else f"; the last that is returned has {found.last_score:.4g}"
        say(f"    its score is {found.score:.4g}{last}")
