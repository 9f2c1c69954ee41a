"""The page in a real browser: looked into, questioned and put right, and nothing that was said in a chat ever runs."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request

from hymem.models.rules import RulesExtractor
from hymem.settings import ServerSettings
from serving.memory import HyMem
from tests.support.browser import browser
from tests.support.honcho_house import SECRET, House, honcho_house

HOSTILE = (
    "The <img src=x onerror=alert(1)> billing service uses <script>document.title='taken'</script> Kafka. "
    "&lt;b&gt; \u202eesrever\u202c <a href='https://elsewhere.example'>here</a>"
)
SAID = [
    ("monday", "The billing service uses Redis. I prefer tabs.", "2026-01-06"),
    ("monday", "The billing service depends on PostgreSQL.", "2026-01-07"),
    ("tuesday", "PostgreSQL runs on db-1. The api depends on the billing service.", "2026-02-06"),
    ("friday", HOSTILE, "2026-03-06"),
]


def remember(root: Path) -> None:
    """A small memory, dreamt over."""
    with HyMem(root, llm=RulesExtractor()) as memory:
        for session, content, at in SAID:
            memory.log_message(session, "user", content, created_at=at)
        memory.dream(budget=0)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server over it."""
    root = tmp_path_factory.mktemp("memory")
    remember(root)
    with honcho_house(root) as house:
        yield house


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser."""
    with browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def window(chromium: Browser) -> Page:
    """A window of a browser, which remembers what it asked for, and what went wrong in it."""
    page = chromium.new_page(viewport={"width": 1000, "height": 800})
    page.asked, page.faults = list[str](), list[str]()
    page.on("request", lambda request: note(page.asked, request))
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("dialog", lambda dialog: (page.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
    return page


def note(asked: list[str], request: Request) -> None:
    asked.append(request.url)


def look(window: Page, house: House, place: str) -> Page:
    """Open a view, and wait until it is drawn."""
    window.goto("about:blank")
    window.goto(f"{house.url}/ui#/{place}")
    window.wait_for_selector("main:not([aria-busy]) h1")
    return window


def test_a_fact_is_followed_to_its_message_retracted_and_gone_after_the_dream(window: Page, house: House):
    look(window, house, "recall")
    window.get_by_label("What would an agent be told").fill("What does the billing service use?")
    window.keyboard.press("Enter")
    window.get_by_role("link", name="billing_service uses redis").click()

    window.wait_for_selector("blockquote")
    assert "The billing service uses Redis. I prefer tabs." in window.inner_text("blockquote")
    assert "confidence (1 + 1) / (1 + 1 + 2) = 0.500: 1 for, 1 against" in window.inner_text("main")

    window.get_by_label("It is wrong").fill("it was a plan")
    window.get_by_role("button", name="Retract…").click()
    window.get_by_role("heading", name="If it is retracted").wait_for(timeout=30_000)
    assert "facts: 1 changed" in window.inner_text(".result")

    window.get_by_role("button", name="Retract it").click()
    window.get_by_role("button", name="Restore it").wait_for(timeout=60_000)
    look(window, house, "facts")
    assert "billing_service uses redis" not in window.inner_text("main")
    look(window, house, "facts/retracted%3A")
    assert "billing_service uses redis" in window.inner_text("main")


@pytest.mark.parametrize("place", ["search/Kafka", "facts", "graph/kafka", "recall/Kafka", "profile", "experience"])
def test_what_was_said_in_a_chat_stays_text(window: Page, house: House, place: str):
    look(window, house, place)

    assert window.locator("main script, main img, main [onerror], main b, main a[href*='elsewhere']").count() == 0
    assert window.title() != "taken"


def test_a_hostile_message_is_shown_as_it_was_written_and_keeps_its_direction_to_itself(window: Page, house: House):
    look(window, house, "search/Kafka")

    shown = window.locator("bdi", has_text="onerror").first
    assert shown.text_content() == HOSTILE
    assert shown.evaluate("node => getComputedStyle(node).unicodeBidi") in ("isolate", "plaintext")


@pytest.mark.parametrize(
    "place", ["recall", "facts", "graph", "graph/api", "profile", "experience", "conflicts", "dreams", "dream/last"]
)
def test_every_view_has_landmarks_one_heading_and_a_name_for_each_field(window: Page, house: House, place: str):
    look(window, house, place)

    assert [window.locator(name).count() for name in ("header", "nav[aria-label]", "main", "main h1")] == [1, 1, 1, 1]
    fields = "[...document.querySelectorAll('input, select, button')]"
    assert window.evaluate(f"{fields}.filter(one => !(one.labels?.length || one.textContent)).length") == 0
    assert window.locator("nav [aria-current=page]").count() == (place != "dream/last")


def test_keys_alone_lead_from_the_question_to_the_message(window: Page, house: House):
    look(window, house, "recall")
    keys = window.keyboard
    keys.type("What does the api depend on?")
    keys.press("Enter")
    window.wait_for_selector("main:not([aria-busy]) .cards a")
    for _ in range(40):
        keys.press("Tab")
        if window.evaluate("document.activeElement.textContent") == "api depends on billing_service":
            break
    keys.press("Enter")

    window.wait_for_selector("blockquote")
    assert "The api depends on the billing service." in window.inner_text("blockquote")
    assert window.evaluate("document.activeElement.id") == "main"


def test_the_slider_shows_memory_as_it_stood(window: Page, house: House):
    look(window, house, "facts")
    window.focus("#slider")
    window.keyboard.press("Home")
    window.wait_for_selector("#notice:has-text('as it stood on 2026-01-06')", timeout=60_000)

    assert "postgresql" not in window.inner_text("main")
    window.get_by_role("button", name="Back to now").click()
    window.wait_for_selector("main:not([aria-busy]) td:has-text('postgresql')")


@pytest.mark.parametrize("place", ["graph/api", "dream/last"])
def test_a_picture_is_drawn_and_stands_beside_the_same_in_words(window: Page, house: House, place: str):
    look(window, house, place)
    window.wait_for_selector("#picture[data-drawn] canvas")

    assert int(window.get_attribute("#picture", "data-drawn")) > 2
    assert "says the same" in window.get_attribute("#picture", "aria-label")
    assert window.locator("main tbody tr, main .node").count() > 0


def test_the_window_asked_this_machine_only_and_nothing_went_wrong_in_it(window: Page, house: House):
    look(window, house, "graph/api")

    assert {urlsplit(address).hostname for address in window.asked if address.startswith("http")} == {"127.0.0.1"}
    assert window.faults == []


def test_a_server_with_tokens_asks_for_one_and_shows_nothing_without(tmp_path: Path, chromium: Browser):
    remember(tmp_path)
    with honcho_house(tmp_path, ServerSettings(auth_secret=SECRET)) as house:
        page = chromium.new_page()
        page.goto(f"{house.url}/ui#/facts")
        page.get_by_label("Access token").fill("nonsense")
        page.keyboard.press("Enter")
        page.wait_for_selector("#notice:has-text('Invalid JWT')")
        assert "postgresql" not in page.content()

        page.get_by_label("Access token").fill(house.client.headers["Authorization"].removeprefix("Bearer "))
        page.keyboard.press("Enter")
        page.wait_for_selector("td:has-text('postgresql')")
