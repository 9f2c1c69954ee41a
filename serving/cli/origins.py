"""How an origin is printed, drawn, and followed by what would remove it."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import click

from serving.cli.printing import day, one_line
from serving.pictures import Picture, Spot

if TYPE_CHECKING:
    from serving.aftermath import Removal
    from serving.recall.origin import Origin

EXCERPT: Final = 90
SHOWN: Final = 12
"""Things of a kind that are listed; JSON has all."""

KINDS: Final = {
    "knowledge_graph": "facts",
    "profile_entries": "profile entries",
    "insights": "insights",
    "episodes": "episodes",
    "procedures": "procedures",
    "facts": "told facts",
    "markdown_sections": "lines of MEMORY.md and USER.md",
    "chunks": "chunks",
    "processed_chunks": "replies of models",
}
"""Tables as people know them."""

_COLOURS: Final = {"message": "#cfe8cf", "chunk": "#dfe7f5", "reply": "#eee0f5", "decay window": "#f5d9d0"}


def origin_lines(origin: "Origin", depth: str = "") -> Iterator[str]:
    """An origin as an indented outline."""
    head = (origin.sign, day(origin.at), origin.kind, origin.id, one_line(origin.title, EXCERPT))
    yield depth + " ".join(part for part in head if part)
    if origin.arithmetic:
        yield f"{depth}  {origin.arithmetic}"
    for step in origin.steps:
        yield from origin_lines(step, depth + "    ")


def origin_picture(origin: "Origin") -> Picture:
    """An origin as a picture, from the messages up to the thing; what comes up twice is drawn once."""
    spots: dict[str, Spot] = {}
    arrows: dict[tuple[str, str], None] = {}

    def draw(one: "Origin", place: str) -> str:
        name = f"{one.kind} {one.id}" if one.id else place
        label = (f"{one.sign} {one.kind}".strip(), one.title, *([one.arithmetic] if one.arithmetic else []))
        spots.setdefault(name, Spot(name, label, _COLOURS.get(one.kind, "#f5ecc8"), round=one.kind == "message"))
        for number, step in enumerate(one.steps):
            arrows[draw(step, f"{place}.{number}"), name] = None
        return name

    draw(origin, "0")
    return Picture(list(spots.values()), list(arrows))


def removal_lines(removal: "Removal") -> Iterator[str]:
    """What would remove it, and what else would go."""
    yield "What would remove it"
    for edge in removal.retract[:SHOWN]:
        yield f"  hymem retract {one_line(edge)}"
    for fact in removal.facts:
        yield f"  hymem forget --fact {fact}"
    for message in removal.messages[:SHOWN]:
        yield f"  hymem forget --message {one_line(message)}"
    if len(removal.messages) > 1:
        yield "  (all of the messages together)"
    if removal.messages and not removal.suffices:
        yield "  (it would stay even without these messages)"
    yield "What else would go with the messages"
    yield from listed(removal.goes)


def listed(things: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Things by kind, a line each."""
    if not things:
        yield "  nothing"
    for table, texts in things.items():
        yield f"  {KINDS.get(table, table)}:"
        yield from (f"    {one_line(text.removeprefix('- '), EXCERPT)}" for text in texts[:SHOWN])
        if len(texts) > SHOWN:
            yield f"    and {len(texts) - SHOWN} more"


def save_picture(picture: Picture, file: str) -> None:
    """Write a picture into a file, in the format that its name ends with."""
    form = file.rpartition(".")[2].lower()
    if form not in ("svg", "png"):
        raise click.BadParameter("name a file that ends with .svg or .png")
    with click.open_file(file, "wb") as out:
        out.write(picture.drawn(form))
