"""`hymem show`: what memory holds, table by table."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from serving.cli.guard import Guarded
from serving.cli.options import WORDS, as_of_option, command, examples, json_option, opened_memory, where_options
from serving.cli.printing import day, minute, note, one_line, plain, say, say_json, say_table

limit_option: Final = click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=50, show_default=True, help="How many at most."
)


class Tables(Guarded, click.Group):
    """The commands of `hymem show`."""


@click.group(cls=Tables, epilog=examples("hymem show graph", "hymem show messages --session monday --json"))
@where_options
def show() -> None:
    """Show what memory holds."""


def table(*lines: str, dated: bool = True) -> Callable[[Callable[..., Any]], click.Command]:
    """A command of `hymem show`, with these examples; `dated` where it can be asked of the past."""

    def added(function: Callable[..., Any]) -> click.Command:
        asked = json_option(function)
        made = command(*lines)(as_of_option(asked) if dated else asked)
        show.add_command(made)
        return made

    return added


@table("hymem show profile")
def profile(as_json: bool, as_of: str | None) -> None:
    """What each peer wants, rejects, corrects, and how they like things done: the entries behind USER.md."""
    with opened_memory(as_of=as_of) as memory:
        entries = memory.profile()
    _print(
        entries,
        ("peer", "kind", "statement", "confidence", "for", "against", "last said"),
        lambda e: (
            e.peer_id,
            e.kind,
            e.statement,
            f"{e.confidence:.3f}",
            e.pos_evidence,
            e.neg_evidence,
            day(e.last_seen),
        ),
        as_json,
    )


@table("hymem show insights")
def insights(as_json: bool, as_of: str | None) -> None:
    """What is worth always knowing: the lines of MEMORY.md."""
    with opened_memory(as_of=as_of) as memory:
        lines = memory.insights()
    _print(lines, ("kind", "insight"), lambda line: (line.kind, line.statement), as_json)


@table("hymem show graph", "hymem show graph --all --json", "hymem show graph --as-of 2025-03-01")
@click.option("--all", "retracted", is_flag=True, help="Also what is retracted.")
def graph(retracted: bool, as_json: bool, as_of: str | None) -> None:
    """The facts, the most confident first; what follows from others is marked as derived."""
    from serving.recall.facts import sentence

    with opened_memory(as_of=as_of) as memory:
        edges = memory.edges(include_retracted=retracted)
    _print(
        edges,
        ("fact", "confidence", "for", "against", "status", "last said"),
        lambda edge: (
            *(sentence(edge), f"{edge.confidence:.3f}", edge.pos_evidence, edge.neg_evidence),
            *(f"{edge.status}, derived" if edge.derived else edge.status, day(edge.last_seen)),
        ),
        as_json,
        lambda edge: {**plain(edge), "negated": edge.negated, "sentence": sentence(edge)},
    )


@table("hymem show facts", "hymem show facts --category team --json", dated=False)
@click.option("--category", metavar="NAME", type=WORDS, help="Of one category only.")
@limit_option
def facts(category: str | None, limit: int, as_json: bool) -> None:
    """What was told as facts, the most trusted first."""
    with opened_memory() as memory:
        told = memory.facts(category, limit=limit)
    if as_json or told:
        _print(
            told,
            ("id", "fact", "category", "trust", "found", "told"),
            lambda fact: (
                *(fact["fact_id"], fact["content"], fact["category"], f"{fact['trust_score']:.2f}"),
                *(fact["retrieval_count"], day(fact["created_at"])),
            ),
            as_json,
        )
    else:
        note('None so far. `hymem remember "Ada is away in May."` tells one.')


@table("hymem show entities")
@limit_option
def entities(limit: int, as_json: bool, as_of: str | None) -> None:
    """The things in the graph, those with the most facts first."""
    with opened_memory(as_of=as_of) as memory:
        things = memory.entities()[:limit]
    _print(
        things,
        ("entity", "type", "also called", "facts", "mentions"),
        lambda thing: (thing.entity, thing.type or "", ", ".join(thing.names), thing.facts, thing.mentions),
        as_json,
    )


@table("hymem show episodes")
@limit_option
def episodes(limit: int, as_json: bool, as_of: str | None) -> None:
    """What happened, the latest first."""
    with opened_memory(as_of=as_of) as memory:
        happened = memory.episodes()[:limit]
    _print(
        happened,
        ("when", "session", "episode", "outcome"),
        lambda e: (day(e.started_at), e.session_id, e.title, e.outcome),
        as_json,
    )


@table("hymem show procedures")
@limit_option
def procedures(limit: int, as_json: bool, as_of: str | None) -> None:
    """How things are done, step by step."""
    with opened_memory(as_of=as_of) as memory:
        ways = memory.procedures()[:limit]
    if as_json or not ways:
        _print(ways, (), lambda way: (), as_json)
        return
    for way in ways:
        say(f"{one_line(way.name)}  ({way.session_id}, {day(way.said_at)})")
        for step in way.steps:
            say(f"  {step['order']}. {one_line(step['action'])}")


@table("hymem show runs --limit 5", dated=False)
@limit_option
def runs(limit: int, as_json: bool) -> None:
    """The last dreams, the newest first."""
    with opened_memory() as memory:
        dreams = memory.runs(limit)
    _print(
        dreams,
        ("started", "outcome", "asked", "answered", "failed", "waiting", "facts", "remarks"),
        lambda run: (
            *(minute(run.started_at), run.outcome, run.asked, run.answered, run.failed, run.waiting),
            *(run.changed.get("knowledge_graph", 0), "; ".join([*run.warnings, *([run.error] if run.error else [])])),
        ),
        as_json,
    )


@table("hymem show messages --session monday", "hymem show messages --limit 100000 --json > backup.json")
@click.option("--session", metavar="ID", type=WORDS, help="Of one session only.")
@limit_option
def messages(session: str | None, limit: int, as_json: bool, as_of: str | None) -> None:
    """The last messages, in the order of their telling; as JSON, they can be ingested elsewhere."""
    with opened_memory(as_of=as_of) as memory:
        told = memory.messages(session, limit)
    _print(
        told,
        ("said", "session", "peer", "text", "id"),
        lambda m: (minute(m.created_at), m.session_id, m.peer_id, m.content[:1000], m.message_id),
        as_json,
    )


@table("hymem show sessions")
def sessions(as_json: bool, as_of: str | None) -> None:
    """All sessions, the newest first."""
    with opened_memory(as_of=as_of) as memory:
        held = memory.sessions()
    _print(
        held,
        ("session", "messages", "started", "ended", "summary"),
        lambda s: (s.session_id, s.messages, minute(s.started_at), minute(s.ended_at), s.summary or ""),
        as_json,
    )


def _print(
    records: Sequence[Any],
    columns: Sequence[str],
    row: Callable[[Any], Sequence[object]],
    as_json: bool,
    as_value: Callable[[Any], Any] = plain,
) -> None:
    if as_json:
        say_json([as_value(record) for record in records])
    elif records:
        say_table(columns, [row(record) for record in records])
    else:
        note("None so far. `hymem ingest FILE` tells it what was said, `hymem dream` learns from that.")
