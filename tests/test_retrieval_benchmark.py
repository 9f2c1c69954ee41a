"""The retrieval benchmark over two small conversations in the form of the sets."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measuring import HOME
from benchmarks.retrieval.finders import memory_of, plain_fts5
from benchmarks.retrieval.scores import scores
from benchmarks.retrieval.sets import conversations
from hymem.config import HyMemConfig

LOCOMO = [
    {
        "sample_id": "small",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Where did you buy the telescope?"},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "At the harbour.", "blip_caption": "a yellow shop"},
            ],
        },
        "qa": [
            {"question": "What did Bob buy?", "evidence": ["D1:1; D1:02"], "category": 4},
            {"question": "Who sings?", "evidence": ["D9:9"], "category": 1},
        ],
    }
]
BEAM = [
    {
        "id": 7,
        "messages": [
            {"id": 0, "role": "user", "date": "March-15-2024", "content": "I plan a garden with beans."},
            {"id": 1, "role": "assistant", "date": None, "content": "Beans need a fence."},
        ],
        "questions": [
            {"kind": "temporal_reasoning", "question": "What do I plan?", "evidence": [0]},
            {"kind": "abstention", "question": "Who sings?", "evidence": []},
        ],
    }
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "locomo-dev.json").write_text(json.dumps(LOCOMO))
    (tmp_path / "beam-dev.json").write_text(json.dumps(BEAM))
    return tmp_path


def test_questions_without_evidence_are_left_out(data: Path):
    (locomo,), (beam,) = conversations(data, "locomo"), conversations(data, "beam")

    assert [(one.kind, one.evidence) for one in locomo.asked] == [("single-hop", {"D1:1", "D1:2"})]
    assert [(one.kind, one.evidence) for one in beam.asked] == [("temporal_reasoning", {"0"})]
    assert (locomo.messages[1].peer_id, locomo.messages[1].content) == ("Bob", "At the harbour. [image: a yellow shop]")
    assert beam.messages[1].created_at == "2024-03-15T00:00:01+00:00"


def test_a_memory_finds_what_plain_search_finds_and_the_answer_beside_it(data: Path):
    (conversation,) = conversations(data, "locomo")
    with plain_fts5(conversation) as plainly, memory_of(conversation, None, HyMemConfig()) as remembered:
        assert plainly("which telescope?") == ["D1:1"]
        assert sorted(remembered("which telescope?")) == ["D1:1", "D1:2"]


@given(st.lists(st.integers(0, 30).map(str), unique=True), st.sets(st.integers(0, 30).map(str), min_size=1))
def test_scores_are_shares_and_finding_all_of_few_first_is_perfect(found: list[str], evidence: set[str]):
    assert all(0 <= value <= 1 for value in scores(found, evidence))
    assert scores(sorted(evidence)[:5], sorted(evidence)[:5]) == (1, 1, 1, 1, 1)


def test_the_table_is_printed_and_a_file_per_question_kept(data: Path):
    command = [sys.executable, "-m", "benchmarks.retrieval", "--data", str(data), "--embedding", "none"]
    out = data / "out"

    done = subprocess.run([*command, "--out", str(out)], cwd=HOME, capture_output=True, text=True, check=True)

    assert "HyMem, none, convex: all" in done.stdout and "single-hop" in done.stdout
    kept = sorted(str(path.relative_to(out)) for path in out.rglob("*.json"))
    assert kept == ["retrieval/beam-none-convex/7-000.json", "retrieval/locomo-none-convex/small-000.json"]
