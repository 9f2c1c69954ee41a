"""`hymem why`: from a fact back to the words that it was read from, with the arithmetic."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from hymem.canonical import canonical_or_none
from hymem.digests import shown
from hymem.errors import InputError, UnknownError
from hymem.vocabulary import fact_in_words
from serving.cli.edges import edge_named, with_near_names
from serving.cli.options import WORDS, as_of_option, command, json_option, opened_memory
from serving.cli.origins import origin_lines, origin_picture, removal_lines, save_picture
from serving.cli.printing import day, one_line, plain, say, say_json

if TYPE_CHECKING:
    from hymem.records import Chunk, Edge, Evidence, LoggedMessage, Verdict
    from serving.memory import HyMem
    from serving.recall.origin import Origin
    from serving.recall.why import Fading, Why, Witness

EXCERPT = 90


@command(
    "hymem why billing depends_on redis",
    'hymem why "billing depends on redis" --json',
    "hymem why MEMORY.md:7",
    'hymem why "redis is a shared dependency of: api, billing"',
    "hymem why fact 12",
    "hymem why 2f5f023b9f8b3e8b --picture why.svg",
)
@click.argument("what", nargs=-1, required=True, type=WORDS, metavar="WHAT")
@click.option("--mermaid", is_flag=True, help="Print a picture as Mermaid text.")
@click.option("--picture", metavar="FILE", help="Draw it into FILE, an .svg or .png; needs the extra `viz`.")
@as_of_option
@json_option
def why(what: tuple[str, ...], as_of: str | None, mermaid: bool, picture: str | None, as_json: bool) -> None:
    """Explain what is remembered, down to the very messages, and tell what would remove it.

    WHAT is a fact (SUBJECT PREDICATE OBJECT, or a sentence), a line of MEMORY.md or USER.md (FILE:NUMBER, or its text), a told
    fact ("fact 12", or its words), or the id of a fact, a profile entry, an episode or a procedure.

    The arithmetic of its confidence, all evidence, the model's replies, and what was said. A fact that follows from others is
    explained step by step. At the end: what would remove it, and what else would go. The exit code is 4 where nothing is
    known of it.
    """
    with opened_memory(as_of=as_of) as memory:
        origin = _origin(memory, what)
        if mermaid:
            say(origin_picture(origin).mermaid())
        elif picture:
            save_picture(origin_picture(origin), picture)
        else:
            _explain(memory, origin, as_json, as_it_is=as_of is None)


def _origin(memory: "HyMem", what: tuple[str, ...]) -> "Origin":
    """Where it comes from; an edge that is not known is told with those that may have been meant."""
    try:
        return memory.origin(" ".join(what)) if len(what) != 3 else _origin_of_three(memory, what)
    except UnknownError as error:
        if len(what) != 3 and fact_in_words(" ".join(what)) is None:
            raise
        raise with_near_names(error, memory, edge_named(what)) from None


def _origin_of_three(memory: "HyMem", what: tuple[str, ...]) -> "Origin":
    """Three words are an edge's name; where there is none of that name, what reads so."""
    try:
        return memory.origin_of_edge(*what)
    except (UnknownError, InputError) as error:
        try:
            return memory.origin(" ".join(what))
        except (UnknownError, InputError):
            raise error from None


def _explain(memory: "HyMem", origin: "Origin", as_json: bool, as_it_is: bool) -> None:
    """Tell it; of a moment that is past, nothing can be removed any more."""
    removal = memory.removal(origin) if as_it_is else None
    edges = memory.why(*origin.name.split(" ")) if origin.kind in ("edge", "derived edge") else ()
    if as_json:
        told = [{**_as_json(one), "removal": plain(removal)} for one in edges]
        say_json(told if edges else {**plain(origin), "removal": plain(removal)})
        return
    say("\n\n".join("\n".join(_lines(one)) for one in edges) if edges else "\n".join(origin_lines(origin)))
    if removal is not None:
        say()
        say("\n".join(removal_lines(removal)))


def _as_json(one: "Why") -> dict[str, object]:
    from serving.recall.facts import sentence

    steps = [_as_json(step) for step in one.steps]
    return {**plain(one), "sentence": sentence(one.edge), "negated": one.edge.negated, "steps": steps}


def _lines(one: "Why", depth: str = "") -> Iterator[str]:
    from serving.recall.facts import sentence

    edge = one.edge
    yield f"{depth}{one_line(sentence(edge))}"
    yield f"{depth}  {edge.status}{', derived' if edge.derived else ''}, confidence {one.arithmetic}"
    for step in one.steps:
        yield ""
        yield from _lines(step, depth + "    ")
    for witness in one.witnesses:
        yield ""
        yield from (f"{depth}  {line}" for line in _testimony(witness, edge))
    for fading in one.fadings:
        yield ""
        yield from (f"{depth}  {line}" for line in _fading(fading))
    if one.verdicts:
        yield ""
        yield from (f"{depth}  {_verdict(verdict)}" for verdict in one.verdicts)


def _verdict(verdict: "Verdict") -> str:
    from serving.recall.origin import verdict_in_words

    sign = "-" if verdict.act == "retract" else "+"
    return f"{sign} {day(verdict.created_at)}  {one_line(verdict_in_words(verdict), EXCERPT)}"


def _testimony(witness: "Witness", edge: "Edge") -> Iterator[str]:
    told = witness.evidence
    yield f'{"+" if told.polarity > 0 else "-"} {day(told.said_at)}  "{one_line(told.quote, EXCERPT)}"{_manner(told)}'
    if witness.reply:
        origin = f"{told.model}, prompt {told.prompt_version}, {day(told.replied_at)}"
        yield f"    reply    {origin}: {_item_of(witness.reply, told.quote, edge)}"
    yield f"    chunk    {_chunk(witness.chunk)}"
    yield from (f"    message  {_message(said)}" for said in witness.messages)


def _manner(told: "Evidence") -> str:
    return "  (something else replaced it)" if told.source == "superseded" else ""


def _fading(fading: "Fading") -> Iterator[str]:
    window = fading.rediscussion
    yield f"- {day(window.said_at)}  decay window {window.window}: the topic returned, the fact did not"
    yield f"    chunk    {_chunk(fading.chunk)}"


def _chunk(chunk: "Chunk") -> str:
    return f"{shown(chunk.chunk_id)} in {one_line(chunk.session_id)}, salient by {chunk.salience_reason}"


def _message(said: "LoggedMessage") -> str:
    return f'{one_line(said.message_id, 32)} {one_line(said.peer_id, 32)}: "{one_line(said.content, EXCERPT)}"'


def _item_of(reply: str, quote: str, edge: "Edge") -> str:
    """The item of a reply that the evidence was read from, or how the reply begins where that cannot be told."""
    from hymem.errors import ReplyError
    from hymem.models.replies import read_extraction

    try:
        items = read_extraction(reply).triples
    except ReplyError:
        return one_line(reply, EXCERPT)
    quoted = [item for item in items if item.quote == quote]
    same = [item for item in quoted if item.predicate == edge.predicate] or quoted
    best = [item for item in same if canonical_or_none(item.object) == edge.object] or same
    return one_line(json.dumps(asdict(best[0]), ensure_ascii=False), EXCERPT) if best else one_line(reply, EXCERPT)
