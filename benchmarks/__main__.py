"""All benchmarks, one after the other, as a table; the figures also land in benchmarks/out/figures.json.

python -m benchmarks                    everything; a quarter of an hour
python -m benchmarks --quick            at a fiftieth of the size: to see that it runs; bounds are not checked
python -m benchmarks rebuild waiting    some of it
python -m benchmarks recall --rows 1000000   recall among a million chunks
python -m benchmarks --data DIR         keep the made-up databases in DIR, for the next time
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks import (
    asking,
    cold,
    embedding,
    facts,
    honcho,
    idle,
    increment,
    inference,
    ingestion,
    mcp,
    rebuild,
    recall,
    scaling,
    waiting,
)
from benchmarks.measuring import HOME, Figure
from benchmarks.worlds import Worlds

CHAPTERS = {
    "idle": idle,
    "increment": increment,
    "rebuild": rebuild,
    "asking": asking,
    "inference": inference,
    "embedding": embedding,
    "ingestion": ingestion,
    "honcho": honcho,
    "waiting": waiting,
    "facts": facts,
    "recall": recall,
    "scaling": scaling,
    "mcp": mcp,
    "cold": cold,
}
QUICK = 0.02


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks")
    options.add_argument("chapters", nargs="*", metavar="CHAPTER", help=f"some of: {', '.join(CHAPTERS)}")
    options.add_argument("--quick", action="store_true", help="small worlds, one run of each")
    options.add_argument("--runs", type=int, default=3, help="runs of which the median counts")
    options.add_argument("--data", type=Path, help="where the made-up databases are kept")
    options.add_argument(
        "--hermes", default="", metavar="PYTHON", help="measures hermes-agent's own store of facts too"
    )
    options.add_argument(
        "--rows", type=int, default=0, help="chunks of the memory that `recall` asks, in place of the usual"
    )
    given = options.parse_args()
    recall.rows = given.rows
    facts.hermes = given.hermes
    unknown = set(given.chapters) - CHAPTERS.keys()
    if unknown:
        options.error(f"no benchmark {', '.join(sorted(unknown))}: there are {', '.join(CHAPTERS)}")
    with tempfile.TemporaryDirectory(prefix="hymem-benchmarks-") as folder:
        worlds = Worlds((given.data or Path(folder)).absolute(), QUICK if given.quick else 1.0)
        found = measured(worlds, given.chapters or list(CHAPTERS), 1 if given.quick else given.runs)
    keep(found)
    if not given.quick and not all(figure.kept for figures in found.values() for figure in figures):
        sys.exit("some bounds were missed")


def measured(worlds: Worlds, chapters: Sequence[str], runs: int) -> dict[str, list[Figure]]:
    """The figures of some chapters, told as they come."""
    found: dict[str, list[Figure]] = {}
    for name in chapters:
        print(f"\n{(CHAPTERS[name].__doc__ or name).splitlines()[0]}\n", flush=True)
        found[name] = []
        for figure in CHAPTERS[name].figures(worlds, runs):
            print(figure, flush=True)
            found[name].append(figure)
        worlds.clear()
    return found


def keep(found: dict[str, list[Figure]]) -> None:
    """Write the figures where other programs find them."""
    out = HOME / "benchmarks" / "out"
    out.mkdir(exist_ok=True)
    told = {name: [asdict(figure) | {"kept": figure.kept} for figure in figures] for name, figures in found.items()}
    (out / "figures.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
