"""`hymem retract`, `restore`, `alias` and `merge`: a person's word on facts and names. It counts from the next dream on."""

import click

from hymem.errors import UnknownError
from serving.cli.edges import EdgeName, edge_named, with_near_names
from serving.cli.forget import tell_receipt
from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import say, say_json

NEXT_DREAM = "the next dream makes it so: `hymem dream`"

fact_argument = click.argument("fact", nargs=-1, required=True, type=WORDS, metavar="SUBJECT PREDICATE OBJECT")
reason_option = click.option("--reason", metavar="TEXT", type=WORDS, help="Why, for whoever reads it later.")
preview_option = click.option("--preview", is_flag=True, help="Show what would go, and change nothing.")


@command("hymem retract billing uses mongodb", 'hymem retract api "depends on" redis --reason "it was a plan only"')
@fact_argument
@reason_option
@preview_option
@json_option
def retract(fact: tuple[str, ...], reason: str | None, preview: bool, as_json: bool) -> None:
    """Say that a fact is wrong.

    It is no longer recalled, and comes back only when two newer pieces of conversation say it again, or with `hymem restore`.
    The model is told not to extract it again.
    """
    named = edge_named(fact)
    if preview:
        with opened_memory() as memory:
            tell_receipt(memory.retraction(*named), as_json)
        return
    _tell(
        _feedback("retract_edge", named, reason), f"Retracted: {named}", f"That was retracted already: {named}", as_json
    )


@command("hymem restore billing uses mongodb")
@fact_argument
@reason_option
@json_option
def restore(fact: tuple[str, ...], reason: str | None, as_json: bool) -> None:
    """Take a retraction back."""
    named = edge_named(fact)
    _tell(
        _feedback("restore_edge", named, reason), f"Restored: {named}", f"That was restored already: {named}", as_json
    )


@command("hymem alias k8s kubernetes", 'hymem alias "the monolith" legacy_shop', "hymem alias --undo k8s")
@click.argument("name", type=WORDS)
@click.argument("canonical", type=WORDS, required=False)
@click.option("--undo", is_flag=True, help="Take back that NAME means something else.")
@preview_option
@json_option
def alias(name: str, canonical: str | None, undo: bool, preview: bool, as_json: bool) -> None:
    """Say that NAME means CANONICAL: their facts become one thing's. With --undo, they are two things again."""
    if undo == (canonical is not None):
        raise click.UsageError("give NAME and CANONICAL, or --undo and NAME")
    if undo and preview:
        raise click.UsageError("--preview tells of NAME and CANONICAL, not of --undo")
    with opened_memory() as memory:
        if preview and canonical is not None:
            tell_receipt(memory.aliasing(name, canonical), as_json)
            return
        if canonical is None:
            memory.undo_alias(name)
            _tell(True, f"{name} is a name of its own again", "", as_json)
            return
        new = memory.alias(name, canonical)
    _tell(new, f"{name} now means {canonical}", f"That was known: {name} and {canonical} mean the same", as_json)


@command("hymem merge pg postgresql")
@click.argument("name", type=WORDS)
@click.argument("into", type=WORDS)
@json_option
def merge(name: str, into: str, as_json: bool) -> None:
    """Say that two entities are one: NAME's facts, type and mentions become INTO's."""
    with opened_memory() as memory:
        new = memory.merge_canonical(name, into)
    _tell(new, f"{name} is now one with {into}", f"That was known: {name} and {into} are one", as_json)


def _feedback(verb: str, named: EdgeName, reason: str | None) -> bool:
    with opened_memory() as memory:
        try:
            return getattr(memory, verb)(*named, reason)
        except UnknownError as error:
            raise with_near_names(error, memory, named) from None


def _tell(changed: bool, done: str, known: str, as_json: bool) -> None:
    if as_json:
        say_json({"changed": changed})
    else:
        say(f"{done}; {NEXT_DREAM}" if changed else known)
