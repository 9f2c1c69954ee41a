"""What was said, found again: a table per category, the weakest first; a file per question lands in benchmarks/out/retrieval.

python -m benchmarks.retrieval --data DIR                       with the offline embedding model
python -m benchmarks.retrieval --data DIR --embedding none      by words alone
python -m benchmarks.retrieval --data DIR --fusion rrf          the two lists fused by their ranks alone
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.measuring import HOME
from benchmarks.retrieval.finders import Find, KeptEmbedder, memory_of, plain_fts5
from benchmarks.retrieval.scores import NAMES, Scores, mean, scores
from benchmarks.retrieval.sets import Asked, Conversation, conversations
from hymem.config import HyMemConfig

OUT = HOME / "benchmarks" / "out"
APART = "adversarial"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.retrieval")
    options.add_argument("--data", type=Path, required=True, help="the folder of locomo*.json and beam*.json")
    options.add_argument("--sets", nargs="+", default=["locomo", "beam"], choices=["locomo", "beam"])
    options.add_argument("--embedding", default="local", choices=["local", "none"])
    options.add_argument("--fusion", default="convex", choices=["convex", "rrf"])
    options.add_argument("--out", type=Path, default=OUT, help="where the files and kept vectors go")
    given = options.parse_args()
    embedder = KeptEmbedder(given.out) if given.embedding == "local" else None
    config = HyMemConfig(fusion=given.fusion)
    for name in given.sets:
        found = defaultdict[str, dict[str, list[Scores]]](lambda: defaultdict(list))
        ours = f"HyMem, {given.embedding}, {given.fusion}"
        for conversation in conversations(given.data, name):
            with plain_fts5(conversation) as plainly, memory_of(conversation, embedder, config) as remembered:
                finders = {"plain FTS5": plainly, ours: remembered}
                for number, asked in enumerate(conversation.asked):
                    told = _answers(finders, asked)
                    _keep(
                        given.out / "retrieval" / f"{name}-{given.embedding}-{given.fusion}", conversation, number, told
                    )
                    for finder, names in told["found"].items():
                        found[finder][asked.kind].append(scores(names, asked.evidence))
            if embedder is not None:
                embedder.keep()
        for line in _table(name, found):
            print(line, flush=True)


def _answers(finders: dict[str, Find], asked: Asked) -> dict[str, Any]:
    told = {name: find(asked.question) for name, find in finders.items()}
    return {"kind": asked.kind, "question": asked.question, "evidence": sorted(asked.evidence), "found": told}


def _keep(folder: Path, conversation: Conversation, number: int, told: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    texts = {message.message_id: message.content for message in conversation.messages}
    named = {*told["evidence"], *(name for names in told["found"].values() for name in names)}
    whole = {**told, "texts": {name: texts[name] for name in sorted(named)}}
    file = folder / f"{conversation.name}-{number:03}.json"
    file.write_text(json.dumps(whole, ensure_ascii=False, indent=1), encoding="utf-8")


def _table(name: str, found: dict[str, dict[str, list[Scores]]]) -> Iterable[str]:
    yield f"\n{name:<42}{'questions':>10}{''.join(f'{score:>9}' for score in NAMES)}"
    for finder, kinds in found.items():
        rows = {kind: mean(many) for kind, many in kinds.items()}
        counted = [one for kind, many in kinds.items() if kind != APART for one in many]
        yield _line(f"{finder}: all", len(counted), mean(counted))
        for kind in sorted(rows, key=lambda kind: (kind == APART, rows[kind].recall_10)):
            yield _line(f"  {kind}", len(kinds[kind]), rows[kind])


def _line(name: str, questions: int, row: Scores) -> str:
    return f"{name:<42}{questions:>10}{''.join(f'{value:>9.3f}' for value in row)}"


if __name__ == "__main__":
    main()
