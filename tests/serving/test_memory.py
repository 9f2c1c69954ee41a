import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from hymem import HyMem
from hymem.config import HyMemConfig
from hymem.errors import ConfigError, InputError, UnknownError
from hymem.testing import ScriptedModel
from hymem.vocabulary import predicate_named

NOW = "2026-06-01T00:00:00.000000Z"
REDIS = "The API uses Redis and the worker depends on the API."
TABS = "I prefer tabs, always."


def fact(subject: str, predicate: str, object_: str, quote: str, **given: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": object_, "quote": quote, **given}


REPLIES = {
    REDIS: {
        "triples": [
            fact("API", "uses", "Redis", "The API uses Redis", value_text=">= 7"),
            fact("API", "depends_on", "Redis", "The API uses Redis"),
            fact("worker", "depends_on", "API", "the worker depends on the API"),
        ]
    },
    TABS: {"triples": [], "markers": [{"kind": "preference", "statement": "prefers tabs", "quote": "I prefer tabs"}]},
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[HyMem]:
    """A memory in which two things were said, not yet dreamt over; its clock ticks at every look."""
    model, looks = ScriptedModel(REPLIES, others={"triples": []}), count()
    with HyMem(tmp_path, llm=model, clock=lambda: f"{NOW[:-4]}{next(looks):03}Z") as opened:
        opened.log_message("monday", "user", REDIS, created_at="2026-05-30", message_id="m1")
        opened.log_message("monday", "user", TABS, created_at="2026-05-31", message_id="m2")
        yield opened


@pytest.fixture
def dreamt(memory: HyMem) -> HyMem:
    """The same, dreamt over."""
    memory.dream()
    return memory


def known(memory: HyMem) -> set[str]:
    return {f"{edge.subject} {edge.predicate} {edge.object}" for edge in memory.edges()}


# ---------------------------------------------------------------------------------------------------------- what is said


def test_a_turn_may_be_a_message_or_a_mapping(memory: HyMem):
    logged = memory.log_messages([{"session_id": "tuesday", "role": "user", "content": "hi", "metadata": None}])

    assert logged.added == 1
    assert [turn.content for turn in memory.messages("tuesday")] == ["hi"]


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ("hi", "give session_id, role and content"),
        ({"role": "user", "content": "hi"}, "give session_id, role and content"),
        ({"session_id": "s", "role": "user", "content": "hi", "contents": "x"}, "at most content, created_at"),
        ({"session_id": "s", "role": "user", "content": "hi", "metadata": []}, "metadata must be an object"),
        ({"session_id": "s", "role": "user", "content": None}, "content must be text"),
    ],
    ids=["no mapping", "no session", "a field too many", "metadata", "content"],
)
@pytest.mark.parametrize("redact_stored", [False, True])
def test_a_turn_that_cannot_be_taken_is_named_and_nothing_is_stored(
    tmp_path: Path, turn: Any, reason: str, redact_stored: bool
):
    with HyMem(tmp_path, redact_stored=redact_stored) as memory:
        with pytest.raises(InputError, match=f"message 2: .*{reason}"):
            memory.log_messages([{"session_id": "s", "role": "user", "content": "fine"}, turn])

        assert memory.messages() == []


def test_a_closed_session_is_taken_up_again_by_its_next_message(memory: HyMem):
    memory.close_session("monday")
    assert memory.sessions()[0].ended_at

    memory.log_message("monday", "user", "one more thing")

    assert memory.sessions()[0].ended_at is None


def test_a_session_can_be_opened_before_anything_is_said(tmp_path: Path):
    with HyMem(tmp_path, clock=lambda: NOW) as memory:
        memory.open_session("monday")

        assert [(session.session_id, session.messages) for session in memory.sessions()] == [("monday", 0)]


def test_a_fork_works_on_the_same_file_under_the_same_rules(tmp_path: Path):
    config = HyMemConfig(decay_window_days=14)
    with HyMem(tmp_path, config=config, redact_stored=True, clock=lambda: NOW) as memory, memory.fork() as forked:
        forked.log_message("monday", "user", "my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD")

        (turn,) = memory.messages()
        assert "abcdefghijkl" not in turn.content
        assert forked.config == config


# --------------------------------------------------------------------------------------------------------------- dreams


def test_without_a_model_a_dream_says_what_to_set(tmp_path: Path):
    with HyMem(tmp_path) as memory, pytest.raises(ConfigError, match="HYMEM_LLM_API_KEY, or HYMEM_LLM_MODEL=rules"):
        memory.dream()


def test_what_was_said_is_known_after_a_dream(dreamt: HyMem):
    assert known(dreamt) == {
        "api uses redis", "api depends_on redis", "worker depends_on api", "worker depends_on redis",
    }  # fmt: skip
    assert [entry.statement for entry in dreamt.profile()] == ["prefers tabs"]


def test_a_dream_may_look_from_another_moment(memory: HyMem):
    memory.dream(now="2026-05-30T12:00:00Z")

    assert memory.query("select as_seen_at from dream_runs").as_seen_at.tolist() == ["2026-05-30T12:00:00.000000Z"]


def test_a_query_gives_a_frame(dreamt: HyMem):
    frame = dreamt.query("select subject, confidence from knowledge_graph where predicate = 'uses'")

    assert frame.to_dict("records") == [{"subject": "api", "confidence": 2 / 3}]
    assert list(dreamt.query("select seq from messages where seq > 99").columns) == ["seq"]


def test_a_query_cannot_write(dreamt: HyMem):
    with pytest.raises(InputError, match="cannot be answered"):
        dreamt.query("pragma query_only = off; commit; delete from messages")

    assert len(dreamt.messages()) == 2


def test_recall_needs_neither_pandas_nor_hamilton(dreamt: HyMem):
    dreamt.close()
    script = (
        "import sys; from hymem import HyMem; "
        f"memory = HyMem({str(dreamt.root)!r}); "
        "assert memory.augment('what does the api use?').graph_facts; assert memory.why('api', 'uses', 'redis'); "
        "assert not {'pandas', 'numpy', 'hamilton', 'openai'} & sys.modules.keys(), sys.modules.keys()"
    )

    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[2])


# ------------------------------------------------------------------------------------------------------- people's words


def test_an_alias_takes_effect_in_the_next_dream(dreamt: HyMem):
    assert dreamt.alias("Redis", "Valkey")
    assert not dreamt.alias("redis", "valkey")

    dreamt.dream()

    assert "api uses valkey" in known(dreamt)
    assert dreamt.augment("is redis up?").matched_entities == ("valkey",)


def test_an_alias_for_the_same_name_is_refused(memory: HyMem):
    with pytest.raises(InputError, match="are the same name already: api"):
        memory.alias("The API", "api")


def test_a_retracted_edge_and_what_followed_from_it_are_gone_until_it_is_restored(dreamt: HyMem):
    assert dreamt.retract_edge("API", "depends on", "Redis", "it does not")
    assert not dreamt.retract_edge("API", "depends-on", "Redis")
    dreamt.dream()
    assert known(dreamt) == {"api uses redis", "worker depends_on api"}

    assert dreamt.restore_edge("API", "depends_on", "Redis")
    dreamt.dream()
    assert "worker depends_on redis" in known(dreamt)


def test_what_is_not_in_the_graph_can_be_neither_retracted_nor_explained(dreamt: HyMem):
    with pytest.raises(UnknownError, match="nothing is known of: api uses oracle"):
        dreamt.retract_edge("API", "uses", "Oracle")
    with pytest.raises(UnknownError, match="nothing is known of: api uses oracle"):
        dreamt.why("API", "uses", "Oracle")


def test_a_word_that_is_no_predicate_is_refused(dreamt: HyMem):
    with pytest.raises(InputError, match="'adores' is no predicate; the predicates are uses, "):
        dreamt.why("API", "adores", "Redis")


def test_whatever_was_made_of_an_erased_message_is_forgotten_down_to_the_bytes(dreamt: HyMem):
    dreamt.erase_message("m1")
    dreamt.dream()
    assert known(dreamt) == set()
    dreamt.close()  # the last connection brings the write-ahead log into the file

    left = {path.name: path.read_bytes().lower() for path in dreamt.root.iterdir()}
    assert {name for name, content in left.items() for word in (b"uses redis", b"worker") if word in content} == set()
    assert any(b"tabs" in content for content in left.values())


def test_an_erased_session_is_forgotten_too(dreamt: HyMem):
    dreamt.erase_session("monday")
    dreamt.dream()

    assert (known(dreamt), dreamt.profile(), dreamt.messages(), dreamt.sessions()) == (set(), [], [], [])
    assert dreamt.query("select * from processed_chunks").empty


def test_a_conclusion_that_a_person_retracts_is_not_drawn_again(tmp_path: Path):
    said = "The shop depends on Celery. Celery depends on Redis."
    chain = [("shop", "celery", "The shop depends on Celery."), ("celery", "redis", "Celery depends on Redis.")]
    triples = [{"subject": s, "predicate": "depends_on", "object": o, "quote": quote} for s, o, quote in chain]
    with HyMem(tmp_path, llm=ScriptedModel({said: {"triples": triples}})) as memory:
        memory.log_message("monday", "user", said)
        memory.dream()
        derived = [edge for edge in memory.edges() if edge.derived]
        memory.retract_edge("shop", "depends on", "redis")
        memory.dream()

        assert [(edge.subject, edge.object) for edge in derived] == [("shop", "redis")]
        assert [edge for edge in memory.edges(include_retracted=True) if edge.derived] == []


def test_of_two_opposite_aliases_the_second_is_known_already(tmp_path: Path):
    with HyMem(tmp_path) as memory:
        assert [memory.alias("pg", "team_db"), memory.alias("team db", "PG"), memory.alias("pg", "team_db")] == [
            True,
            False,
            False,
        ]


def test_only_entities_can_be_merged(tmp_path: Path):
    with HyMem(tmp_path) as memory, pytest.raises(UnknownError, match="no entity"):
        memory.merge_canonical("mysql", "nosuch")


@pytest.mark.parametrize("way", ["part_of", "part of", "is part of", "IS PART OF", "is not part of", "part-of"])
def test_a_predicate_may_be_written_as_it_is_shown(way: str):
    assert predicate_named(way) == "part_of"
