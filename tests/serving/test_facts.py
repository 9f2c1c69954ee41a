"""Told facts with trust: what is told is found again, by word and by name, no further than it is trusted."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hymem import HyMem
from hymem.errors import RefusedFactError, StoreError, UnknownFactError
from hymem.models.rules import RulesExtractor
from serving.facts import MemoryStore
from tests.support.command_line import CommandLine


@contextmanager
def fresh(dim: int = 32) -> Iterator[MemoryStore]:
    """A store of its own, for one of Hypothesis's examples."""
    with tempfile.TemporaryDirectory() as folder, MemoryStore(folder, hrr_dim=dim) as store:
        yield store


DERIVED = ("facts", "entities", "fact_entities", "fact_aliases", "memory_banks")


@pytest.fixture
def store(tmp_path: Path):
    with MemoryStore(tmp_path) as opened:
        yield opened


def contents(found: list[dict]) -> list[str]:
    return [fact["content"] for fact in found]


def tables(store: MemoryStore) -> dict[str, list]:
    return {name: store._database.rows(f"select * from {name} order by 1, 2") for name in DERIVED}


def told(store: MemoryStore, *facts: str) -> list[int]:
    return [store.add_fact(fact) for fact in facts]


# ------------------------------------------------------------------------------------------------ telling, and trust


def test_a_fact_that_is_told_twice_is_one_fact(store: MemoryStore):
    first = store.add_fact("  Deploys go out on Thursdays.  ", "project", "release")

    assert store.add_fact("Deploys go out on Thursdays.") == first
    assert [(f["content"], f["category"], f["trust_score"]) for f in store.list_facts()] == [
        ("Deploys go out on Thursdays.", "project", 0.5)
    ]


@given(st.lists(st.booleans(), max_size=40))
@settings(max_examples=25)
def test_trust_is_the_marks_in_their_order_and_never_leaves_its_scale(marks: list[bool]):
    with fresh() as store:
        fact_id = store.add_fact("Ada prefers tea")
        trust = 0.5
        for helpful in marks:
            trust = round(min(1.0, max(0.0, trust + (0.05 if helpful else -0.10))), 6)
            assert store.record_feedback(fact_id, helpful)["new_trust"] == trust

        assert store.fact(fact_id)["helpful_count"] == sum(marks)


def test_no_read_gives_a_fact_that_is_trusted_less_than_asked_for(store: MemoryStore):
    told(store, "Zephyr uses Postgres", "Zephyr uses MySQL")
    for fact_id in (1, 2):
        store.update_fact(fact_id, trust_delta=-0.1)

    reads = [
        lambda least: store.list_facts(min_trust=least),
        lambda least: store.search_facts("Zephyr", min_trust=least),
        lambda least: store.probe("Zephyr", min_trust=least),
        lambda least: store.related("Zephyr", min_trust=least),
        lambda least: store.reason(["Zephyr"], min_trust=least),
        lambda least: store.contradict(min_trust=least),
    ]
    assert [bool(read(0.4)) for read in reads] == [True] * 6
    assert [read(0.41) for read in reads] == [[]] * 6


def test_feedback_does_not_make_a_fact_newer(store: MemoryStore):
    fact_id = store.add_fact("Ada prefers tea")
    before = store.fact(fact_id)["updated_at"]
    store.record_feedback(fact_id, helpful=True)

    assert store.fact(fact_id)["updated_at"] == before
    store.update_fact(fact_id, content="Ada prefers green tea")
    assert store.fact(fact_id)["updated_at"] > before


def test_finding_counts_as_retrieval(store: MemoryStore):
    store.add_fact("Ada prefers tea")

    assert [store.search_facts("Ada")[0]["retrieval_count"] for _ in range(2)] == [1, 2]
    store.rebuild_all_vectors()
    assert store.list_facts()[0]["retrieval_count"] == 2


@pytest.mark.parametrize("bad", ["", " \n", None, 3, "x" * 10_001])
def test_a_fact_that_says_nothing_or_too_much_is_refused(store: MemoryStore, bad):
    kept = store.add_fact("Ada prefers tea")

    with pytest.raises(ValueError, match="a fact"):
        store.add_fact(bad)
    if bad is not None:
        with pytest.raises(RefusedFactError, match="a fact"):
            store.update_fact(kept, content=bad)
    assert contents(store.list_facts()) == ["Ada prefers tea"]


def test_an_update_to_another_facts_words_is_refused_and_says_which(store: MemoryStore):
    told(store, "Ada prefers tea", "Ada prefers coffee")

    with pytest.raises(RefusedFactError, match="fact 1 says that already"):
        store.update_fact(2, content="Ada prefers tea")


@pytest.mark.parametrize("bad", [1.5, -1.5, float("nan"), True, "high"])
def test_what_is_no_trust_is_refused(store: MemoryStore, bad):
    store.add_fact("Ada prefers tea")
    for act in (
        lambda: store.update_fact(1, trust_delta=bad),
        lambda: store.list_facts(min_trust=bad),
        lambda: store.add_fact("new", trust=bad),
    ):
        with pytest.raises(ValueError, match="must"):
            act()


def test_what_is_not_there_is_said_to_be_so(store: MemoryStore):
    with pytest.raises(KeyError, match="there is no fact 7"):
        store.record_feedback(7, helpful=True)
    with pytest.raises(UnknownFactError):
        store.fact(7)
    assert (store.update_fact(7, tags="x"), store.remove_fact(7), store.forget_fact(7)) == (False, False, False)


# ------------------------------------------------------------------------------------------------------- by its words


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("Ada prefers tabs", "what are Ada's preferences?"),
        ("We run pre-commit on every push", "pre-commit"),
        ("The parser is written in C++", "C++"),
        ("用户喜欢绿茶和咖啡", "绿茶"),
        ("Ένας καφές για τον Γιώργο", "Γιωργο"),
        ("Анна пьёт чай", "анна"),
        ("Deploys go out on Thursdays", "when are we deploying?"),
    ],
)
def test_a_fact_is_found_by_its_words_in_any_form_and_script(store: MemoryStore, fact: str, question: str):
    told(store, fact, "Lunch is at noon")

    assert contents(store.search_facts(question)) == [fact]


@pytest.mark.parametrize(
    "question", ["who am I?", "AND OR NOT", '"', "NEAR(", "tags:*", "", "  ", "\x00", "' OR 1=1 --", "%_"]
)
def test_no_question_breaks_the_search_and_an_empty_one_finds_nothing(store: MemoryStore, question: str):
    store.add_fact("Ada prefers tea")

    assert store.search_facts(question) == []


def test_one_common_word_is_not_relevant(store: MemoryStore):
    store.add_fact("User prefers to run tests with pytest")

    assert store.search_facts("What is the best time of day for a long run?") == []
    assert len(store.search_facts("How do I run the tests?")) == 1


def test_relevance_counts_with_trust(store: MemoryStore):
    told(store, "Ada prefers green tea", "Bob prefers green tea")
    store.update_fact(1, trust_delta=-0.2)

    assert contents(store.search_facts("green tea")) == ["Bob prefers green tea", "Ada prefers green tea"]


def test_likeness_tells_the_words_of_a_fact_from_others():
    from hymem.holographic import ROLE_CONTENT, bind, encode_atom, encode_fact, encode_text, similarity

    fact = encode_fact("Ada prefers green tea", ["ada"])
    likeness = {
        text: similarity(fact, bind(encode_text(text), encode_atom(ROLE_CONTENT)))
        for text in ("Ada prefers green tea", "Deploys go out on Thursdays")
    }

    assert likeness["Ada prefers green tea"] > 0.4 > 0.1 > abs(likeness["Deploys go out on Thursdays"])


def test_a_secret_in_a_fact_is_neither_found_nor_shown(store: MemoryStore):
    store.add_fact("The password of the wiki is hunter2swordfish")

    assert "hunter2swordfish" not in str(store.search_facts("password wiki"))
    assert store.search_facts("hunter2swordfish") == []


# -------------------------------------------------------------------------------------------------------- by its names


def generated(store: MemoryStore) -> dict[tuple[str, str], set[str]]:
    """Two hundred facts about twenty projects and ten tools; the facts about each pair."""
    about: dict[tuple[str, str], set[str]] = {}
    for n in range(200):
        project, tool = f"Project{chr(65 + n % 20)}x", f"Tool{chr(65 + (n * 7 + n // 20) % 10)}q"
        fact = f"{project} talks to {tool} over channel {n} since release {n * 3}"
        store.add_fact(fact, category=("project", "tool")[n % 2])
        about.setdefault((project, tool), set()).add(fact)
    return about


def test_probe_and_reason_find_what_is_about_the_names_asked_for(store: MemoryStore):
    about = generated(store)
    for project in {project for project, _ in about}:
        assert all(project in fact for fact in contents(store.probe(project)))
        assert len(store.probe(project)) == 10
    for (project, tool), facts in about.items():
        assert set(contents(store.reason([project, tool], limit=5))) <= facts
        assert store.reason([project, tool], limit=5) != []


def test_vectors_alone_tell_which_facts_name_an_entity(store: MemoryStore):
    from hymem.holographic import ROLE_ENTITY, encoded, in_role, similarities
    from hymem.store.facts.found import vectors

    generated(store)
    with store._database.reading() as connection:
        ids, codes = vectors(connection, range(1, 201))
    alike = similarities(codes, encoded(in_role("projectcx", ROLE_ENTITY)))

    best = sorted(zip(alike, ids, strict=True), reverse=True)[:10]
    assert all("ProjectCx" in store.fact(fact_id)["content"] for _, fact_id in best)


def test_a_name_is_found_by_its_aliases_whenever_they_are_told(store: MemoryStore):
    told(store, "The Mainframe needs care", "Big Iron aka Mainframe", "Big Iron lives in Oslo")

    for name in ("Big Iron", "mainframe"):
        assert len(store.probe(name)) == 3
    store.remove_fact(2)
    assert contents(store.probe("mainframe")) == ["The Mainframe needs care"]


def test_wildcards_merge_no_names_and_contractions_make_none(store: MemoryStore):
    told(store, "a_b is fast", "axb_c is slow", "They don't matter, they don't")

    assert contents(store.probe("a_b")) == ["a_b is fast"]
    assert store.probe("a%b") == store.probe("a-b") == store.probe("a_b")
    assert [row[0] for row in store._database.rows("select name from entities order by name")] == ["a_b", "axb_c"]


def test_what_shows_no_name_is_looked_for_in_the_words(store: MemoryStore):
    told(store, "用户喜欢绿茶", "The user drinks earl grey")

    assert contents(store.probe("earl grey")) == ["The user drinks earl grey"]


def test_related_facts_come_after_those_about_the_name_itself(store: MemoryStore):
    told(store, "Zephyr uses Postgres", "Postgres runs on Hetzner", "Ada prefers tea")

    assert contents(store.related("Zephyr")) == ["Zephyr uses Postgres", "Postgres runs on Hetzner"]


def test_entities_that_no_fact_names_any_more_are_gone(store: MemoryStore):
    told(store, "Zephyr uses Postgres", "Zephyr is late")
    store.remove_fact(1)
    store.update_fact(2, content="Apollo is late")

    assert store._database.rows("select name from entities") == [("Apollo",)]


@pytest.mark.parametrize(
    ("older", "newer", "at_odds"),
    [
        ("Zephyr uses Postgres", "Zephyr uses MySQL", True),
        ("Zephyr uses Postgres", "Zephyr uses MySQL in production", True),
        ("Zephyr deploys on Fridays", "Zephyr never deploys on Fridays", True),
        ("I prefer tabs over spaces", "User prefers spaces over tabs", True),
        ("Zephyr uses Postgres", "Zephyr is written in Rust", False),
        ("Zephyr uses Postgres", "Apollo uses MySQL", False),
        ("Zephyr uses Python", "Zephyr uses Postgres", False),
        ("Zephyr doesn't use Redis", "Zephyr doesn't use Kafka", False),
    ],
)
def test_facts_are_at_odds_that_differ_in_what_they_say_of_one_thing(
    store: MemoryStore, older: str, newer: str, at_odds: bool
):
    told(store, older, newer)

    found = [(pair["fact_a"]["content"], pair["fact_b"]["content"]) for pair in store.contradict()]
    assert found == ([(newer, older)] if at_odds else [])


# ------------------------------------------------------------------------------------------------------------- in step

ACTS = st.lists(
    st.tuples(
        st.sampled_from(["add", "update", "remove", "helpful", "unhelpful", "category", "forget", "count"]),
        st.integers(1, 5),
        st.sampled_from(
            ["Zephyr uses Postgres", "Ada aka Countess", "Ada met Bob in Oslo", "用户喜欢「绿茶」", "nothing named"]
        ),
    ),
    max_size=14,
)


@given(ACTS)
@settings(max_examples=40)
def test_what_was_kept_in_step_is_what_a_rebuild_computes(acts: list[tuple[str, int, str]]):
    with fresh() as store:
        for act, fact_id, text in acts:
            do(store, act, fact_id, text)
        kept = tables(store)
        store.rebuild_all_vectors()

        assert tables(store) == kept


def do(store: MemoryStore, act: str, fact_id: int, text: str) -> None:
    try:
        match act:
            case "add":
                store.add_fact(text, "ab"[fact_id % 2])
            case "update":
                store.update_fact(fact_id, content=text, tags=text[:3])
            case "category":
                store.update_fact(fact_id, category="ab"[len(text) % 2])
            case "remove":
                store.remove_fact(fact_id)
            case "forget":
                store.forget_fact(fact_id)
            case "count":
                store.search_facts(text)
            case _:
                store.record_feedback(fact_id, act == "helpful")
    except (UnknownFactError, RefusedFactError):
        pass


def test_another_dimension_migrates_vectors_and_banks(store: MemoryStore):
    told(store, "Zephyr uses Postgres", "Ada prefers tea")
    with MemoryStore(store._database, hrr_dim=256) as other:
        assert contents(other.probe("Zephyr")) == ["Zephyr uses Postgres"]

    assert store.add_fact("Zephyr is late") == 3
    assert store._database.rows("select distinct length(hrr_vector) / 2 from facts") == [(256,)]
    assert store._database.rows("select dim, fact_count from memory_banks") == [(256, 3)]
    with pytest.raises(ValueError, match="dimensions"):
        store.rebuild_all_vectors(0)


def test_a_move_leaves_no_stale_bank(store: MemoryStore):
    store.add_fact("Zephyr uses Postgres", "tool")
    store.update_fact(1, category="project")

    assert [(bank["bank_name"], bank["fact_count"]) for bank in store.banks()] == [("cat:project", 1)]
    assert store.banks("Zephyr")[0]["likeness"] > 0.3


# ------------------------------------------------------------------------------------------------------ whose, and erasing


def test_peers_do_not_see_each_others_facts(store: MemoryStore):
    other = MemoryStore(store._database, peer_id="bob")
    mine, theirs = store.add_fact("Zephyr uses Postgres"), other.add_fact("Zephyr uses Postgres")

    assert mine != theirs
    assert [len(each.probe("Zephyr")) for each in (store, other)] == [1, 1]
    assert (other.remove_fact(mine), other.forget_fact(mine), len(store.list_facts())) == (False, False, 1)


def test_a_fact_goes_with_the_message_that_told_it_and_an_update_is_undone(tmp_path: Path):
    with HyMem(tmp_path) as memory, MemoryStore(tmp_path) as store:
        for name in ("m1", "m2"):
            memory.log_message("s", "user", f"message {name}", message_id=name)
        store.add_fact("Zephyr uses Postgres", message_id="m1")
        store.add_fact("Ada prefers tea")
        store.update_fact(2, content="Ada prefers coffee", message_id="m2")
        memory.erase_message("m1")
        memory.erase_message("m2")
        kept = tables(store)

        assert contents(store.list_facts()) == ["Ada prefers tea"]
        store.rebuild_all_vectors()
        assert tables(store) == kept


def test_a_forgotten_fact_leaves_no_byte(tmp_path: Path):
    with MemoryStore(tmp_path) as store:
        store.add_fact("Zephyr uses Quuxbase")
        store.update_fact(1, content="Zephyr uses Quuxbase daily", tags="quuxtag")
        store.remove_fact(1)
        store.forget_fact(1)

    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert (b"uuxbase" in held, b"uuxtag" in held, b"uuxdaily" in held) == (False, False, False)


def test_what_is_remembered_is_recalled_at_once_beside_the_graph(tmp_path: Path):
    with HyMem(tmp_path) as memory:
        fact_id = memory.remember("Deploys of Zephyr go out on Thursdays", "team")
        found = memory.augment("When does Zephyr deploy?").facts

        assert [(str(hit), hit.why_retrieved) for hit in found] == [
            ("Deploys of Zephyr go out on Thursdays", ("name:zephyr", "word:deploy", "trust_0.50"))
        ]
        assert memory.augment("What is for lunch?").facts == ()
        assert contents(memory.facts("team")) == ["Deploys of Zephyr go out on Thursdays"]
        assert (memory.forget_fact(fact_id), memory.facts()) == (True, [])


def test_the_command_line_remembers_and_shows(tmp_path: Path):
    hymem = CommandLine(tmp_path / "root")
    assert hymem.json("remember", "Ada", "is", "away", "in", "May.", "--category", "team") == {"fact_id": 1}

    assert contents(hymem.json("show", "facts")) == ["Ada is away in May."]
    assert "Ada is away in May." in hymem("augment", "Is Ada away?").stdout


def test_forgetting_a_peer_or_a_name_takes_what_was_told_of_it(tmp_path: Path):
    with HyMem(tmp_path, llm=RulesExtractor()) as memory:
        memory.log_message("s", "user", "I work on Zephyr.", peer_id="bob")
        memory.remember("Zephyr uses Postgres", peer_id="bob")
        memory.remember("Ada prefers tea")
        memory.forget(peer="bob")

        assert (memory.facts(peer_id="bob"), contents(memory.facts())) == ([], ["Ada prefers tea"])


# -------------------------------------------------------------------------------------------------- opened and closed


def test_stores_under_a_folder_are_released_together(tmp_path: Path):
    inside = [MemoryStore(tmp_path / "a"), MemoryStore(tmp_path / "a" / "b")]
    outside = MemoryStore(tmp_path / "c")

    assert MemoryStore.release_all_under(tmp_path / "a") == 2
    for store in inside:
        with pytest.raises(StoreError, match="was closed"):
            store.list_facts()
    assert outside.list_facts() == []
    outside.close()
    outside.close()


def test_threads_share_a_store(store: MemoryStore):
    threads = [
        threading.Thread(target=lambda n=n: [store.add_fact(f"Worker{n}x did job {k}") for k in range(10)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(store.list_facts(limit=100)) == 40
    assert store.banks()[0]["fact_count"] == 40
