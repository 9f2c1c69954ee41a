"""`hymem augment`: what is remembered about a message, and why it was found."""

import sys
from typing import TYPE_CHECKING

import click

from serving.cli.options import WORDS, as_of_option, command, json_option, opened_memory
from serving.cli.printing import day, note, one_line, plain, say, say_json

if TYPE_CHECKING:
    from hymem.records import Edge
    from serving.recall import AugmentedContext

STDIN = "-"


@command('hymem augment "What does billing depend on?"', "hymem augment --json - < message.txt")
@click.argument("text", nargs=-1, required=True, type=WORDS)
@as_of_option
@json_option
def augment(text: tuple[str, ...], as_of: str | None, as_json: bool) -> None:
    """Recall what bears on TEXT, with the reasons.

    Facts are found by the names in it, pieces of conversation by its words. No model is asked. For - the text comes from
    standard input. JSON holds USER.md and MEMORY.md as well.
    """
    message = sys.stdin.read() if text == (STDIN,) else " ".join(text)
    with opened_memory(as_of=as_of) as memory:
        found = memory.augment(WORDS.convert(message, None, None))
    say_json(_as_json(found)) if as_json else _tell(found)


def _as_json(found: "AugmentedContext") -> dict[str, object]:
    facts = [{**plain(f), "sentence": str(f), "negated": f.negated} for f in found.graph_facts]
    return {**plain(found), "graph_facts": facts}


def _tell(found: "AugmentedContext") -> None:
    if not (found.graph_facts or found.fts_hits or found.facts):
        note("Nothing is remembered about that; `hymem show graph` lists what is known.")
    if found.graph_facts:
        say("Facts")
    for fact in found.graph_facts:
        say(f"  {one_line(str(fact))}")
        say(f"      {_standing(fact.edge)}  [{', '.join(fact.why_retrieved)}]")
    if found.facts:
        say("\nTold" if found.graph_facts else "Told")
    for told in found.facts:
        say(f"  {one_line(str(told))}")
        say(f"      trust {told.fact.trust_score:.2f}, {day(told.fact.updated_at)}  [{', '.join(told.why_retrieved)}]")
    if found.fts_hits:
        say("\nSaid" if found.graph_facts or found.facts else "Said")
    for hit in found.fts_hits:
        say(f'  "{one_line(hit.text, 90)}"')
        say(f"      {day(hit.said_at)}, {one_line(hit.session_id)}  [{', '.join(hit.why_retrieved)}]")


def _standing(edge: "Edge") -> str:
    believed = f"confidence {edge.confidence:.3f}"
    stated = "derived" if edge.derived else f"{edge.pos_evidence} for, {edge.neg_evidence} against"
    stale = ["stale"] if edge.status == "stale" else []
    return ", ".join([believed, stated, *stale, f"last said {day(edge.last_seen)}"])
