"""What a turn of hermes-agent waits for recall, beside recall itself: `prefetch` against `augment`.

python -m benchmarks.hermes ROOT CHUNKS EDGES [QUESTIONS]

Both ask the same memory the same questions by turns, in one process, by words and graph; the ratio is of their medians.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.recall_world import build, questions
from serving.environment import build_from_env
from serving.hermes.provider import HyMemProvider


def main(root: Path, chunks: int, edges: int, count: int = 100) -> dict[str, float]:
    """Milliseconds of both in the median, and how many times the one is the other."""
    if not (root / "hymem.db").exists():
        root.mkdir(parents=True, exist_ok=True)
        build(root, chunks, edges)
    provider = HyMemProvider(lambda: root)
    provider.initialize("s1", hermes_home=str(root))
    asked = [each.text for each in questions(count, edges)]
    with build_from_env(need_llm=False, root=str(root)) as memory:
        taken: dict[str, list[float]] = {"augment": [], "prefetch": []}
        acts = [("augment", memory.augment), ("prefetch", provider.prefetch)]
        for number, text in enumerate([asked[0], *asked]):
            for name, act in acts if number % 2 else acts[::-1]:
                taken[name].append(_milliseconds(act, text))
    middle = {name: statistics.median(times[1:]) for name, times in taken.items()}
    return {**middle, "ratio": middle["prefetch"] / middle["augment"]}


def _milliseconds(act: Callable[[str], object], text: str) -> float:
    began = time.perf_counter()
    act(text)
    return 1000 * (time.perf_counter() - began)


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), *map(int, sys.argv[2:])), indent=2))
