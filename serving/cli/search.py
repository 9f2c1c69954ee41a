"""`hymem search`: what was said about something."""

from typing import Any

import click

from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import minute, note, one_line, plain, say, say_json


@command(
    "hymem search 'which database did we choose?'", "hymem search 'invoice bug' --session monday --role user --json"
)
@click.argument("text", type=WORDS)
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=10, show_default=True, help="How many at most."
)
@click.option(
    "--session", "sessions", metavar="ID", type=WORDS, multiple=True, help="Of this session only; may be repeated."
)
@click.option("--peer", "peers", metavar="ID", type=WORDS, multiple=True, help="Of this peer only; may be repeated.")
@click.option(
    "--role",
    "roles",
    type=click.Choice(["user", "assistant", "tool"]),
    multiple=True,
    help="In this role only; may be repeated.",
)
@json_option
def search(
    text: str, limit: int, sessions: tuple[str, ...], peers: tuple[str, ...], roles: tuple[str, ...], as_json: bool
) -> None:
    """Find messages by their words and, with an embedding model, their meaning."""
    chosen: dict[str, Any] = {"sessions": sessions or None, "peers": peers or None, "roles": roles or None}
    with opened_memory() as memory:
        hits = memory.search(text, limit=limit, **chosen)
    if as_json:
        say_json([plain(hit) for hit in hits])
        return
    for hit in hits:
        said = hit.message
        say(f'"{one_line(said.content, 90)}"')
        whose = f"{one_line(said.peer_id)} in {one_line(said.session_id)}"
        say(f"    {minute(said.created_at)}, {whose}  [{', '.join(hit.why_retrieved)}]")
    if not hits:
        note("Nothing that was said bears on that.")
