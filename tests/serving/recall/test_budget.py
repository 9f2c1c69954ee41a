from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import InputError
from hymem.models.rules import RulesExtractor
from hymem.records import FtsHit
from hymem.tokens import about_so_many_tokens
from serving.memory import HyMem
from serving.recall import AugmentedContext
from serving.recall.budget import LeftOut, fitted


def passage(text: str, score: float) -> FtsHit:
    return FtsHit(1, "monday", "2026-01-01", text, score, ("keyword",), "m", "user", "user")


class Told:
    """Something that is recalled, as a sentence with a score."""

    def __init__(self, text: str, score: float) -> None:
        self.text, self.score = text, score

    def __str__(self) -> str:
        """The sentence."""
        return self.text


def recalled(**parts: Any) -> AugmentedContext:
    return AugmentedContext(**parts)


def all_tokens(found: AugmentedContext) -> int:
    texts = [found.user_md, found.memory_md, *(hit.text for hit in found.fts_hits)]
    hits = (*found.graph_facts, *found.episodes, *found.procedures, *found.facts)
    return sum(about_so_many_tokens(text) for text in (*texts, *map(str, hits)))


def test_the_best_of_every_part_outlasts_the_second_of_any():
    facts = (Told("api uses redis", 0.04), Told("api uses flask", 0.03))
    said = (passage("we moved to redis", 9.0), passage("we moved away from it", 8.9))
    tokens = about_so_many_tokens("api uses redis") + about_so_many_tokens("we moved to redis")

    kept = fitted(recalled(graph_facts=facts, fts_hits=said), tokens)

    assert ([str(fact) for fact in kept.graph_facts], [hit.text for hit in kept.fts_hits]) == (
        ["api uses redis"],
        ["we moved to redis"],
    )
    assert kept.left_out == LeftOut(graph_facts=1, fts_hits=1)
    assert str(kept.left_out) == "1 passage, 1 graph fact"


def test_files_get_half_and_lose_their_last_lines():
    user_md = "".join(f"- line {n} of the profile\n" for n in range(40))
    tokens = about_so_many_tokens(user_md)

    kept = fitted(recalled(user_md=user_md), tokens)

    assert user_md.startswith(kept.user_md) and kept.user_md.endswith("\n")
    assert about_so_many_tokens(kept.user_md) <= tokens // 2
    assert kept.left_out.user_md == 40 - len(kept.user_md.splitlines())
    assert "lines of USER.md" in str(kept.left_out)


@given(
    st.lists(st.tuples(st.text(max_size=60), st.floats(0, 10)), max_size=6),
    st.lists(st.tuples(st.text(max_size=60), st.floats(0, 10)), max_size=6),
    st.text(max_size=200),
    st.integers(1, 120),
)
def test_what_is_kept_fits_and_all_else_is_counted(
    said: list[tuple[str, float]], told: list[tuple[str, float]], user_md: str, most: int
):
    found = recalled(
        fts_hits=tuple(passage(*one) for one in said), facts=tuple(Told(*one) for one in told), user_md=user_md
    )

    kept = fitted(found, most)

    assert all_tokens(kept) <= most
    assert len(kept.fts_hits) + kept.left_out.fts_hits == len(said)
    assert len(kept.facts) + kept.left_out.facts == len(told)
    assert fitted(found, 10**6) == found


def test_augment_keeps_to_its_tokens(tmp_path: Path):
    with HyMem(tmp_path, llm=RulesExtractor()) as memory:
        memory.log_message(
            "monday", "user", "Billing depends on Redis. The api depends on Redis, too. Billing uses Go."
        )
        memory.dream()
        whole, brief = memory.augment("billing, redis?"), memory.augment("billing, redis?", max_tokens=20, files=False)

    assert not whole.left_out and len(whole.graph_facts) == 3
    assert brief.left_out and all_tokens(brief) <= 20
    assert brief.graph_facts[0].edge == whole.graph_facts[0].edge and brief.user_md == brief.memory_md == ""


@pytest.mark.parametrize("tokens", [0, -5, 1.5, "100", True])
def test_a_budget_that_is_none_is_refused(tmp_path: Path, tokens: Any):
    with HyMem(tmp_path) as memory, pytest.raises(InputError, match="max_tokens must be a whole number from 1 on"):
        memory.augment("billing?", max_tokens=tokens)
