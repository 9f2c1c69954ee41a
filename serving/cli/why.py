"""`hymem why`: from a fact back to the words that it was read from, with the arithmetic."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from hymem.digests import shown
from hymem.errors import UnknownError
from serving.cli.edges import edge_named, with_near_names
from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import day, harmless, one_line, plain, say, say_json

if TYPE_CHECKING:
    from hymem.records import Chunk, Evidence, LoggedMessage
    from serving.recall.why import Fading, Why, Witness

EXCERPT = 90


@command(
    "hymem why billing depends_on redis", 'hymem why "billing depends on redis"', "hymem why api uses flask --json"
)
@click.argument("fact", nargs=-1, required=True, type=WORDS, metavar="SUBJECT PREDICATE OBJECT")
@json_option
def why(fact: tuple[str, ...], as_json: bool) -> None:
    """Explain a fact, down to the very messages.

    The arithmetic of its confidence, all evidence, the model's replies, and what was said. A fact that follows from others is
    explained step by step. The exit code is 4 where nothing is known of it.
    """
    named = edge_named(fact)
    with opened_memory() as memory:
        try:
            found = memory.why(*named)
        except UnknownError as error:
            raise with_near_names(error, memory, named) from None
    if as_json:
        say_json([_as_json(one) for one in found])
    else:
        say("\n\n".join("\n".join(_lines(one)) for one in found))


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
        yield from (f"{depth}  {line}" for line in _testimony(witness))
    for fading in one.fadings:
        yield ""
        yield from (f"{depth}  {line}" for line in _fading(fading))


def _testimony(witness: "Witness") -> Iterator[str]:
    told = witness.evidence
    yield f'{"+" if told.polarity > 0 else "-"} {day(told.said_at)}  "{one_line(told.quote, EXCERPT)}"{_manner(told)}'
    if witness.reply:
        origin = f"{told.model}, prompt {told.prompt_version}, {day(told.replied_at)}"
        yield f"    reply    {origin}: {_around(witness.reply, told.quote)}"
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


def _around(reply: str, quote: str) -> str:
    """The part of a reply that holds the quote."""
    place = harmless(reply).find(harmless(quote)[:40])
    start = max(0, reply.rfind("{", 0, place)) if place > 0 else 0
    return ("…" if start else "") + one_line(reply[start:], EXCERPT)
