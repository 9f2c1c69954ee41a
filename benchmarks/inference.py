"""Drawing conclusions: a dependency graph of 100,000 edges, three from each thing, beside an oracle on a sample."""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator

from benchmarks.measuring import Figure, python
from benchmarks.worlds import Worlds

EDGES, DEGREE, SAMPLE, THRESHOLD = 100_000, 3, 50, 0.15


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Whole processes, imports included; every sampled thing's conclusions are compared with a search by hand."""
    edges = max(300, int(EDGES * worlds.scale))
    costs = [python("-m", "benchmarks.inference", str(edges)) for _ in range(runs)]
    cost = sorted(costs, key=lambda one: one.cpu)[len(costs) // 2]
    told = json.loads(cost.out)
    yield Figure("conclusions drawn", told["conclusions"], "rows")
    yield Figure("inference: processor time", told["seconds"], "s", most=10)
    yield Figure("the whole process, graph and oracle included: processor time", cost.cpu, "s")
    yield Figure("peak memory", cost.peak, "MB", most=1000)
    yield Figure("sampled things whose conclusions an oracle draws otherwise", told["otherwise"], "", most=0)


def main(edges: int) -> None:
    """Draw the conclusions of a made-up graph, and compare a sample with the oracle's."""
    from dataflows.driver import build_driver

    stated = _stated(edges)
    began = time.process_time()
    found = build_driver().execute(
        ["derived_edges"],
        inputs={"retract_threshold": THRESHOLD},
        overrides={"stated_edges": stated, "settled_pairs": stated[["subject", "object"]]},
    )["derived_edges"]
    seconds = time.process_time() - began
    drawn = defaultdict(dict)
    links = defaultdict(list)
    for edge in stated.itertuples():
        links[edge.subject].append((edge.object, edge.confidence))
    sample = list(links)[:: max(1, len(links) // SAMPLE)]
    for edge in found[found.subject.isin(sample)].itertuples():
        drawn[edge.subject][edge.object] = round(edge.confidence, 9)
    otherwise = sum(not _agree(drawn[thing], _oracle(links, thing)) for thing in sample)
    print(json.dumps({"conclusions": len(found), "otherwise": otherwise, "seconds": seconds}))


def _stated(edges: int):
    """Random dependencies; what confidences they have, evidence could give them."""
    import numpy as np
    from pandas import DataFrame, NaT, Timestamp

    from dataflows.edges import edge_ids
    from dataflows.rows import Edge
    from dataflows.tables import columns, shaped

    randomly, things = np.random.default_rng(7), edges // DEGREE
    subjects = np.repeat(np.arange(things), DEGREE)
    objects = (subjects + randomly.integers(1, things, len(subjects))) % things
    frame = DataFrame({"subject": subjects, "object": objects}).drop_duplicates()
    support = randomly.integers(1, 4, len(frame))
    frame = frame.assign(
        subject=("thing_" + frame.subject.astype("str")).astype("str"),
        predicate="depends_on",
        object=("thing_" + frame.object.astype("str")).astype("str"),
        confidence=(support + 1) / (support + 2),
        pos_evidence=support,
        status="active",
        derived=False,
        path="[]",
        first_seen=Timestamp("2025-01-01"),
        last_seen=Timestamp("2025-01-01"),
        last_reinforced=NaT,
    )
    missing = {
        name: 0 if dtype == "int64" else np.nan if dtype == "float64" else None for name, dtype in columns(Edge).items()
    }
    missing = {name: value for name, value in missing.items() if name not in frame and name != "edge_id"}
    return shaped(Edge, frame.assign(**missing, edge_id=edge_ids(frame)))


def _oracle(links: dict, source: str) -> dict[str, float]:
    """Every thing that paths of two to six dependencies reach, with the best product; what is stated is left out."""
    from dataflows.inference import LONGEST_PATH

    best, frontier = {}, {source: 1.0}
    for _ in range(LONGEST_PATH):
        reached: dict[str, float] = {}
        for thing, confidence in frontier.items():
            for target, link in links[thing]:
                product = confidence * link
                if product >= THRESHOLD and target != source:
                    reached[target] = max(reached.get(target, 0.0), product)
        frontier = {thing: product for thing, product in reached.items() if product > best.get(thing, 0.0)}
        best |= frontier
    stated = {target for target, _ in links[source]}
    return {thing: round(product, 9) for thing, product in best.items() if thing not in stated}


def _agree(drawn: dict[str, float], expected: dict[str, float]) -> bool:
    """Whether these are the most confident of the expected conclusions, as many as one thing may have."""
    from dataflows.inference import DERIVED_PER_SUBJECT

    strongest = sorted(expected.values(), reverse=True)[:DERIVED_PER_SUBJECT]
    return sorted(drawn.values(), reverse=True) == strongest[: len(drawn)] and drawn.items() <= expected.items()


if __name__ == "__main__":
    main(int(sys.argv[1]))
