"""How well the keyless extractor reads labelled sentences: precision, recall and F1, in all and per predicate.

    python -m benchmarks.extraction.score                 the sentences beside this file
    python -m benchmarks.extraction.score --data DIR      DIR/extraction-dev.json too

A sentence lists what it states: of each group in `required` one alternative must be found; what is found and stands
neither in `required` nor in `optional` is false. Names are compared canonically.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from hymem.models.rules import extract

HERE = Path(__file__).parent


def canonical(name: str) -> str:
    """Lower case, everything but letters and digits as `_`, no leading article."""
    key = re.sub(r"[^a-z0-9]+", "_", name.lower().replace("++", "_plus_plus")).strip("_")
    return re.sub(r"^(?:the|a|an)_(?=.)", "", key)


def stated(text: str) -> set[str]:
    """What the extractor finds, as "subject predicate object ±"."""
    return {
        f"{canonical(triple.subject)} {triple.predicate} {canonical(triple.object)} {'+' if triple.polarity > 0 else '-'}"
        for triple in extract(text).triples
    }


class Tally:
    """Hits, misses and false finds, by predicate."""

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self.missed: Counter[str] = Counter()
        self.false: Counter[str] = Counter()

    def count(self, sentence: dict[str, Any]) -> list[str]:
        """Score one sentence; the complaints about it."""
        found = stated(sentence["text"])
        groups = [set(group) for group in sentence["required"]]
        allowed = set(sentence["optional"]).union(*groups)
        complaints: list[str] = []
        for group in groups:
            predicate = min(group).split()[1]
            hit = bool(group & found)
            (self.hits if hit else self.missed)[predicate] += 1
            complaints += [] if hit else [f"missed {min(group)}"]
        for triple in sorted(found - allowed):
            self.false[triple.split()[1]] += 1
            complaints.append(f"false  {triple}")
        return complaints

    def line(self, name: str, predicates: set[str]) -> str:
        """One row of the table."""
        hits, missed, false = (sum(part[p] for p in predicates) for part in (self.hits, self.missed, self.false))
        precision = hits / (hits + false) if hits + false else 1.0
        recall = hits / (hits + missed) if hits + missed else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return (
            f"{name:16} P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}   ({hits} found, {missed} missed, {false} false)"
        )

    def table(self) -> str:
        """All rows, the total last."""
        predicates = set(self.hits) | set(self.missed) | set(self.false)
        return "\n".join([self.line(name, {name}) for name in sorted(predicates)] + [self.line("all", predicates)])


def score(path: Path, verbose: bool) -> None:
    """Print the table of one file of labelled sentences, and with `verbose` every complaint."""
    tally = Tally()
    for sentence in json.loads(path.read_text()):
        complaints = tally.count(sentence)
        if complaints and verbose:
            print(f"  {sentence['text']}\n    " + "\n    ".join(complaints))
    print(f"{path.name}\n{tally.table()}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Score the keyless extractor on labelled sentences.")
    parser.add_argument("--data", type=Path, help="a folder with extraction-dev.json")
    parser.add_argument("--verbose", action="store_true", help="name every miss and every false find")
    given = parser.parse_args()
    files = [HERE / "sentences.json", *([given.data / "extraction-dev.json"] if given.data else [])]
    for path in files:
        score(path, given.verbose)


if __name__ == "__main__":
    main()
