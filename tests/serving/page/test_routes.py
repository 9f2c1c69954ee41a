"""What the page asks and does, by HTTP: who may, from where, and how much comes back."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hymem.models.rules import RulesExtractor
from hymem.settings import ServerSettings
from serving.honcho.security import Claims
from serving.memory import HyMem
from serving.page.reading import DRAWN
from tests.support.honcho_house import SECRET, House, honcho_house

PAGE = "/v3/workspaces/default/page"


def remember(root: Path, *said: str) -> None:
    """A memory of what was said."""
    with HyMem(root, llm=RulesExtractor()) as memory:
        for content in said:
            memory.log_message("monday", "user", content, created_at="2026-01-06")
        memory.dream(budget=0)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server over a small memory, which no test changes."""
    root = tmp_path_factory.mktemp("memory")
    remember(root, "The billing service uses Redis.")
    with honcho_house(root) as house:
        yield house


def token(house: House) -> str:
    """The page's own token."""
    return house.client.get("/ui").text.partition('name="page-token" content="')[2].partition('"')[0]


def edge(house: House) -> str:
    """The id of the one fact."""
    return house.client.get(f"{PAGE}/facts").json()["facts"][0]["id"]


def test_the_page_says_that_nothing_else_is_loaded_and_no_text_runs(house: House):
    headers = house.client.get("/ui").headers

    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "name", ["../acting.py", "..%2facting.py", ".hidden", "web/app.js", "index.html", "nothing.js", ""]
)
def test_only_the_pages_own_files_are_served(house: House, name: str):
    assert house.client.get(f"/ui/{name}").status_code == (200 if name == "" else 404)


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-HyMem-Page": "guessed"}, {"Origin": "http://127.0.0.1:1"}, {"Sec-Fetch-Site": "cross-site"}],
    ids=["no token", "another token", "another origin", "another site"],
)
def test_an_act_that_the_page_did_not_make_is_refused(house: House, headers: dict[str, str]):
    sent = {**({"X-HyMem-Page": token(house)} if headers.keys() & {"Origin", "Sec-Fetch-Site"} else {}), **headers}

    answer = house.client.post(f"{PAGE}/retract", json={"edge": edge(house)}, headers=sent)

    assert (answer.status_code, "nothing was done" in answer.text) == (403, True)


def test_a_preview_tells_what_would_go_and_changes_nothing(house: House):
    sent = {"edge": edge(house), "preview": True}

    told = house.client.post(f"{PAGE}/retract", json=sent, headers={"X-HyMem-Page": token(house)}).json()

    assert (told["preview"], told["changed"]["knowledge_graph"]) == (True, 1)
    assert house.client.get(f"{PAGE}/facts").json()["facts"][0]["status"] == "active"


def test_a_text_that_no_process_can_be_given_is_answered_all_the_same(house: House):
    asked = {"alias": "red\x00is", "canonical": "cache", "preview": True}

    assert house.client.get(f"{PAGE}/removal", params={"what": "red\x00is"}).status_code == 404
    assert house.client.post(f"{PAGE}/alias", json=asked, headers={"X-HyMem-Page": token(house)}).status_code == 200


def test_two_names_become_one(house: House):
    sent = {"alias": "redis", "canonical": "valkey", "preview": True}

    told = house.client.post(f"{PAGE}/alias", json=sent, headers={"X-HyMem-Page": token(house)}).json()

    assert told["examples"]["knowledge_graph"] == ["billing_service uses redis"]


def test_an_act_on_a_fact_that_is_not_there_says_so(house: House):
    answer = house.client.post(f"{PAGE}/retract", json={"edge": "f" * 16}, headers={"X-HyMem-Page": token(house)})

    assert (answer.status_code, "look again" in answer.text) == (404, True)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example"])
def test_a_name_that_was_made_to_lead_here_is_refused(house: House, host: str):
    assert house.client.get("/ui", headers={"Host": host}).status_code == 403
    assert house.client.get(f"{PAGE}/facts", headers={"Host": host}).status_code == 403


def test_the_page_asks_for_the_tokens_of_the_interface(tmp_path: Path):
    remember(tmp_path, "The billing service uses Redis.")
    with honcho_house(tmp_path, ServerSettings(auth_secret=SECRET)) as house:
        claims = [
            Claims(admin=True),
            Claims(workspace="default"),
            Claims(workspace="w"),
            Claims(workspace="default", peer="p"),
        ]
        told = [
            house.client.get(f"{PAGE}/facts", headers={"Authorization": house.bearer(claim)}).status_code
            for claim in claims
        ]
        bare = house.client.get(f"{PAGE}/facts", headers={"Authorization": ""}).status_code

    assert (told, bare) == ([200, 200, 401, 401], 401)


def test_around_a_hub_no_more_is_told_than_can_be_drawn_and_the_rest_is_counted(tmp_path: Path):
    remember(tmp_path, *(f"Service{n} uses Redis." for n in range(DRAWN + 25)))
    with honcho_house(tmp_path) as house:
        told = house.client.get(f"{PAGE}/around", params={"entity": "Redis"}).json()

    assert (len(told["edges"]), told["total"]) == (DRAWN, DRAWN + 25)


@pytest.mark.parametrize("path", ["overview", "facts", "entities", "profile", "experience", "conflicts", "dreams"])
def test_a_memory_that_never_dreamt_is_shown_empty(tmp_path: Path, path: str):
    HyMem(tmp_path).close()
    with honcho_house(tmp_path) as house:
        assert house.client.get(f"{PAGE}/{path}").status_code == 200


def test_a_dream_is_told_with_its_nodes_and_what_they_are_made_from(house: House):
    told = house.client.get(f"{PAGE}/dreams/last").json()

    made = {node["name"]: node["needs"] for node in told["pipeline"]}
    assert {node["node"] for node in told["nodes"]} <= made.keys()
    assert {"derived_edges", "stated_edges"} <= set(made["knowledge_graph"])


def test_the_past_is_told_and_a_day_that_lies_ahead_is_refused(house: House):
    before = house.client.get(f"{PAGE}/facts", params={"as_of": "2026-01-05"}).json()
    ahead = house.client.get(f"{PAGE}/facts", params={"as_of": "2999-01-01"})

    assert (before["facts"], ahead.status_code) == ([], 422)


def test_a_dream_that_is_asked_for_and_fails_says_why(tmp_path: Path):
    remember(tmp_path, "The billing service uses Redis.")
    failing = (sys.executable, "-c", "import sys; sys.exit('no model answers')")
    with honcho_house(tmp_path, dream=failing) as house:
        house.client.post(f"{PAGE}/dream", headers={"X-HyMem-Page": token(house)})
        while not (told := house.client.get(f"{PAGE}/overview").json()["dreaming"])["failures"]:
            time.sleep(0.05)

    assert "no model answers" in told["trouble"]
