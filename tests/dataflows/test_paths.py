import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from dataflows.paths import Paths, strongest_paths
from tests.support.frames import sparing

NODES = "abcdefgh"
LINKS = st.dictionaries(
    st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda pair: pair[0] != pair[1]),
    st.sampled_from([0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9]),
    min_size=1,
    max_size=24,
)


def graph(links: dict[tuple[str, str], float]) -> pd.DataFrame:
    rows = [(a, b, confidence, number) for number, ((a, b), confidence) in enumerate(sorted(links.items()))]
    return pd.DataFrame(rows, columns=["subject", "object", "confidence", "edge_id"]).astype(
        {"subject": "str", "object": "str"}
    )


def by_source(paths: Paths) -> dict[str, list[float]]:
    """The confidences of each source's paths, the strongest first."""
    found: dict[str, list[float]] = {}
    for source, confidence in zip(paths.names[paths.source], paths.confidence, strict=True):
        found.setdefault(source, []).append(float(confidence))
    return {source: sorted(confidences, reverse=True) for source, confidences in found.items()}


@sparing
@given(LINKS, st.integers(1, 5))
def test_paths_without_room_are_dropped_on_the_way_and_the_strongest_are_the_same(
    links: dict[tuple[str, str], float], room: int
):
    every = by_source(strongest_paths(graph(links), graph(links), 0.1, 6))
    roomy = by_source(strongest_paths(graph(links), graph(links), 0.1, 6, dict.fromkeys(NODES, room)))

    assert {source: found[:room] for source, found in roomy.items()} == {s: found[:room] for s, found in every.items()}
    assert all(len(found) >= min(room, len(every[source])) for source, found in roomy.items())


def test_a_path_is_told_edge_by_edge():
    paths = strongest_paths(
        graph({("a", "b"): 0.9, ("b", "c"): 0.8}), graph({("a", "b"): 0.9, ("b", "c"): 0.8}), 0.1, 6
    )
    (place,) = [i for i in range(len(paths.source)) if paths.length[i] == 2]

    assert paths.edges(place) == [0, 1]
