import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.canonical import canonical_name
from hymem.mentions import FEW, NameFinder


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("redis", "we use Redis."),
        ("redis", "Redis's speed, REDIS's fame"),
        ("order_service", "The Order-Service is down"),
        ("order_service", "order service"),
        ("c_plus_plus", "I write C++ at night"),
        ("c_sharp", "C# or not"),
        ("c", "C and C++"),
        ("next_js", "built on Next.js, mostly"),
        ("dotnet", "we need .NET here"),
        ("数据库", "我们的数据库很慢"),
        ("кэш", "Кэш переполнен"),
        ("uber", "Über alles"),
    ],
)
def test_a_name_is_found_however_it_is_written(name: str, text: str):
    assert NameFinder([name]).find(text) == {name}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("redis", "we rediscovered it"),
        ("order_service", "the order of the service"),
        ("order_service", "order"),
        ("c", "C++ is not C#"),
        ("go", "gopher"),
        ("api", ""),
    ],
)
def test_a_part_of_a_word_or_of_a_name_is_no_mention(name: str, text: str):
    assert NameFinder([name]).find(text) == set()


def test_names_within_names_are_all_found():
    assert NameFinder(["order", "order_service", "service"]).find("order service") == {
        "order",
        "order_service",
        "service",
    }


def test_without_names_nothing_is_found():
    assert NameFinder([]).find("anything") == set()


@given(st.lists(st.sampled_from(["api", "c++", "Next.js", "order service", "数据库", "the worker"]), min_size=1))
def test_every_name_that_is_written_is_found(written: list[str]):
    names = {canonical_name(name) for name in written}

    assert names <= NameFinder(names).find(", ".join(written))


@given(
    st.lists(st.sampled_from(["C++", "C#", ".NET", "plus", "redis", "order service", "go", "数据库", "b"])), st.data()
)
def test_few_names_are_found_as_they_are_among_many(said: list[str], data: st.DataObject):
    names = {canonical_name(name) for name in data.draw(st.lists(st.sampled_from(said or ["redis"])))}
    many = {f"zzz{number}" for number in range(FEW + 1)}
    text = data.draw(st.sampled_from([" ", ", ", ""])).join(said)

    assert NameFinder(names).find(text) == NameFinder(names | many).find(text)
