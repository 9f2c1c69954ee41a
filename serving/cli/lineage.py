"""`hymem lineage`: the dataflow of a dream, drawn; coloured by its chapters, or by what a dream did."""

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import plain, say_json, say_table
from serving.pictures import FORMATS, Picture, Spot

if TYPE_CHECKING:
    from hymem.records import PipelineNode
    from hymem.store.runs import NodeRun

_PALETTE: Final = (
    *("#cfe2f3", "#d9ead3", "#fff2cc", "#f4cccc", "#d9d2e9", "#fce5cd", "#d0e0e3", "#ead1dc"),
    *("#c9daf8", "#e2efda", "#ffe599", "#f8d7c4", "#e6e0f5", "#cfe8cf", "#dfe7f5"),
)
FAILED, CHANGED, RAN, NOT_RUN = "#f4b6b6", "#ffe8a3", "#dcedc8", "#ffffff"


class Deed(NamedTuple):
    """What a node did in a dream, and whether that is another value than in the dream before; None where that is unknown."""

    run: "NodeRun"
    changed: bool | None


@command(
    "hymem lineage                              every node of a dream",
    "hymem lineage knowledge_graph --up         what the graph is made from",
    "hymem lineage --from messages --to insights --format mermaid",
    "hymem lineage --run last --format svg --output dream.svg",
)
@click.argument("node", required=False, type=WORDS)
@click.option("--up", is_flag=True, help="What NODE is made from.")
@click.option("--down", is_flag=True, help="What is made from NODE.")
@click.option("--from", "start", metavar="NODE", help="Only what lies between this node …")
@click.option("--to", "end", metavar="NODE", help="… and this one.")
@click.option("--run", metavar="RUN", help="Colour by what a dream did: its id, or `last`.")
@click.option(
    "--format", "form", type=click.Choice(["text", "mermaid", *FORMATS, "markdown"]), default="text", show_default=True
)
@click.option("--output", metavar="FILE", help="Where to put it, in place of standard output.")
@json_option
def lineage(
    node: str | None,
    up: bool,
    down: bool,
    start: str | None,
    end: str | None,
    run: str | None,
    form: str,
    output: str | None,
    as_json: bool,
) -> None:
    """Show how a dream computes memory: its nodes, what each is made from, and which tables they fill.

    With --run, what one dream did: which nodes ran, their rows and milliseconds, which changed since the dream before, which
    failed. SVG and PNG need the extra `viz`; `markdown` is the page docs/dreaming.md.
    """
    from serving.memory import HyMem

    if form == "markdown":
        _put(HyMem.dreaming_page().encode(), output)
        return
    nodes = HyMem.lineage(node, up=up, down=down, start=start, end=end)
    did = _did(run) if run else {}
    if as_json:
        say_json([{**plain(one), **_deed_fields(did.get(one.name), bool(run))} for one in nodes])
    elif form == "text" and output is None:
        _tell(nodes, did, bool(run))
    else:
        picture = pipeline_picture(nodes, did, bool(run))
        _put(picture.drawn(form) if form in FORMATS else (picture.mermaid() + "\n").encode(), output)


def pipeline_picture(nodes: "list[PipelineNode]", did: "dict[str, Deed]", by_run: bool) -> Picture:
    """The nodes in the boxes of their chapters, with the arrows between them."""
    shown = {node.name for node in nodes}
    colours = {
        name: _PALETTE[n % len(_PALETTE)] for n, name in enumerate(dict.fromkeys(node.chapter for node in nodes))
    }
    spots = [
        Spot(
            node.name,
            (node.name, *([_done(did.get(node.name))] if by_run and node.chapter else [])),
            _run_colour(did.get(node.name)) if by_run else colours[node.chapter],
            round=not node.chapter,
            box=node.chapter,
        )
        for node in nodes
    ]
    return Picture(spots, [(need, node.name) for node in nodes for need in node.needs if need in shown])


def _did(run: str) -> "dict[str, Deed]":
    with opened_memory() as memory:
        _, nodes = memory.run(run)
        changed = {change.node: change.changed for change in memory.compare_runs(run)}
    return {node.node: Deed(node, changed.get(node.node)) for node in nodes}


def _done(deed: "Deed | None") -> str:
    if deed is None:
        return "did not run"
    if deed.run.error:
        return f"failed: {deed.run.error}"
    rows = "" if deed.run.rows is None else f"{deed.run.rows} rows, "
    return f"{rows}{deed.run.milliseconds:.1f} ms{', changed' if deed.changed else ''}"


def _run_colour(deed: "Deed | None") -> str:
    if deed is None:
        return NOT_RUN
    return FAILED if deed.run.error else CHANGED if deed.changed else RAN


def _tell(nodes: "list[PipelineNode]", did: "dict[str, Deed]", by_run: bool) -> None:
    columns = ("chapter", "node", "type", "fills", "made from")
    rows = [(one.chapter, one.name, one.type, one.table, ", ".join(one.needs)) for one in nodes]
    if by_run:
        columns = ("chapter", "node", "fills", "what it did")
        rows = [(one.chapter, one.name, one.table, _done(did.get(one.name))) for one in nodes if one.chapter]
    say_table(columns, rows)


def _deed_fields(deed: "Deed | None", by_run: bool) -> dict[str, Any]:
    if not by_run:
        return {}
    return {"run": plain(deed.run), "changed": deed.changed} if deed else {"run": None, "changed": None}


def _put(content: bytes, output: str | None) -> None:
    with click.open_file(output or "-", "wb") as out:
        out.write(content)
