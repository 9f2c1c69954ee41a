"""What a told fact names, in many scripts, and what only looks like a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.canonical import canonical_name
from hymem.fact_names import MOST_NAMES, aliases_in, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Zephyr uses MySQL in production.", ["Zephyr", "MySQL"]),
        ("Ada Lovelace works at the Bank of Iceland.", ["Ada Lovelace", "Bank of Iceland"]),
        ("we use redis, next.js and C++, NEVER perl", ["redis", "next.js", "C++", "perl"]),
        ("José Müller leads Projekt Ølstrup", ["José Müller", "Projekt Ølstrup"]),
        ("Анна живёт в Берлине", ["Анна", "Берлине"]),
        ("Ο Γιώργος μένει στην Αθήνα", ["Γιώργος", "Αθήνα"]),
        ("用户喜欢「绿茶」", ["绿茶"]),
        ("项目Zephyr使用Postgres", ["Zephyr", "Postgres"]),
        ("أحمد يستخدم «بوستجرس»", ["بوستجرس"]),
        ("He said 'green tea' and “black tea”.", ["green tea", "black tea"]),
        ("Big Iron lives in Oslo. Deploy Zephyr there.", ["Big Iron", "Oslo", "Zephyr"]),
        ("Ada's birthday is on May 4", ["Ada"]),
        ("They don't matter, they don't, and it's the users' data", []),
        ("User prefers tabs over spaces", []),
    ],
)
def test_names_show_by_their_spelling(text: str, names: list[str]):
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Ada Lovelace aka Countess works here", [("countess", "ada_lovelace")]),
        ("Zephyr (also known as project_z) is late", [("project_z", "zephyr")]),
        ("小明又名阿明，喜欢绿茶", [("阿明", "小明")]),
        ("Zephyr aka zephyr", []),
        ("aka", []),
    ],
)
def test_aliases_are_said_in_so_many_words(text: str, pairs: list[tuple[str, str]]):
    assert aliases_in(text) == pairs


@given(st.text(max_size=200))
def test_any_text_gives_few_names_each_once_and_with_a_canonical_form(text: str):
    keys = [canonical_name(name) for name in names_in(text)]

    assert len(keys) == len(set(keys)) <= MOST_NAMES
    assert all(alias != name for alias, name in aliases_in(text))
