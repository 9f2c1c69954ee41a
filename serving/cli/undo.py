"""`hymem undo`: reject what one dream was replied, and remove what came of it."""

import click

from serving.cli.forget import tell_receipt
from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import note


@command("hymem undo last --preview       show what would go", "hymem undo 5f1c               remove it")
@click.argument("run", type=WORDS, metavar="RUN")
@click.option("--preview", is_flag=True, help="Show what would go, and change nothing.")
@json_option
def undo(run: str, preview: bool, as_json: bool) -> None:
    """Reject all replies that a dream got from the language model, and remove at once what came of them.

    RUN is a dream's id, how it begins, or `last`. The replies are kept, and are not read any more. The questions are asked
    again when the prompts or the model change, or with `hymem dream --ask-again RUN`.
    """
    with opened_memory() as memory:
        receipt = memory.undo(run, preview=preview)
    tell_receipt(receipt, as_json)
    if not preview and not as_json:
        note(f"`hymem dream --ask-again {run}` asks again.")
