"""The dataflow as something to look at: its nodes, what each is made from, and the page that describes them all."""

from collections.abc import Iterable, Sequence
from typing import Any

from hamilton.graph_types import HamiltonNode

from dataflows.driver import CHAPTERS, build_driver
from hymem.errors import InputError, UnknownError
from hymem.records import PipelineNode


def pipeline() -> list[PipelineNode]:
    """Every node, chapter by chapter in the order of the story, sources first."""
    order = {_chapter_of(chapter.__name__): place for place, chapter in enumerate(CHAPTERS)}
    found = [_node(node) for node in _variables()]
    return sorted(found, key=lambda node: (order.get(node.chapter, -1), node.name))


def part_of_pipeline(
    node: str | None = None, *, up: bool = False, down: bool = False, start: str | None = None, end: str | None = None
) -> list[PipelineNode]:
    """The whole, or what lies upstream or downstream of a node (both, where neither is asked for), or between two nodes.

    Raises `UnknownError` for a node that is not there, and `InputError` where two nodes are not connected.
    """
    every = {one.name: one for one in pipeline()}
    for name in (node, start, end):
        if name is not None and name not in every:
            raise UnknownError(f"no node {name!r}: `hymem lineage` lists them")
    if node is None and start is None and end is None:
        return list(every.values())
    if node is not None:
        above = _reached(node, {one.name: one.needs for one in every.values()}) if up or not down else {node}
        below = _reached(node, _used_by(every.values())) if down or not up else {node}
        return [one for one in every.values() if one.name in above | below]
    if start is None or end is None:
        raise InputError("a path needs both ends: --from and --to")
    between = _reached(start, _used_by(every.values())) & _reached(end, {one.name: one.needs for one in every.values()})
    if not between:
        raise InputError(f"{end} is not made from {start}")
    return [one for one in every.values() if one.name in between]


def dreaming_page() -> str:
    """`docs/dreaming.md`: each chapter with its words, its graph and its nodes."""
    nodes = pipeline()
    docs = {_chapter_of(chapter.__name__): (chapter.__doc__ or "").strip() for chapter in CHAPTERS}
    parts = [_PREFACE, _chapters_graph(nodes)]
    for chapter, doc in docs.items():
        members = [node for node in nodes if node.chapter == chapter]
        parts += [f"## {chapter.replace('_', ' ').capitalize()}", doc, _graph(members, nodes), _table(members)]
    parts += ["## Sources", _SOURCES, _table([node for node in nodes if not node.chapter])]
    return "\n\n".join(parts) + "\n"


_PREFACE = """# How a dream computes memory

This page is made from the code: `hymem lineage --format markdown > docs/dreaming.md` writes it anew.

A dream is an Apache Hamilton dataflow. Each node is a function: its name is the value's name, its parameters are the nodes that
it is made from, its docstring says what the value is. Nodes that fill a table of `hymem.db` say which. A chapter is a module of
`dataflows/`. An arrow from one chapter to another says that something of the first goes into the second."""

_SOURCES = (
    "What comes from outside: rows of the ledger, rows of earlier dreams that still hold, parameters, the moment."
)


def _variables() -> list[Any]:
    return build_driver().list_available_variables()


def _node(variable: HamiltonNode) -> PipelineNode:
    made = variable.originating_functions
    outside = variable.is_external_input or not made
    return PipelineNode(
        variable.name,
        "" if outside or not made else _chapter_of(made[0].__module__),
        _type_name(variable.type),
        " ".join((variable.documentation or "").split("\n\n")[0].split()),
        str(variable.tags.get("table", "")),
        tuple(sorted(variable.required_dependencies | variable.optional_dependencies)),
    )


def _chapter_of(module: str) -> str:
    return module.rpartition(".")[2]


def _type_name(kind: Any) -> str:
    """A type as the code writes it: `Table[Edge]`, `int`."""
    return (
        str(kind).replace("dataflows.", "").replace("rows.", "").replace("tables.", "")
        if _is_generic(kind)
        else kind.__name__
    )


def _is_generic(kind: Any) -> bool:
    return hasattr(kind, "__args__") or not hasattr(kind, "__name__")


def _used_by(nodes: Iterable[PipelineNode]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in nodes:
        for need in node.needs:
            found.setdefault(need, []).append(node.name)
    return found


def _reached(start: str, ways: dict[str, Any]) -> set[str]:
    seen, left = {start}, [start]
    while left:
        for following in ways.get(left.pop(), ()):
            if following not in seen:
                seen.add(following)
                left.append(following)
    return seen


def _chapters_graph(nodes: Sequence[PipelineNode]) -> str:
    chapter = {node.name: node.chapter for node in nodes}
    arrows = {
        (chapter[need], node.chapter): None
        for node in nodes
        for need in node.needs
        if chapter.get(need) and chapter[need] != node.chapter
    }
    return _mermaid(f"  {start} --> {end}" for start, end in arrows)


def _graph(members: Sequence[PipelineNode], nodes: Sequence[PipelineNode]) -> str:
    chapter = {node.name: node.chapter for node in nodes}
    inside = {node.name for node in members}
    needed = dict.fromkeys(need for node in members for need in node.needs if need not in inside)
    lines = [f"  {name}([{name}])" for name in needed]
    lines += [f"  {node.name}[{node.name}]" if not node.table else f"  {node.name}[({node.name})]" for node in members]
    lines += [f"  {need} --> {node.name}" for node in members for need in node.needs if need in chapter]
    return _mermaid(lines)


def _mermaid(lines: Iterable[str]) -> str:
    return "\n".join(["```mermaid", "flowchart LR", *lines, "```"])


def _table(nodes: Sequence[PipelineNode]) -> str:
    rows = [
        f"| `{node.name}` | `{node.type}` | {f'`{node.table}`' if node.table else ''} | {node.doc.replace('|', '/')} |"
        for node in nodes
    ]
    return "\n".join(["| node | type | fills | what it is |", "| --- | --- | --- | --- |", *rows])
