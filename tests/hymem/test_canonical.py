import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.canonical import MAX_NAME_LENGTH, canonical_name, canonical_or_none, name_parts
from hymem.errors import InputError

ANY_TEXT = st.text(st.characters(categories=("L", "M", "N", "P", "S", "Z", "C")))
TELLING_TEXT = st.text(st.sampled_from("aZ1 _-.+#()the'ŁßİıǅйЙё́̈があ्หאָأπςͅ℠™\u00ad\u200d\ud800🚀"), max_size=30)


@pytest.mark.parametrize(
    ("key", "surfaces"),
    {
        "postgresql": [
            "PostgreSQL",
            "postgresql",
            "PostgreSQL (Postgres)",
            "ＰｏｓｔｇｒｅＳＱＬ",
            "PostgreSQL™",
            "`PostgreSQL`",
        ],
        "medflow": ["MedFlow", "the MedFlow", "Our MedFlow", "MedFlow (v2) (beta (late))"],
        "c": ["C", "c"],
        "c_plus_plus": ["C++", "c++"],
        "c_sharp": ["C#", "C♯"],
        "c_sharp_12": ["C#12", "C# 12"],
        "c_plus_plus_17": ["C++17"],
        "g_plus_plus": ["g++"],
        "dotnet": [".NET"],
        "asp_net": ["ASP.NET"],
        "issue_42": ["issue #42", "issue#42"],
        "a_b": ["A+B"],
        "next_js": ["Next.js"],
        "next": ["next"],
        "fly_io": ["Fly.io"],
        "pyproject_toml": ["pyproject.toml"],
        "order_service": ["order-service", "the Order Service", "order_service"],
        "s3store": ["S3Store"],
        "python_3_14": ["Python 3.14"],
        "main": ["main()"],
        "strasse": ["Straße", "STRASSE"],
        "lodz": ["Łódź", "Lódz"],
        "oresund": ["Øresund"],
        "aeroskobing": ["Ærøskøbing"],
        "istanbul": ["İstanbul", "ıstanbul"],
        "los_angeles": ["Los Angeles"],
        "die_hard": ["Die Hard"],
        "the": ["the", "The The"],
        "a": ["A", "a (letter)"],
        "a_b_testing": ["A/B testing"],
        "ελλαδα": ["Ελλάδα"],
        "привет": ["приве́т", "Привет"],
        "йод": ["Йод", unicodedata.normalize("NFD", "йод")],
        "иод": ["иод"],
        "ёлка": ["Ёлка"],
        "елка": ["Елка"],
        "数据库": ["数据库", "数据库（PostgreSQL）"],
        "缓存": ["缓存"],
        "ガギ": ["ガギ", "ｶﾞｷﾞ"],
        "カキ": ["カキ"],
        "हिन्दी": ["हिन्दी"],
        "שלום": ["שָׁלוֹם", "שלום"],
        "محمد": ["مُحَمَّد", "محمد"],
        "한국어": ["한국어", unicodedata.normalize("NFD", "한국어")],
        "launch": ["🚀 Launch", "Lau\u00adnch", "\u202elaunch\u202c"],
    }.items(),
)
def test_the_surface_forms_of_one_thing_have_one_name(key: str, surfaces: list[str]):
    assert {canonical_name(surface) for surface in surfaces} == {key}


@pytest.mark.parametrize("nothing", ["", "   ", "🚀", "()", "_", "\u200b", "\ud800", "++", "\u3164", "\u0301"])
def test_a_name_without_letter_or_digit_is_refused(nothing: str):
    with pytest.raises(InputError, match="needs a letter or a digit"):
        canonical_name(nothing)
    assert canonical_or_none(nothing) is None


@pytest.mark.parametrize("endless", ["x" * (MAX_NAME_LENGTH + 1), "C" + "+" * 50, "a" * 10_000_000])
def test_a_sentence_is_no_name(endless: str):
    with pytest.raises(InputError, match="may have 100 characters"):
        canonical_name(endless)
    assert canonical_or_none(endless) is None


def test_the_name_of_any_single_character_is_stable():
    characters = map(chr, range(sys.maxunicode + 1))
    names = {name for name in map(canonical_or_none, characters) if name}

    assert {name for name in names if canonical_name(name) != name} == set()


@given(ANY_TEXT | TELLING_TEXT)
def test_the_name_of_a_name_is_itself(surface: str):
    name = canonical_or_none(surface)

    assert name is None or canonical_name(name) == name


@given(ANY_TEXT | TELLING_TEXT)
def test_a_name_is_joined_by_single_underscores(surface: str):
    name = canonical_or_none(surface)

    assert name is None or re.fullmatch(r"[^\W_][^_\s]*(_[^\W_][^_\s]*)*", name)


@given(st.text(st.characters(categories=("L", "N", "P", "Zs"), max_codepoint=0x24F), max_size=40))
def test_case_and_composition_make_no_other_name(surface: str):
    name = canonical_or_none(surface)

    assert canonical_or_none(surface.upper()) == canonical_or_none(surface.upper().lower())
    assert canonical_or_none(unicodedata.normalize("NFD", surface)) == name


@pytest.mark.parametrize(
    ("surface", "parts"),
    [
        ("MedFlow", ("medflow", "med", "flow")),
        ("the MedFlow Server", ("medflow", "med", "flow", "server")),
        ("ORMs", ("orms",)),
        ("iOS", ("ios",)),
        ("LLMClient", ("llmclient", "llm", "client")),
        ("S3Store", ("s3store", "s3", "store")),
        ("MyAPIServer", ("myapiserver", "my", "api", "server")),
        ("FooABird", ("fooabird", "foo", "bird")),
        ("MedFlow (MyServer)", ("medflow", "med", "flow")),
        ("ÉtéÀParis", ("eteaparis", "ete", "paris")),
        ("atta_van_westreenen", ("atta", "van", "westreenen")),
        ("🚀", ()),
    ],
)
def test_a_name_is_found_by_its_words_and_by_its_camel_case_parts(surface: str, parts: tuple[str, ...]):
    assert name_parts(surface) == parts
