"""`hymem forget`: show what would go, ask, erase at once, and print a receipt."""

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import note, one_line, say, say_json, say_table

if TYPE_CHECKING:
    from hymem.store.receipts import Receipt

FILES = {"insights": "MEMORY.md", "profile": "USER.md"}


@command(
    "hymem forget --entity zanzibar          show what would go, and ask",
    "hymem forget --message 3f9c --yes       erase without asking",
    "hymem forget --peer alice --json        show what would go, for programs",
)
@click.option("--message", metavar="ID", type=WORDS, help="One message; `hymem show messages` lists the ids.")
@click.option("--session", metavar="ID", type=WORDS, help="A session with all its messages.")
@click.option("--peer", metavar="ID", type=WORDS, help="Somebody, with everything that they said.")
@click.option("--entity", metavar="NAME", type=WORDS, help="A thing, with every message that names it.")
@click.option("--fact", metavar="NUMBER", type=int, help="A told fact; `hymem show facts` lists the numbers.")
@click.option("--yes", is_flag=True, help="Erase without asking.")
@json_option
def forget(
    message: str | None,
    session: str | None,
    peer: str | None,
    entity: str | None,
    fact: int | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Erase something for good: from what was said, from memory, and from MEMORY.md and USER.md.

    First it shows what would go. Without --yes it then asks, where somebody is there to be asked, and else erases nothing. What
    is erased cannot be brought back, and does not come back unless it is said anew.
    """
    with opened_memory() as memory:
        forgetting = partial(memory.forget, message=message, session=session, peer=peer, entity=entity, fact=fact)
        if not yes:
            preview = forgetting(preview=True)
            tell_receipt(preview, as_json)
            if as_json or not sys.stdin.isatty():
                note("Nothing was erased; add --yes to erase it.")
                return
            if not click.confirm("Erase all of this for good?", err=True):
                note("Nothing was erased.")
                return
        tell_receipt(forgetting(), as_json)


def tell_receipt(receipt: "Receipt", as_json: bool) -> None:
    """Print what went, by table, and in a preview what it was."""
    if as_json:
        say_json(receipt)
        return
    say("This would go:" if receipt.preview else "Gone:")
    tables = sorted({*receipt.gone, *receipt.changed})
    rows = [(table, receipt.gone.get(table, 0), receipt.changed.get(table, 0)) for table in tables]
    say_table(("table", "rows gone", "rows changed"), rows)
    for section, lines in receipt.markdown.items():
        say(f"{FILES.get(section, section)}: {lines} {'line' if lines == 1 else 'lines'} gone")
    for table, examples in receipt.examples.items():
        say()
        say(f"{table}, for example:")
        for example in examples:
            say(f"  {one_line(example)}")
    for remark in receipt.remarks:
        note(f"note: {remark}")
    if not receipt.log_emptied:
        note(
            "note: somebody is reading just now, so the write-ahead log still holds what was erased; dream or forget again."
        )
