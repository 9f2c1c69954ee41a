"""The graph for other programs: JSON for any, GraphML for Gephi, yEd, Cytoscape and networkx, Parquet for tables.

Every edge is there, retracted and derived ones too, with its counters and its status, so that whoever reads it can choose. Names
are whatever people said: in XML they are escaped, and what XML cannot hold at all becomes a replacement character.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

from hymem.digests import shown
from hymem.errors import InputError
from hymem.new_files import new_file
from hymem.records import Edge
from hymem.store.entities import Entity

if TYPE_CHECKING:
    from serving.memory import HyMem

FORMATS: Final = ("parquet", "json", "graphml")

_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NODE: Final = {"type": "string", "names": "string", "facts": "long", "mentions": "long"}
_EDGE: Final = {
    "predicate": "string",
    "derived": "boolean",
    "status": "string",
    "confidence": "double",
    "pos_evidence": "long",
    "neg_evidence": "long",
    "decay_windows": "long",
    "first_seen": "string",
    "last_seen": "string",
    "last_reinforced": "string",
    "value_text": "string",
    "value_numeric": "double",
    "value_unit": "string",
    "temporal_scope": "string",
    "path": "string",
}


def export_graph(memory: "HyMem", path: Path, format: str, *, force: bool = False) -> dict[str, int]:
    """Write the graph to a file; how many edges and entities.

    Parquet holds one table a file: edges in `path`, entities beside it, as `NAME.entities.parquet`. Raises `InputError` for a
    format that is none, and as `new_file` does.
    """
    if format not in FORMATS:
        raise InputError(f"{format!r} is no format of the graph; the formats are {', '.join(FORMATS)}")
    edges = memory.edges(include_retracted=True)
    entities = _with_all_ends(memory.entities(), edges)
    written = {path: _written(memory, format, edges, entities)}
    if format == "parquet":
        written[entities_beside(path)] = [memory.parquet("entities", entities)]
    with ExitStack() as stack:
        drafts = {name: stack.enter_context(new_file(name, force=force)) for name in written}
        for name, pieces in written.items():
            with drafts[name].open("wb") as file:
                file.writelines(pieces)
    return {"edges": len(edges), "entities": len(entities)}


def entities_beside(path: Path) -> Path:
    """Where the entities of a graph go whose edges go there."""
    return path.with_name(f"{path.name.removesuffix('.parquet')}.entities.parquet")


def _written(memory: "HyMem", format: str, edges: Sequence[Edge], entities: Sequence[Entity]) -> Iterable[bytes]:
    if format == "parquet":
        return [memory.parquet("edges", edges)]
    return as_json(edges, entities) if format == "json" else as_graphml(edges, entities)


def _with_all_ends(entities: Sequence[Entity], edges: Iterable[Edge]) -> list[Entity]:
    """The entities, and whatever else an edge ends at."""
    known = {entity.entity for entity in entities}
    ends = sorted({end for edge in edges for end in (edge.subject, edge.object)} - known)
    return [*entities, *(Entity(end, None, (), 0, 0) for end in ends)]


def as_json(edges: Iterable[Edge], entities: Iterable[Entity]) -> Iterator[bytes]:
    """One object with two lists; a line an item."""
    yield b'{"entities": ['
    yield from _listed(asdict(entity) for entity in entities)
    yield b'], "edges": ['
    yield from _listed(_edge(edge) for edge in edges)
    yield b"]}\n"


def _listed(items: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for number, item in enumerate(items):
        yield (b",\n" if number else b"\n") + json.dumps(item, ensure_ascii=False).encode()


def as_graphml(edges: Iterable[Edge], entities: Sequence[Entity]) -> Iterator[bytes]:
    """A directed graph: entities are nodes by their name, edges bear their id."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for element, keys in (("node", {"name": "string", **_NODE}), ("edge", _EDGE)):
        for name, kind in keys.items():
            yield f'<key id="{element}_{name}" for="{element}" attr.name="{name}" attr.type="{kind}"/>\n'.encode()
    yield b'<graph id="memory" edgedefault="directed">\n'
    places = {entity.entity: f"n{number}" for number, entity in enumerate(entities)}
    for entity in entities:
        told = {"name": entity.entity, **asdict(entity), "names": " ".join(entity.names)}
        yield f'<node id="{places[entity.entity]}">{_data("node", told, ("name", *_NODE))}</node>\n'.encode()
    for edge in edges:
        told = {**_edge(edge), "path": " ".join(map(shown, edge.path))}
        ends = f'source="{places[edge.subject]}" target="{places[edge.object]}"'
        yield f'<edge id="e{shown(edge.edge_id)}" {ends}>{_data("edge", told, _EDGE)}</edge>\n'.encode()
    yield b"</graph>\n</graphml>\n"


def _edge(edge: Edge) -> dict[str, Any]:
    return {**asdict(edge), "edge_id": shown(edge.edge_id), "path": [shown(step) for step in edge.path]}


def _data(element: str, told: dict[str, Any], names: Iterable[str]) -> str:
    """The values that there are; what is not known has no element."""
    return "".join(
        f'<data key="{element}_{name}">{_text(told[name])}</data>' for name in names if told[name] not in (None, "")
    )


def _text(value: object) -> str:
    """A value as XML holds it; a carriage return as a reference, or a reader would make a line end of it."""
    told = str(value).lower() if isinstance(value, bool) else str(value)
    return escape(_NO_XML.sub("\ufffd", told), {"\r": "&#13;"})
