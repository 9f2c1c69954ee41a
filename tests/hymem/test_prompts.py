import pytest

from hymem.prompts import is_trivial_prompt

TRIVIAL = [None, "", "   ", "?!", "🎉", "ok", "OK!", "Thanks!!", "go ahead.", "/compact now", "lgtm", "dank je", "hi"]
MEANT = ["ok so what about Redis", "thanks, and the API?", "why", "no tabs", "数据库", "next.js", "hi Ada"]


@pytest.mark.parametrize("text", TRIVIAL)
def test_what_asks_nothing_is_trivial(text: str | None):
    assert is_trivial_prompt(text)


@pytest.mark.parametrize("text", MEANT)
def test_what_may_ask_something_is_not(text: str):
    assert not is_trivial_prompt(text)
