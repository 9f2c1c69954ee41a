"""`hymem runs`: the last dreams, what each node of one did, and what is another in two of them."""

from typing import TYPE_CHECKING

import click

from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import minute, note, one_line, plain, say, say_json, say_table

if TYPE_CHECKING:
    from hymem.difference import MemoryDiff
    from hymem.records import DreamRun
    from hymem.store.runs import NodeChange, NodeRun


@command("hymem runs", "hymem runs last", "hymem runs last --compare 5f1c", "hymem runs last --compare 5f1c --rows")
@click.argument("run", required=False, type=WORDS, metavar="[RUN]")
@click.option("--compare", metavar="RUN", type=WORDS, help="Tell which nodes are others than in this dream.")
@click.option(
    "--rows", is_flag=True, help="With --compare: tell also which facts, profile entries and lines are others."
)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(min=1), help="Dreams to list.")
@json_option
def runs(run: str | None, compare: str | None, rows: bool, limit: int, as_json: bool) -> None:
    """List the last dreams; of one, what each node did; of two, which nodes changed.

    RUN is an id, how it begins, or `last`. Of large values that fill no table only the number of rows is kept, and of the rows
    of tables how many a dream wrote or deleted. With --rows, memory is computed anew as of both dreams, and compared.
    """
    if (compare is not None and run is None) or (rows and compare is None):
        raise click.UsageError("name the dreams that are to be compared: hymem runs RUN --compare RUN")
    with opened_memory() as memory:
        if run is None:
            _list(memory.runs(limit), as_json)
        elif compare is None:
            _nodes(*memory.run(run), as_json)
        else:
            dream, other = memory.run(run)[0], memory.run(compare)[0]
            earlier, later = sorted([dream, other], key=lambda one: one.started_at)
            found = memory.diff(_end(earlier), _end(later)) if rows else None
            _changes(dream, other, memory.compare_runs(run, compare), found, as_json)


def _list(dreams: "list[DreamRun]", as_json: bool) -> None:
    if as_json:
        say_json(dreams)
        return
    say_table(
        ("id", "started", "outcome", "asked", "answered", "waiting", "rows changed"),
        [
            (d.run_id, minute(d.started_at), d.outcome, d.asked, d.answered, d.waiting, sum(d.changed.values()))
            for d in dreams
        ],
    )


def _nodes(dream: "DreamRun", nodes: "list[NodeRun]", as_json: bool) -> None:
    if as_json:
        say_json({**plain(dream), "nodes": plain(nodes)})
        return
    say(f"{dream.run_id}, {minute(dream.started_at)}, {dream.outcome}")
    rows = [
        (node.node, "" if node.rows is None else node.rows, f"{node.milliseconds:.1f}", one_line(node.error or ""))
        for node in nodes
    ]
    say_table(("node", "rows", "ms", "error"), rows)


def _end(dream: "DreamRun") -> str:
    return dream.finished_at or dream.started_at


def _changes(
    dream: "DreamRun", other: "DreamRun", changes: "list[NodeChange]", found: "MemoryDiff | None", as_json: bool
) -> None:
    from serving.cli.difference import diff_as_json, tell_difference

    if as_json:
        nodes = [{**plain(change), "changed": change.changed} for change in changes]
        say_json(nodes if found is None else {"nodes": nodes, "rows": diff_as_json(found)})
        return
    changed = [change for change in changes if change.changed]
    say(f"{len(changed)} of {len(changes)} nodes are others in {dream.run_id} than in {other.run_id}")
    say_table(("node", "rows then", "rows now"), [(c.node, _rows(c.before), _rows(c.after)) for c in changed])
    if dream.changed:
        say(f"\nRows that {dream.run_id} wrote or deleted")
        say_table(("table", "rows"), list(dream.changed.items()))
    if found is not None:
        say()
        tell_difference(found, as_json=False)
    unknown = sum(change.changed is None for change in changes)
    if unknown:
        note(f"note: of {unknown} nodes only the number of rows is kept, and it is the same")


def _rows(node: "NodeRun | None") -> str:
    return "did not run" if node is None else "" if node.rows is None else str(node.rows)
