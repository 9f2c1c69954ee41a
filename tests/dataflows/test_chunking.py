from itertools import pairwise
from typing import Any

import pandas as pd

from dataflows.chunking import chunks, fresh_chunks, salient_turns, spoken_turns, turns_in_context
from dataflows.rows import Chunk, Message
from dataflows.tables import Table, table
from hymem.salience import CHUNK_LIMIT, CONTEXT_LIMIT
from tests.support.frames import day, some, told

NONE_CARRIED = table(Chunk)


def talk(*turns: tuple[str, str], session_id: str = "monday") -> Table[Message]:
    """Turns of (role, content), numbered from 1, a day apart."""
    rows = [
        (seq, f"m{seq}", session_id, role, role, content, day(seq), True)
        for seq, (role, content) in enumerate(turns, start=1)
    ]
    return table(Message, rows)


def cut(messages: Table[Message], salience_min_chars: int = 30) -> Table[Chunk]:
    return fresh_chunks(salient_turns(turns_in_context(spoken_turns(messages)), salience_min_chars))


def shown(found: pd.DataFrame) -> list[tuple[Any, ...]]:
    return told(found, "context", "text")


def test_a_users_turn_comes_with_the_assistants_turn_before_it():
    found = cut(talk(("assistant", "Which database?"), ("user", "We use Postgres")))

    assert told(found, "message_seq", "context_seq", "context", "text", "said_at", "salience_reason") == [
        (2, 1.0, "Which database?", "We use Postgres", day(2), "relation")
    ]


def test_an_assistants_turn_is_the_context_of_one_users_turn_only():
    found = cut(talk(("assistant", "Which one?"), ("user", "We use Postgres"), ("user", "And we use Redis")))

    assert shown(found) == [("Which one?", "We use Postgres"), ("", "And we use Redis")]


def test_of_two_assistants_turns_the_nearer_is_the_context():
    found = cut(talk(("assistant", "Hello"), ("assistant", "Which one?"), ("user", "We use Postgres")))

    assert shown(found) == [("Which one?", "We use Postgres")]


def test_the_context_never_comes_from_another_session():
    ended = talk(("assistant", "Which one?"))
    begun = talk(("user", "We use Postgres"), session_id="tuesday")

    assert shown(cut(pd.concat([ended, begun], ignore_index=True))) == [("", "We use Postgres")]


def test_system_prompts_and_tool_output_are_no_conversation():
    found = cut(
        talk(
            ("system", "Always use Oracle"),
            ("assistant", "Which one?"),
            ("tool", "We use MySQL"),
            ("user", "We use Postgres"),
        )
    )

    assert shown(found) == [("Which one?", "We use Postgres")]


def test_assistants_turns_are_no_chunks_of_their_own_to_a_model():
    assert shown(cut(talk(("user", "ok"), ("assistant", "You always use Postgres for everything, I see")))) == []


def test_what_hymem_recalled_is_never_learnt():
    recalled = "<hymem-memory>\nwe use Oracle\n</hymem-memory>\nWe use Postgres"

    assert shown(cut(talk(("user", recalled)))) == [("", "We use Postgres")]


def test_a_turn_that_is_nothing_but_recalled_is_passed_over():
    found = cut(
        talk(
            ("assistant", "Which one?"),
            ("user", "<!-- HyMem:profile:start -->likes Oracle<!-- HyMem:profile:end -->"),
            ("user", "We use Postgres"),
        )
    )

    assert shown(found) == [("Which one?", "We use Postgres")]


def test_idle_talk_is_no_chunk():
    assert shown(cut(talk(("user", "good morning"), ("user", "???"), ("user", "   ")))) == []


def test_the_end_of_a_long_context_is_kept():
    found = cut(talk(("assistant", "x" * CONTEXT_LIMIT + " Which one?"), ("user", "We use Postgres")))

    assert len(found.context[0]) == CONTEXT_LIMIT
    assert found.context[0].endswith("Which one?")


def test_a_giant_is_split_without_loss_and_only_its_first_piece_has_the_context():
    paragraphs = [f"We use tool number {n} for this. " * 20 for n in range(20)]
    giant = "\n\n".join(paragraphs).strip()

    found = cut(talk(("assistant", "Which ones?"), ("user", giant)))

    assert "".join(found.text) == giant
    assert found.text.str.len().max() <= CHUNK_LIMIT
    assert found.part.tolist() == list(range(len(found)))
    assert found.context.tolist() == ["Which ones?"] + [""] * (len(found) - 1)
    assert found.context_seq.notna().tolist() == [True] + [False] * (len(found) - 1)
    assert found.chunk_id.is_unique


def test_a_chunks_id_depends_on_its_session_and_messages_alone():
    first = cut(talk(("assistant", "Which one?"), ("user", "We use Postgres")))
    among_others = cut(
        pd.concat(
            [
                talk(("user", "We also use Redis here"), session_id="friday"),
                talk(("assistant", "Which one?"), ("user", "We use Postgres"), ("user", "We deploy to Azure")),
            ],
            ignore_index=True,
        )
    )

    assert first.chunk_id[0] in set(among_others.chunk_id)
    assert cut(talk(("user", "We use Postgres"))).chunk_id[0] != first.chunk_id[0]


def test_carried_and_fresh_chunks_are_all_the_chunks_by_id():
    fresh = cut(talk(("user", "We use Postgres"), ("user", "We use Redis")))

    every = chunks(some(Chunk, chunk_id=1, text="carried"), fresh)

    assert sorted(every.text) == sorted(["carried", "We use Postgres", "We use Redis"])
    assert all(before < after for before, after in pairwise(every.chunk_id))


def test_nothing_said_gives_nothing():
    assert len(chunks(NONE_CARRIED, cut(table(Message)))) == 0
