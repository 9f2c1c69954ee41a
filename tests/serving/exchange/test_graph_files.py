"""The graph for other programs: valid whatever people say, whole, and with its numbers."""

import json
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.digests import shown
from hymem.errors import InputError
from hymem.records import Edge
from hymem.store.entities import Entity
from serving.exchange.graph_files import as_graphml, as_json
from tests.support.conversations import Turn, World

NAMESPACE = {"g": "http://graphml.graphdrawing.org/xmlns"}
SAID = [
    Turn("m1", "monday", "user", "api uses Redis.", 1),
    Turn("m2", "monday", "user", "worker uses uv.", 2),
    Turn("m3", "monday", "user", "worker does not use uv.", 3),
]


def edge(subject: str, object_: str, **more: object) -> Edge:
    values: dict[str, object] = {
        **dict.fromkeys(Edge.__dataclass_fields__),
        "edge_id": 1,
        "subject": subject,
        "predicate": "uses",
        "object": object_,
        "derived": False,
        "path": (),
        "status": "active",
        "confidence": 2 / 3,
        "pos_evidence": 1,
        "neg_evidence": 0,
        "decay_windows": 0,
        **more,
    }
    return Edge(**values)  # pyright: ignore[reportArgumentType]


def graph(content: bytes) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The nodes and edges of a GraphML document, each with its data by name."""
    root = ElementTree.fromstring(content)
    names = {key.get("id"): key.get("attr.name") or "" for key in root.findall("g:key", NAMESPACE)}

    def found(element: str) -> list[dict[str, str]]:
        return [
            {**one.attrib, **{names[data.get("key")]: data.text or "" for data in one.findall("g:data", NAMESPACE)}}
            for one in root.findall(f"g:graph/g:{element}", NAMESPACE)
        ]

    return found("node"), found("edge")


def test_every_edge_comes_with_its_numbers_in_each_format(tmp_path: Path):
    with World.of(SAID) as world:
        world.dream()
        edges = world.memory.edges(include_retracted=True)
        for form in ("json", "graphml", "parquet"):
            counted = world.memory.export_graph(tmp_path / f"graph.{form}", form)
            assert counted["edges"] == len(edges) > 1

    wanted = {shown(one.edge_id): (one.confidence, one.neg_evidence, one.status) for one in edges}
    told = json.loads((tmp_path / "graph.json").read_text())["edges"]
    rows = pq.read_table(tmp_path / "graph.parquet").to_pylist()
    _, drawn = graph((tmp_path / "graph.graphml").read_bytes())
    for found in (told, rows):
        assert {one["edge_id"]: (one["confidence"], one["neg_evidence"], one["status"]) for one in found} == wanted
    assert {
        one["id"][1:]: (float(one["confidence"]), int(one["neg_evidence"]), one["status"]) for one in drawn
    } == wanted
    names = {one["entity"] for one in pq.read_table(tmp_path / "graph.entities.parquet").to_pylist()}
    assert names >= {end for one in edges for end in (one.subject, one.object)}


def test_an_empty_graph_is_a_graph(tmp_path: Path):
    with World.of() as world:
        for form in ("json", "graphml", "parquet"):
            world.memory.export_graph(tmp_path / form, form)

    assert json.loads((tmp_path / "json").read_text()) == {"entities": [], "edges": []}
    assert graph((tmp_path / "graphml").read_bytes()) == ([], [])
    assert pq.read_schema(tmp_path / "parquet").field("confidence").type == "double"


def test_moments_are_timestamps_in_parquet(tmp_path: Path):
    with World.of(SAID) as world:
        world.dream()
        world.memory.export_graph(tmp_path / "graph.parquet", "parquet")

    assert str(pq.read_schema(tmp_path / "graph.parquet").field("last_seen").type) == "timestamp[us, tz=UTC]"


HOSTILE = st.text(st.characters(exclude_categories=[]), min_size=1)


@given(HOSTILE, HOSTILE)
def test_whatever_a_thing_is_called_the_document_stays_valid(first: str, second: str):
    names = dict.fromkeys((first, second))
    entities = [Entity(name, None, (), 0, 0) for name in names]
    found = edge(first, second, value_text=first)

    nodes, edges = graph(b"".join(as_graphml([found], entities)))
    told = json.load(BytesIO(b"".join(as_json([found], entities)))) if storable(first + second) else None

    assert [bare(node["name"]) for node in nodes] == [bare(name) for name in names]
    assert edges[0]["value_text"] == nodes[0]["name"]
    assert told is None or (told["edges"][0]["subject"], told["edges"][0]["object"]) == (first, second)


def storable(name: str) -> bool:
    """Whether a database could hold it."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def bare(name: str) -> str:
    """A name without what XML cannot hold."""
    return "".join(
        letter
        for letter in name
        if letter in "\t\n\r" or (letter >= " " and storable(letter) and letter < "\ufffd") or letter >= "\U00010000"
    )


def test_a_name_that_looks_like_markup_is_a_name():
    evil = '</data></node><node id="x"/><![CDATA[ & "\' \x00\x1b'

    nodes, _ = graph(b"".join(as_graphml([], [Entity(evil, "tool<", ("a", "b"), 3, 4)])))

    assert [(node["name"], node["type"], node["names"]) for node in nodes] == [
        (evil.replace("\x00", "\ufffd").replace("\x1b", "\ufffd"), "tool<", "a b")
    ]


def test_a_format_that_is_none_is_refused_and_nothing_is_overwritten(tmp_path: Path):
    (tmp_path / "graph.entities.parquet").write_text("a letter")
    with World.of() as world:
        with pytest.raises(InputError, match="the formats are parquet, json, graphml"):
            world.memory.export_graph(tmp_path / "graph.csv", "csv")
        with pytest.raises(InputError, match="there already"):
            world.memory.export_graph(tmp_path / "graph.parquet", "parquet")

    assert [path.name for path in tmp_path.iterdir()] == ["graph.entities.parquet"]
