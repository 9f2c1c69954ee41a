"""A year of talk about a project whose stack changes, dreamt month by month with the keyless extractor.

What is said when stands in `hymem.simulated_year.STORY`; what a person would expect of it stands here.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from hymem.models.rules import RulesExtractor
from hymem.simulated_year import STORY, month_by_month, simulated_year
from serving.memory import HyMem

NEW_YEARS_EVE = "2025-12-31T23:59:59.999999Z"
SEED = 7

Months = Sequence[tuple[str, Mapping[str, float]]]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HyMem]:
    opened = HyMem(tmp_path_factory.mktemp("year"), llm=RulesExtractor(), clock=lambda: NEW_YEARS_EVE)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def months(memory: HyMem) -> Months:
    """The year, lived through: the confidences at the end of each month."""
    return list(month_by_month(memory, simulated_year(SEED)))


def course(months: Months, edge: str) -> list[float]:
    """An edge's confidence at the end of each month, 0 before it is known."""
    return [round(confidences.get(edge, 0), 2) for _, confidences in months]


def standing(memory: HyMem) -> dict[str, str]:
    """The status of each stated edge, and whether it is rather denied than believed."""
    return {
        f"{edge.subject} {edge.predicate} {edge.object}": edge.status + ("" if edge.confidence >= 0.5 else ", doubted")
        for edge in memory.edges(include_retracted=True)
        if not edge.derived
    }


def test_at_the_end_of_the_year_one_believes_what_is_so_and_doubts_what_was(memory: HyMem, months: Months):
    assert standing(memory) == {
        "orbit tested_by pytest": "active",
        "orbit depends_on stripe": "active",
        "comet depends_on stripe": "active",
        "orbit uses fastapi": "active",
        "orbit runs_on hetzner": "active",
        "user prefers short_answers": "active",
        "user avoids tabs": "active",
        "payroll requires_version java": "active",
        "orbit uses flask": "stale, doubted",
        "orbit runs_on heroku": "stale, doubted",
        "orbit uses redis": "stale, doubted",
        "fastapi replaces flask": "stale, doubted",
        "comet uses mysql": "stale, doubted",
        "comet uses postgresql": "active, doubted",
    }


def test_what_is_said_every_month_grows_ever_more_certain(months: Months):
    assert course(months, "orbit tested_by pytest") == [round((n + 1) / (n + 2), 2) for n in range(1, 13)]


def test_a_replacement_counts_against_the_old_at_once_and_the_old_fades_from_then_on(months: Months):
    flask, fastapi = course(months, "orbit uses flask"), course(months, "orbit uses fastapi")

    assert flask[:3] == [0.67, 0.75, 0.8]
    assert flask[2:] == sorted(flask[2:], reverse=True)
    assert flask[3] <= 0.67
    assert fastapi[:4] == [0, 0, 0, 0.67]
    assert all(new > old for old, new in zip(flask[4:], fastapi[4:], strict=True))


def test_a_fact_wavers_while_its_topic_is_discussed_and_recovers_when_it_is_said_again(months: Months):
    fastapi = course(months, "orbit uses fastapi")

    assert fastapi[8] == 0.83
    assert fastapi[10] < 0.75
    assert fastapi[11] == 0.86


def test_what_is_denied_twice_is_disbelieved_and_told_as_a_contradiction(memory: HyMem, months: Months):
    redis = course(months, "orbit uses redis")

    assert redis[4] > redis[5] > redis[7]
    assert redis[7] < 0.5
    assert [insight.kind for insight in memory.insights() if "redis" in insight.statement] == ["contradiction"]


def test_silence_is_no_doubt(months: Months):
    assert course(months, "payroll requires_version java") == [0] + [0.67] * 11


def test_questions_and_imaginings_are_no_facts(memory: HyMem, months: Months):
    assert [name for name in standing(memory) if "kafka" in name] == []


def test_the_profile_holds_the_wishes_the_surest_first(memory: HyMem, months: Months):
    entries = sorted(memory.profile(), key=lambda entry: -entry.confidence)

    assert [(entry.kind, entry.statement, entry.pos_evidence) for entry in entries] == [
        ("preference", "I prefer short answers", 3),
        ("rejection", "Never use tabs", 2),
    ]


def test_the_insights_are_what_one_would_tell_a_newcomer(memory: HyMem, months: Months):
    told = [(insight.kind, insight.statement) for insight in memory.insights()]

    about = {"hub": ("stripe",), "preference": ("short_answers", "tabs"), "contradiction": ("redis", "flask")}
    assert [(kind, [name for name in about[kind] if name in statement]) for kind, statement in told] == [
        ("hub", ["stripe"]),
        ("preference", ["short_answers"]),
        ("preference", ["tabs"]),
        ("contradiction", ["redis"]),
        ("contradiction", ["flask"]),
    ]


def test_the_turning_points_are_episodes(memory: HyMem, months: Months):
    assert {(episode.session_id, episode.title) for episode in memory.episodes()} == {
        ("2025-04", "We migrated Orbit from Flask to FastAPI."),
        ("2025-03", "Actually, Comet uses MySQL, not Postgres."),
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_on_whatever_days_it_is_said_and_dreamt_of_at_once_the_year_ends_alike(
    memory: HyMem, months: Months, seed: int, tmp_path: Path
):
    with HyMem(tmp_path, llm=RulesExtractor(), clock=lambda: NEW_YEARS_EVE) as other:
        other.log_messages(simulated_year(seed))
        other.dream(budget=0)

        assert standing(other) == standing(memory)
        assert other.insights() == memory.insights()


def test_a_seed_always_gives_the_same_year():
    assert simulated_year(SEED) == simulated_year(SEED) != simulated_year(SEED + 1)


def test_a_year_has_every_sentence_in_its_months_in_order_of_time():
    said = simulated_year(SEED)

    assert len(said) == sum(len(months) for _, months in STORY)
    assert [message.created_at for message in said] == sorted(str(message.created_at) for message in said)
