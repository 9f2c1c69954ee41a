import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.vocabulary import PREDICATES, verb_phrase
from serving.recall.routing import MOST_CHARACTERS, routed_predicates


@pytest.mark.parametrize(
    ("message", "predicates"),
    [
        ("What technologies do we have?", {"uses", "runs_on"}),
        ("which tools are there", {"uses", "runs_on"}),
        ("What does the backend use?", {"uses", "runs_on"}),
        ("who's using Redis", {"uses", "runs_on"}),
        ("What does billing depend on?", {"depends_on"}),
        ("the dependencies of billing", {"depends_on"}),
        ("billing needs what?", {"depends_on"}),
        ("what does billing require?", {"depends_on", "requires_version"}),
        ("which version of Postgres", {"requires_version"}),
        ("how is the API configured?", {"configured_with"}),
        ("where do we deploy billing", {"deploys_to"}),
        ("what does Atta prefer?", {"prefers"}),
        ("what does Atta like?", {"prefers"}),
        ("what is she avoiding", {"avoids"}),
        ("what was rejected?", {"rejects"}),
        ("what replaces Redis?", {"replaces"}),
        ("is there a conflict between them", {"conflicts_with"}),
        ("who tests billing", {"tested_by"}),
        ("is billing part of the shop?", {"part_of"}),
        ("what’s the same thing as k8s", {"equivalent_to"}),
        ("which class implements it", {"implements"}),
        ("what does the box contain", {"contains"}),
        ("what does it run on?", {"runs_on"}),
        ("where is billing running", {"runs_on"}),
        ("what does the API connect to", {"connects_to"}),
        ("what generates the docs", {"generates"}),
        ("welke technologieën hebben we", {"uses", "runs_on"}),
        ("wat gebruikt de backend?", {"uses", "runs_on"}),
        ("waar is de API van afhankelijk?", {"depends_on"}),
        ("waar draait billing op", {"runs_on"}),
        ("hoe is het geconfigureerd", {"configured_with"}),
        ("welke versie heeft billing nodig", {"depends_on", "requires_version"}),
    ],
)
def test_a_cue_leads_to_its_predicates(message: str, predicates: set[str]):
    assert set(routed_predicates(message)) == predicates


@pytest.mark.parametrize(
    "message",
    ["spart of the deal", "the user is confused", "reuse", "misconfigured", "what would you like", "attest", "", "a"],
)
def test_no_cue_is_found_inside_other_words(message: str):
    assert routed_predicates(message) == ()


@pytest.mark.parametrize("predicate", PREDICATES)
def test_every_predicate_is_asked_for_by_its_own_name_and_phrase(predicate: str):
    assert predicate in routed_predicates(f"billing {predicate} what?")
    assert predicate in routed_predicates(f"billing {verb_phrase(predicate)} what?")


def test_of_a_pasted_text_only_the_ends_are_read():
    paste = "lorem ipsum " * MOST_CHARACTERS + "we deploy " + "lorem ipsum " * MOST_CHARACTERS

    assert routed_predicates(f"{paste} what does it contain?") == ("contains",)


@given(st.text())
def test_any_text_has_predicates_of_the_vocabulary_in_its_order(text: str):
    found = routed_predicates(text)

    assert list(found) == [predicate for predicate in PREDICATES if predicate in found]
