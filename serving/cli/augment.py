"""`hymem augment`: what is remembered about a message, and why it was found."""

import sys
from typing import TYPE_CHECKING, Final

import click

from serving.cli.options import WORDS, as_of_option, command, json_option, opened_memory
from serving.cli.printing import day, note, one_line, plain, say, say_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hymem.records import Edge
    from serving.recall import AugmentedContext

STDIN: Final = "-"
LONG: Final = 300
"""Characters of an episode or a procedure that are shown."""

SENTENCES: Final = ("episodes", "procedures")
"""Parts that JSON gives as sentences, too."""


@command(
    'hymem augment "What does billing depend on?"',
    "hymem augment --json - < message.txt",
    'hymem augment "How do we deploy?" --max-tokens 500',
)
@click.argument("text", nargs=-1, required=True, type=WORDS)
@click.option(
    "--max-tokens",
    metavar="N",
    type=click.IntRange(min=1),
    help="Keep the best that fits into N tokens, and tell what was left out.",
)
@as_of_option
@json_option
def augment(text: tuple[str, ...], max_tokens: int | None, as_of: str | None, as_json: bool) -> None:
    """Recall what bears on TEXT, with the reasons.

    Facts are found by the names in it; episodes, procedures and pieces of conversation by its words. For - the text
    comes from standard input. JSON holds USER.md and MEMORY.md as well.
    """
    message = sys.stdin.read() if text == (STDIN,) else " ".join(text)
    with opened_memory(as_of=as_of) as memory:
        found = memory.augment(WORDS.convert(message, None, None), max_tokens=max_tokens, files=as_json)
    say_json(_as_json(found)) if as_json else _tell(found)


def _as_json(found: "AugmentedContext") -> dict[str, object]:
    facts = [{**plain(f), "sentence": str(f), "negated": f.negated} for f in found.graph_facts]
    told = {part: [{**plain(hit), "sentence": str(hit)} for hit in getattr(found, part)] for part in SENTENCES}
    return {**plain(found), "graph_facts": facts, **told}


def _tell(found: "AugmentedContext") -> None:
    parts = [part for part in (_facts(found), _told(found), _experience(found), _said(found)) if part]
    for reason in found.degraded:
        note(f"Recall had to do without: {one_line(reason, 300)}")
    if found.left_out:
        note(f"Left out for want of tokens: {found.left_out}.")
    elif not parts:
        note("Nothing is remembered about that; `hymem show graph` lists what is known.")
    if parts:
        say("\n\n".join("\n".join(lines) for lines in parts))


def _facts(found: "AugmentedContext") -> list[str]:
    return _part("Facts", ((one_line(str(f)), _standing(f.edge), f.why_retrieved) for f in found.graph_facts))


def _told(found: "AugmentedContext") -> list[str]:
    hits = ((hit, f"trust {hit.fact.trust_score:.2f}, {day(hit.fact.updated_at)}") for hit in found.facts)
    return _part("Told", ((one_line(str(hit)), whence, hit.why_retrieved) for hit, whence in hits))


def _experience(found: "AugmentedContext") -> list[str]:
    episodes = (
        (one_line(str(hit), LONG), _whence(hit.episode.started_at, hit.episode.session_id), hit.why_retrieved)
        for hit in found.episodes
    )
    procedures = (
        (one_line(str(hit), LONG), _whence(hit.procedure.said_at, hit.procedure.session_id), hit.why_retrieved)
        for hit in found.procedures
    )
    told, known = _part("Happened", episodes), _part("How it is done", procedures)
    return [*told, *([""] if told and known else []), *known]


def _said(found: "AugmentedContext") -> list[str]:
    hits = found.fts_hits
    return _part(
        "Said", ((f'"{one_line(h.text, 90)}"', _whence(h.said_at, h.session_id), h.why_retrieved) for h in hits)
    )


def _part(title: str, hits: "Iterable[tuple[str, str, Sequence[str]]]") -> list[str]:
    """A title and, for each hit, its text, and where it comes from and why it was found."""
    lines = list[str]()
    for text, whence, why in hits:
        lines += [f"  {text}", f"      {whence}  [{', '.join(why)}]"]
    return [title, *lines] if lines else []


def _whence(moment: str, session_id: str) -> str:
    return f"{day(moment)}, {one_line(session_id)}"


def _standing(edge: "Edge") -> str:
    believed = f"confidence {edge.confidence:.3f}"
    stated = "derived" if edge.derived else f"{edge.pos_evidence} for, {edge.neg_evidence} against"
    stale = ["stale"] if edge.status == "stale" else []
    return ", ".join([believed, stated, *stale, f"last said {day(edge.last_seen)}"])
