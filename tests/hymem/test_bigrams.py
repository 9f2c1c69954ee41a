import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.bigrams import bigrams

UNSPACED = st.text("数据库缓存データベース한국어ไทยの", min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("数据库缓存", "数据 据库 库缓 缓存"),
        ("库", "库"),
        ("我们用Redis做缓存", "我们 们用 Redis 做缓 缓存"),
        ("人々の𠮷野家", "人々 々の の𠮷 𠮷野 野家"),
        ("데이터베이스", "데이 이터 터베 베이 이스"),
        ("用 Postgres_15，不用 MySQL。", "用 Postgres 15 不用 MySQL"),
    ],
)
def test_neighbouring_characters_of_unspaced_scripts_are_words(text: str, pairs: str):
    assert bigrams(text) == pairs


@pytest.mark.parametrize("text", ["", "plain words", "préféré, équipe", "Привет, мир", "👍🏽 …", "Łódź"])
def test_a_text_without_unspaced_script_needs_no_pairs(text: str):
    assert bigrams(text) == ""


@given(before=st.text(), part=UNSPACED.filter(lambda text: len(text) > 1), after=st.text())
def test_every_pair_of_a_part_is_among_the_pairs_of_the_whole(before: str, part: str, after: str):
    assert set(bigrams(part).split()) <= set(bigrams(f"{before}{part}{after}").split())


@given(st.text(max_size=200))
def test_no_text_grows_beyond_thrice_its_length(text: str):
    assert len(bigrams(text)) <= 3 * len(text)
