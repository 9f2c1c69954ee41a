import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflows.extraction import (
    EXAMPLES_SHOWN,
    OLDEST_SHARE,
    Readings,
    carried_now,
    chosen_replies,
    chunk_replies,
    due_chunks,
    extracted_triples,
    extraction_instructions,
    extraction_prompts,
    extraction_version,
    negative_examples,
    new_readings,
    quarantined_chunks,
    readings,
    type_claims,
    waiting_chunks,
)
from dataflows.rows import Attempt, Chunk, FeedbackAct, Marker, ReadReply, Reply, Triple, TypeClaim, Unreadable
from dataflows.tables import Table, table
from hymem.store.replies import FAILURES_ALLOWED
from hymem.vocabulary import ENTITY_TYPES, MARKER_KINDS, PREDICATES
from tests.support.frames import day, days, some, told

NONE_CARRIED = table(ReadReply)
PRESENT = ("v1", "present-model")
NOTHING_READ = Readings(table(ReadReply), table(Triple), table(Marker), table(TypeClaim), table(Unreadable))


def triple(quote: str, subject: str = "api", object_: str = "redis") -> dict[str, Any]:
    return {"subject": subject, "predicate": "uses", "object": object_, "polarity": 1, "quote": quote}


def read(reply: Any, text: str, context: str = "") -> Readings:
    """What a reply about one chunk says; an object becomes the JSON that it is."""
    written = reply if isinstance(reply, str) else json.dumps(reply)
    replies = table(Reply, [(1, *PRESENT, written, "2026-01-01T00:00:00.000000Z")])
    return new_readings(replies, some(Chunk, chunk_id=1, peer_id="ada", context=context, text=text))


# ------------------------------------------------------------------------------------------------------------ prompts


def test_the_instructions_name_the_whole_vocabulary_and_leave_no_gap():
    text = extraction_instructions()

    assert [word for word in (*PREDICATES, *MARKER_KINDS, *ENTITY_TYPES) if word not in text] == []
    assert "{predicates}" not in text and "{marker_kinds}" not in text and "{entity_types}" not in text


def test_another_wording_is_another_version():
    versions = {extraction_version("v7", "Note facts."), extraction_version("v7", "Note all facts.")}

    assert len(versions) == 2
    assert all(version.startswith("v7+") for version in versions)


def test_a_prompt_shows_the_speaker_the_time_the_context_and_the_turn():
    due = some(Chunk, chunk_id=7, peer_id="ada", said_at=day(2), context="Which one?", text='"Postgres"\n{}')

    question = json.loads(extraction_prompts(due, [], "v1").question[0])

    assert question == {
        "speaker": "ada",
        "said_at": "2026-01-03T00:00:00",
        "context": "Which one?",
        "text": '"Postgres"\n{}',
        "known_to_be_wrong": [],
    }


def test_a_prompt_lies_between_the_messages_that_it_shows():
    due = some(Chunk, chunk_id=[1, 2, 3], message_seq=[5, 5, 5], context_seq=[4.0, None, 9.0])

    assert told(extraction_prompts(due, [], "v1"), "first_seq", "last_seq") == [(4, 5), (5, 5), (5, 9)]


def feedback(*acts: tuple[str, str]) -> Table[FeedbackAct]:
    return some(
        FeedbackAct,
        act=[act for act, _ in acts],
        subject="api",
        predicate="uses",
        object=[object_ for _, object_ in acts],
    )


def test_what_people_retracted_and_did_not_restore_is_an_example_of_what_is_wrong():
    acts = feedback(("retract", "redis"), ("retract", "kafka"), ("restore", "redis"))

    assert negative_examples(acts) == [{"subject": "api", "predicate": "uses", "object": "kafka"}]


def test_the_newest_examples_are_shown_each_once():
    acts = feedback(*(("retract", f"tool{n % 12}") for n in range(24)))

    assert [example["object"] for example in negative_examples(acts)] == [f"tool{n}" for n in range(2, 12)]
    assert len(negative_examples(acts)) == EXAMPLES_SHOWN


# ------------------------------------------------------------------------------------------------- who is asked about


def test_within_the_budget_the_newest_come_first_and_a_fifth_is_the_oldest():
    waiting = some(Chunk, chunk_id=list(range(100)), said_at=days(*range(100)))

    assert due_chunks(waiting, table(Chunk), 10).chunk_id.tolist() == [99, 98, 97, 96, 95, 94, 93, 92, 1, 0]


def test_a_budget_of_zero_asks_about_all():
    waiting = some(Chunk, chunk_id=list(range(100)), said_at=days(*range(100)))

    assert due_chunks(waiting, table(Chunk), 0).chunk_id.tolist() == list(range(99, -1, -1))


@given(st.integers(0, 30), st.integers(1, 40), st.sets(st.integers(0, 29)))
def test_the_budget_is_used_up_and_no_chunk_is_asked_about_twice(count: int, budget: int, resting: set[int]):
    waiting = some(Chunk, chunk_id=list(range(count)), said_at=days(*range(count)))
    quarantined = waiting[waiting.chunk_id.isin(resting)]

    due = due_chunks(waiting, quarantined, budget).chunk_id

    assert due.is_unique
    assert len(due) == min(budget, count - len(quarantined))
    assert not due.isin(quarantined.chunk_id).any()
    oldest = [n for n in range(count) if n not in resting][: budget // OLDEST_SHARE]
    assert set(oldest) <= set(due)


def test_a_chunk_that_failed_too_often_rests():
    failures = some(Attempt, chunk_id=[1, 2], failures=[FAILURES_ALLOWED, FAILURES_ALLOWED - 1])

    assert quarantined_chunks(some(Chunk, chunk_id=[1, 2, 3]), failures).chunk_id.tolist() == [1]


# ----------------------------------------------------------------------------------------------------- chosen replies


def chosen(*replies: tuple[str, str, str], carried: Table[ReadReply] = NONE_CARRIED) -> list[tuple[Any, ...]]:
    """Which of the replies (version, model, replied at) to chunk 1 is read."""
    rows = [(1, version, model, f"{model} at {at}", at) for version, model, at in replies]
    found = chosen_replies(carried, table(Reply, rows), some(Chunk, chunk_id=1), *PRESENT)
    return told(found, "prompt_version", "model", "replied_at")


def test_the_present_models_reply_to_the_present_prompt_wins_over_newer_ones():
    assert chosen((*PRESENT, "2026-01-01"), ("v1", "other", "2026-02-01"), ("v0", "present-model", "2026-03-01")) == [
        (*PRESENT, "2026-01-01")
    ]


def test_without_a_present_one_the_newest_reply_is_read():
    assert chosen(("v0", "a", "2026-02-01"), ("v9", "b", "2026-01-01")) == [("v0", "a", "2026-02-01")]


def test_a_reply_that_an_earlier_dream_has_read_is_as_good_as_another():
    carried = some(ReadReply, chunk_id=1, prompt_version="v0", model="a", replied_at="2026-02-01")

    assert chosen(("v0", "b", "2026-01-01"), carried=carried) == [("v0", "a", "2026-02-01")]
    assert chosen(("v0", "b", "2026-03-01"), carried=carried) == [("v0", "b", "2026-03-01")]


def test_a_reply_to_a_chunk_that_is_gone_is_passed_over():
    stale = table(Reply, [(99, *PRESENT, "{}", "2026-01-01")])

    assert len(chosen_replies(table(ReadReply), stale, some(Chunk, chunk_id=1), *PRESENT)) == 0


def test_chunks_wait_until_the_present_model_has_answered_readably():
    replies = table(
        Reply,
        [(1, *PRESENT, "{}", "2026-01-01"), (2, "v0", "old", "{}", "2026-01-01"), (3, *PRESENT, "?", "2026-01-01")],
    )
    chunks = some(Chunk, chunk_id=[1, 2, 3, 4])
    best = chosen_replies(table(ReadReply), replies, chunks, *PRESENT)
    unreadable = NOTHING_READ._replace(unreadable=table(Unreadable, [(3, "no JSON")]))

    assert waiting_chunks(chunks, best, unreadable, *PRESENT).chunk_id.tolist() == [2, 3, 4]


# ------------------------------------------------------------------------------------------------------ what was read


def test_a_triple_keeps_its_surface_forms_and_its_quote():
    found = read({"triples": [triple("The API uses Redis", "The API", "Redis")]}, "Yes. The API uses Redis now.")

    assert told(found.triples, "chunk_id", "position", "subject", "object", "polarity", "quote") == [
        (1, 0, "The API", "Redis", 1, "The API uses Redis")
    ]


def test_words_that_are_not_in_the_chunk_support_nothing():
    found = read({"triples": [triple("we love Redis"), triple("uses Redis")]}, "The API uses Redis")

    assert found.triples.quote.tolist() == ["uses Redis"]
    (refused,) = json.loads(found.replies.refused[0])
    assert refused.startswith("1 without words of the chunk")


def test_a_quote_may_differ_in_case_and_whitespace():
    assert len(read({"triples": [triple("the api  USES redis")]}, "The API\nuses Redis").triples) == 1


@pytest.mark.parametrize(("answer", "counted"), [("Yes, exactly", 1), ("No, we do not", 0), ("Use what you want", 0)])
def test_the_assistants_words_count_only_where_the_speaker_confirms_them(answer: str, counted: int):
    found = read({"triples": [triple("The API uses Redis")]}, answer, context="The API uses Redis, right?")

    assert len(found.triples) == counted


def test_a_marker_belongs_to_the_peer_who_spoke():
    marker = {"kind": "preference", "statement": "prefers tabs", "quote": "I prefer tabs"}

    assert told(read({"markers": [marker]}, "I prefer tabs").markers, "peer_id", "kind", "statement") == [
        ("ada", "preference", "prefers tabs")
    ]


def test_a_name_has_one_type_in_a_reply_the_last():
    claims = [{"name": "Rust", "type": "tool"}, {"name": "Rust", "type": "language"}]

    assert told(read({"entity_types": claims}, "Rust").type_claims) == [(1, "Rust", "language")]


def test_a_reply_that_cannot_be_read_is_a_row_with_its_reason():
    found = read("I cannot help with that.", "The API uses Redis")

    assert found.unreadable.chunk_id.tolist() == [1]
    assert found.unreadable.reason[0]
    assert len(found.replies) == 0


def test_an_empty_answer_is_an_answer():
    found = read({"triples": [], "markers": [], "entity_types": []}, "hello there")

    assert (len(found.replies), len(found.unreadable)) == (1, 0)


def test_the_same_item_twice_is_one():
    assert len(read({"triples": [triple("uses Redis")] * 20}, "The API uses Redis").triples) == 1


def fresh(reply: dict[str, Any], version: str = "v1") -> Readings:
    return read(reply, "The API uses Redis")._replace(
        replies=some(ReadReply, chunk_id=1, prompt_version=version, model="present-model", refused="[]")
    )


def test_a_new_reply_takes_the_place_of_the_ledgers():
    old, new = fresh({"triples": [triple("uses Redis")]}, "v0"), fresh({"triples": []})

    both = readings(old, new)

    assert both.replies.prompt_version.tolist() == ["v1"]
    assert len(both.triples) == 0


def test_carried_rows_stay_until_a_better_reply_is_read():
    carried = some(ReadReply, chunk_id=[1, 2], prompt_version="v1", model="present-model")
    rows = some(Triple, chunk_id=[1, 2], subject=["carried 1", "carried 2"])
    best = chosen_replies(carried, table(Reply), some(Chunk, chunk_id=[1, 2]), *PRESENT)
    new = fresh({"triples": [triple("uses Redis", "fresh")]})

    still = carried_now(best, new)

    assert extracted_triples(rows, new, still).subject.tolist() == ["fresh", "carried 2"]
    assert chunk_replies(carried, new, still).chunk_id.tolist() == [1, 2]
    assert len(type_claims(table(TypeClaim), new, still)) == 0
