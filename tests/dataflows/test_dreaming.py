import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dataflows.dreaming import LOOKS
from hymem import HyMem
from hymem.config import HyMemConfig
from hymem.errors import BusyError, ModelRefusedError, ReplyError, StoreError
from hymem.models.chat import ChatReply, ChatRequest
from hymem.store.database import Database
from hymem.store.lock import dream_lock
from hymem.store.replies import FAILURES_ALLOWED
from hymem.testing import ScriptedModel, asked_about

NOW = "2026-06-01T00:00:00.000000Z"
NOTHING = {"triples": []}
REDIS = "The API uses Redis these days."
USES_REDIS = {
    "triples": [{"subject": "API", "predicate": "uses", "object": "Redis", "quote": "The API uses Redis"}],
}


def remembering(root: Path, model: Any = None, **given: Any) -> HyMem:
    """A memory in which one thing was said."""
    memory = HyMem(root, llm=model or ScriptedModel({REDIS: USES_REDIS}, others=NOTHING), clock=lambda: NOW, **given)
    memory.log_message("monday", "user", REDIS, created_at="2026-01-01", message_id="m1")
    return memory


def known(memory: HyMem) -> list[str]:
    return [f"{edge.subject} {edge.predicate} {edge.object}" for edge in memory.edges()]


def outcomes(memory: HyMem) -> list[str]:
    return [run.outcome for run in memory.runs()]


def test_a_dream_turns_what_was_said_into_edges_and_files(tmp_path: Path):
    with remembering(tmp_path) as memory:
        run = memory.dream()

        assert (run.outcome, run.waiting, run.failed, run.changed["knowledge_graph"]) == ("done", 0, 0, 1)
        assert known(memory) == ["api uses redis"]
        assert sorted(path.name for path in tmp_path.glob("*.md")) == ["MEMORY.md", "USER.md"]


def test_a_run_is_kept_with_every_node_that_it_ran(tmp_path: Path):
    with remembering(tmp_path) as memory:
        run = memory.dream()

        assert memory.runs() == [run]
        nodes = memory.query(f"select node, rows, error from node_runs where run_id = '{run.run_id}'")
        assert {"chunks", "extraction_replies", "knowledge_graph", "insights"} <= set(nodes.node)
        assert nodes.rows[nodes.node == "chunks"].tolist() == [1]
        assert nodes.error.isna().all()


def test_a_dream_over_an_empty_ledger_remembers_nothing(tmp_path: Path):
    with HyMem(tmp_path, llm=ScriptedModel({})) as memory:
        run = memory.dream()

        assert (run.outcome, run.asked, memory.edges()) == ("done", 0, [])


def test_after_an_act_a_dream_asks_nothing_and_still_takes_effect(tmp_path: Path):
    with remembering(tmp_path) as memory:
        memory.dream()
        memory.alias("redis", "valkey")

        run = memory.dream()

        assert (run.asked, known(memory)) == (0, ["api uses valkey"])


def test_where_nothing_happened_there_is_nothing_to_do(tmp_path: Path):
    with remembering(tmp_path) as memory:
        memory.dream()

        assert memory.dream().outcome == "nothing to do"
        assert outcomes(memory) == ["done"]


def test_a_file_that_somebody_removed_is_written_again(tmp_path: Path):
    with remembering(tmp_path) as memory:
        memory.dream()
        (tmp_path / "USER.md").unlink()

        assert memory.dream().outcome == "done"
        assert (tmp_path / "USER.md").exists()


class Eager:
    """A model that does something else before each reply about a chunk."""

    model = "scripted"

    def __init__(self, before: Callable[[], object]) -> None:
        self.before, self.asked = before, list[str]()

    def complete(self, request: ChatRequest) -> ChatReply:
        if request.kind == "extraction":
            self.asked.append(asked_about(request))
            self.before()
        return ScriptedModel({REDIS: USES_REDIS}, others=NOTHING).complete(request)


def test_where_somebody_acts_meanwhile_the_dream_looks_again_and_asks_nothing_twice(tmp_path: Path):
    with HyMem(tmp_path) as elsewhere:
        model = Eager(lambda: elsewhere.alias("redis", "valkey"))
        with remembering(tmp_path, model) as memory:
            memory.dream()

            assert known(memory) == ["api uses valkey"]
            assert model.asked == [REDIS]
            assert memory.dream().outcome == "nothing to do"


def test_a_message_that_is_erased_meanwhile_leaves_nothing(tmp_path: Path):
    with HyMem(tmp_path) as elsewhere, remembering(tmp_path, Eager(lambda: elsewhere.erase_message("m1"))) as memory:
        memory.dream()

        assert known(memory) == []
        assert memory.query("select * from processed_chunks where kind = 'extraction'").empty


def test_a_message_that_is_logged_meanwhile_waits_for_the_next_dream(tmp_path: Path):
    with HyMem(tmp_path) as elsewhere:
        later = "The worker uses Kafka, as I said."
        model = Eager(lambda: elsewhere.log_message("tuesday", "user", later, message_id="m2"))
        with remembering(tmp_path, model) as memory:
            memory.dream()

            assert memory.query("select text from chunks").text.tolist() == [REDIS]
            memory.dream()
            assert set(memory.query("select text from chunks").text) == {REDIS, later}


def test_a_ledger_that_is_edited_again_and_again_is_left_for_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with HyMem(tmp_path) as elsewhere, remembering(tmp_path) as memory:
        from dataflows import dreaming

        look, seen = dreaming._Dream._look, list[int]()

        def edited(under_way: Any) -> Any:
            found = look(under_way)
            seen.append(len(seen))
            elsewhere.alias("redis", f"valkey {len(seen)}")
            return found

        monkeypatch.setattr(dreaming._Dream, "_look", edited)

        with pytest.raises(BusyError, match="again and again"):
            memory.dream()

        assert len(seen) == LOOKS
        assert outcomes(memory) == ["failed"]
        assert known(memory) == []


def test_while_one_dreams_another_is_told_so(tmp_path: Path):
    with remembering(tmp_path) as memory, dream_lock(Database.open(tmp_path / "hymem.db")):
        with pytest.raises(BusyError, match="another dream is running"):
            memory.dream()

        assert outcomes(memory) == ["locked"]


def test_a_failed_dream_says_why_writes_nothing_and_gives_the_lock_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with remembering(tmp_path) as memory:
        from dataflows import dreaming

        def broken(*_: Any) -> None:
            raise ZeroDivisionError("no memory")

        monkeypatch.setattr(dreaming, "drop_orphans", broken)
        with pytest.raises(ZeroDivisionError):
            memory.dream()
        monkeypatch.undo()

        (run,) = memory.runs()
        assert (run.outcome, run.error) == ("failed", "ZeroDivisionError: no memory")
        assert memory.query("select * from chunks").empty
        assert memory.dream().asked == 0
        assert known(memory) == ["api uses redis"]


def test_a_dream_that_is_stopped_keeps_what_it_has_and_says_what_waits(tmp_path: Path):
    stop = threading.Event()
    with remembering(tmp_path, Eager(stop.set), concurrency=1) as memory:
        memory.log_message("tuesday", "user", "The worker uses Kafka, as I said.", created_at="2025-01-01")

        run = memory.dream(stop=stop)

        assert (run.outcome, run.answered, run.waiting > 0) == ("done", 1, True)
        assert known(memory) == ["api uses redis"]


def test_a_chunk_that_fails_three_times_rests_and_others_go_on(tmp_path: Path):
    script = {REDIS: ReplyError("cut short"), "The worker uses Kafka, as I said.": USES_REDIS}
    model = ScriptedModel(script, others=NOTHING)
    with remembering(tmp_path, model) as memory:
        memory.log_message("tuesday", "user", "The worker uses Kafka, as I said.")

        runs = [memory.dream() for _ in range(FAILURES_ALLOWED + 1)]

        assert [run.waiting for run in runs] == [1] * FAILURES_ALLOWED + [0]
        asked = [asked_about(request) for request in model.requests if request.kind == "extraction"]
        assert asked.count(REDIS) == FAILURES_ALLOWED
        assert [run.quarantined for run in runs] == [0] * FAILURES_ALLOWED + [1]


def test_an_endpoint_that_refuses_is_a_warning_and_no_failure_of_the_chunk(tmp_path: Path):
    with remembering(tmp_path, ScriptedModel({}, others=ModelRefusedError("the key is wrong"))) as memory:
        run = memory.dream()

        assert (run.outcome, run.answered) == ("done", 0)
        assert run.warnings == ("the key is wrong",)
        assert memory.query("select * from attempts").empty


def test_the_budget_bounds_the_questions_and_the_run_says_what_waits(tmp_path: Path):
    with remembering(tmp_path, config=HyMemConfig(dream_budget=2)) as memory:
        for number in range(4):
            memory.log_message("monday", "user", f"The worker number {number} uses Kafka, as I said.")

        run = memory.dream()

        chunks = memory.query("select count(*) as n from processed_chunks where kind = 'extraction'").n[0]
        assert chunks == 2
        assert run.waiting >= 3
        assert memory.dream(budget=0).waiting == 0


class Unplugged:
    """An embedder that is interrupted after the graph has been written."""

    model, dimension = "unplugged", 4

    def embed(self, texts: Any, /) -> Any:
        raise KeyboardInterrupt


def test_a_dream_interrupted_while_embedding_says_what_it_had_done(tmp_path: Path):
    with remembering(tmp_path) as memory:
        memory.embedder = Unplugged()
        with pytest.raises(KeyboardInterrupt):
            memory.dream()

        (run,) = memory.runs()
        assert (run.outcome, run.answered > 0, run.changed["knowledge_graph"]) == ("interrupted", True, 1)
        assert known(memory) == ["api uses redis"]


def test_a_dream_whose_files_cannot_be_written_is_noted_as_failed(tmp_path: Path):
    with remembering(tmp_path) as memory:
        (tmp_path / "MEMORY.md").mkdir()
        with pytest.raises(StoreError):
            memory.dream()

        (run,) = memory.runs()
        assert (run.outcome, "MEMORY.md" in (run.error or "")) == ("failed", True)
        (tmp_path / "MEMORY.md").rmdir()
        assert memory.dream().outcome == "done"
        assert (tmp_path / "MEMORY.md").exists()
