"""Strongest paths: between any two nodes of a graph, the path with the largest product of confidences.

Frontier expansion over integers: the paths of k edges are extended by one, and only those that beat the best so far go on.
After k rounds every best path of at most k edges is known (Bellman and Ford's argument, with products for sums).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

Ints = np.ndarray


@dataclass(frozen=True)
class Paths:
    """Best paths, one per (source, target); path i ends with edge `last[i]` and otherwise is path `before[i]` (-1: nothing).

    `source` and `target` index `names`; `length` counts edges. `dropped` paths, and what would have continued them, had no room.
    """

    names: np.ndarray
    source: Ints
    target: Ints
    confidence: np.ndarray
    length: Ints
    last: Ints
    before: Ints
    every_last: Ints
    every_before: Ints
    dropped: int

    def edges(self, place: int) -> list[int]:
        """The edge ids of one path, from its source on."""
        found = [int(self.last[place])]
        parent = int(self.before[place])
        while parent >= 0:
            found.append(int(self.every_last[parent]))
            parent = int(self.every_before[parent])
        return found[::-1]


@dataclass(frozen=True)
class _Found:
    """Candidates or results in columns; `entry` is where each was noted."""

    pair: Ints
    confidence: np.ndarray
    length: Ints
    entry: Ints


def strongest_paths(
    starts: pd.DataFrame, links: pd.DataFrame, threshold: float, longest: int, room: Mapping[str, int] | None = None
) -> Paths:
    """The best path from each source over one edge of `starts` and then edges of `links`, at most `longest` edges in all.

    Both frames have columns subject, object, confidence (each at most 1) and edge_id; `starts` has no pair twice. Paths
    below `threshold` are pruned, and none leads back to its source. Ties go to the shorter path, then to the smaller
    last edge. `room` says for each source how many of its strongest paths matter: as a longer path is weaker than what it
    continues, those below can be dropped on the way; sources that it does not name have room for all.
    """
    names, codes = _coded(starts, links)
    n = max(1, len(names))
    rooms = np.array([(room or {}).get(name, n) for name in names] or [n], dtype="int64")
    source, target = codes[: len(starts)], codes[len(starts) : 2 * len(starts)]
    out = _Outgoing(codes[2 * len(starts) : 2 * len(starts) + len(links)], codes[2 * len(starts) + len(links) :], links)
    strong = starts.confidence.to_numpy() >= threshold
    lasts, befores = [starts.edge_id.to_numpy()[strong]], [np.full(strong.sum(), -1, dtype="int64")]
    frontier = _Found(
        (source * n + target)[strong],
        starts.confidence.to_numpy()[strong],
        np.ones(strong.sum(), dtype="int64"),
        np.arange(strong.sum()),
    )
    best, noted = _in_order(frontier), int(strong.sum())
    for length in range(2, longest + 1):
        floors = np.maximum(threshold, _floors(best, rooms))
        candidates, last, before = _extended(_above(frontier, floors), out, n, floors, length)
        improved = _improving(candidates, last, best)
        if not len(improved):
            break
        lasts.append(last[improved])
        befores.append(before[improved])
        frontier = _Found(
            candidates.pair[improved],
            candidates.confidence[improved],
            candidates.length[improved],
            np.arange(noted, noted + len(improved)),
        )
        noted += len(improved)
        best = _merged(best, frontier)
    everything, best = len(best.pair), _above(best, _floors(best, rooms))
    every_last, every_before = np.concatenate(lasts), np.concatenate(befores)
    return Paths(
        names,
        best.pair // n,
        best.pair % n,
        best.confidence,
        best.length,
        every_last[best.entry],
        every_before[best.entry],
        every_last,
        every_before,
        everything - len(best.pair),
    )


class _Outgoing:
    """The links grouped by their source, for joining a frontier to them."""

    def __init__(self, source: Ints, target: Ints, links: pd.DataFrame) -> None:
        order = np.argsort(source, kind="stable")
        self.source = source[order]
        self.target = target[order]
        self.confidence = links.confidence.to_numpy()[order]
        self.edge = links.edge_id.to_numpy()[order]

    def joined(self, ends: Ints) -> tuple[Ints, Ints]:
        """For every link out of one of `ends`: the place of the end, and the place of the link."""
        first, behind = np.searchsorted(self.source, ends, "left"), np.searchsorted(self.source, ends, "right")
        counts = behind - first
        owner = np.repeat(np.arange(len(ends)), counts)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return owner, np.repeat(first, counts) + offset


def _coded(starts: pd.DataFrame, links: pd.DataFrame) -> tuple[np.ndarray, Ints]:
    """The names in order, and the code of every end: subjects and objects of the starts, then of the links."""
    ends = pd.concat([starts.subject, starts.object, links.subject, links.object], ignore_index=True)
    codes, names = pd.factorize(ends, sort=True)
    return np.asarray(names, dtype=object), codes.astype("int64")


def _extended(frontier: _Found, out: _Outgoing, n: int, floors: np.ndarray, length: int) -> tuple[_Found, Ints, Ints]:
    """Every path of the frontier with every link that continues it, strong enough and not back to its source."""
    owner, link = out.joined(frontier.pair % n)
    source = (frontier.pair // n)[owner]
    confidence = frontier.confidence[owner] * out.confidence[link]
    kept = (confidence >= floors[source]) & (out.target[link] != source)
    owner, link = owner[kept], link[kept]
    pair = source[kept] * n + out.target[link]
    found = _Found(pair, confidence[kept], np.full(len(pair), length), np.full(len(pair), -1))
    return found, out.edge[link], frontier.entry[owner]


def _floors(best: _Found, rooms: Ints) -> np.ndarray:
    """For each source the confidence of its last path that has room; 0 where all have."""
    source = best.pair // len(rooms)
    order = np.lexsort((-best.confidence, source))
    first = np.searchsorted(source[order], np.arange(len(rooms) + 1))
    full = (first[1:] - first[:-1] >= rooms) & (rooms > 0)
    floors = np.zeros(len(rooms))
    floors[full] = best.confidence[order][first[:-1][full] + rooms[full] - 1]
    return floors


def _above(found: _Found, floors: np.ndarray) -> _Found:
    """What is found without the paths that have no room."""
    kept = found.confidence >= floors[found.pair // len(floors)]
    return _Found(found.pair[kept], found.confidence[kept], found.length[kept], found.entry[kept])


def _improving(candidates: _Found, last: Ints, best: _Found) -> Ints:
    """The places of the best candidate for each pair, where it beats the best path so far."""
    order = np.lexsort((last, -candidates.confidence, candidates.pair))
    pair = candidates.pair[order]
    order = order[np.r_[True, pair[1:] != pair[:-1]]] if len(order) else order
    place = np.searchsorted(best.pair, candidates.pair[order])
    known = place < len(best.pair)
    known[known] = best.pair[place[known]] == candidates.pair[order][known]
    beaten = np.ones(len(order), dtype=bool)
    beaten[known] = candidates.confidence[order][known] > best.confidence[place[known]]
    return order[beaten]


def _merged(best: _Found, better: _Found) -> _Found:
    """The best paths with better ones in their place."""
    kept = ~np.isin(best.pair, better.pair, assume_unique=True)
    return _in_order(
        _Found(
            np.concatenate([best.pair[kept], better.pair]),
            np.concatenate([best.confidence[kept], better.confidence]),
            np.concatenate([best.length[kept], better.length]),
            np.concatenate([best.entry[kept], better.entry]),
        )
    )


def _in_order(found: _Found) -> _Found:
    order = np.argsort(found.pair)
    return _Found(found.pair[order], found.confidence[order], found.length[order], found.entry[order])
