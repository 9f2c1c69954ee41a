"""Filters give the rows that they describe: compared with a reading of them in plain Python, in three truth values."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hymem.errors import InputError
from hymem.records import Message
from hymem.store.conclusions import NewConclusion, add_conclusions, list_conclusions
from hymem.store.conversation import list_messages
from hymem.store.database import Database
from hymem.store.filters import CONCLUSIONS, MESSAGES, PEERS, SESSIONS, WORKSPACES, compiled
from hymem.store.messages import log
from hymem.store.pages import Slice
from hymem.times import parse_time

NOW = "2026-01-01T00:00:00.000000Z"
Row = dict[str, Any]
Filters = dict[str, Any]

METADATA: list[Mapping[str, Any]] = [
    {},
    {"k": 1, "tag": "Tea"},
    {"k": "1", "tag": "tea time"},
    {"k": 2.5, "nested": {"a": [1, "x"], "b": True}},
    {"k": None, "tag": "ÄRGER"},
    {"k": True, "nested": {"a": []}},
    {"k": [1, 2], "tag": "50%_off"},
]
ROWS: list[Row] = [
    {
        "peer_id": ("alice", "bob", "Carol")[n % 3],
        "session_id": "monday",
        "workspace_id": "here",
        "token_count": n,
        "created_at": f"2025-03-0{n + 1}T00:00:00.000000Z",
        "metadata": metadata,
    }
    for n, metadata in enumerate(METADATA)
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = Database.open(tmp_path_factory.mktemp("filters") / "hymem.db")
    with database.writing() as connection:
        log(connection, [_message(n, row) for n, row in enumerate(ROWS)], NOW)
    yield database
    database.close()


def _message(n: int, row: Row) -> Message:
    said = (row["session_id"], "user", "said", row["peer_id"], row["created_at"], str(n), row["metadata"])
    return Message(*said, token_count=row["token_count"])


def found(database: Database, filters: Any) -> list[int]:
    """The rows that SQL finds."""
    with database.reading() as connection:
        _, records = list_messages(connection, "monday", compiled(filters, MESSAGES("here")), Slice(size=100))
    return [int(record.message_id) for record in records]


# ------------------------------------------------------------------------------------- the same, read in plain Python

Truth = bool | None


def holds(filters: Filters, row: Row) -> Truth:
    return conjunction([_entry(name, value, row) for name, value in filters.items()])


def conjunction(parts: list[Truth]) -> Truth:
    return False if False in parts else None if None in parts else True


def disjunction(parts: list[Truth]) -> Truth:
    return True if True in parts or not parts else None if None in parts else False


def _entry(name: str, value: Any, row: Row) -> Truth:
    if name == "NOT":
        return conjunction([holds(part, row) is not True for part in value])
    if name in ("AND", "OR"):
        return (conjunction if name == "AND" else disjunction)([holds(part, row) for part in value])
    if name == "metadata":
        return conjunction([_metadata(key, wanted, row["metadata"]) for key, wanted in value.items()])
    if isinstance(value, dict):
        return conjunction([_operator(row[name], operator, wanted, name) for operator, wanted in value.items()])
    return _operator(row[name], "in" if isinstance(value, list) else "eq", value, name)


def _operator(cell: Any, operator: str, wanted: Any, name: str = "") -> Truth:
    if wanted == "*" or (operator == "in" and "*" in wanted):
        return True
    if operator == "in":
        return False if not wanted else None if cell is None else cell in [_told(item, name) for item in wanted]
    if wanted is None:
        return cell is not None if operator == "ne" else cell is None
    wanted = _told(wanted, name)
    if operator == "ne":
        return cell != wanted
    if cell is None:
        return None
    match operator:
        case "eq":
            return cell == wanted
        case "contains" | "icontains":
            return wanted.casefold() in cell.casefold()
        case "gt" | "gte":
            return cell > wanted or (operator == "gte" and cell == wanted)
        case _:
            return cell < wanted or (operator == "lte" and cell == wanted)


def _told(wanted: Any, name: str) -> Any:
    return parse_time(wanted) if name == "created_at" else wanted


def _metadata(key: str, wanted: Any, metadata: Mapping[str, Any]) -> Truth:
    if wanted == "*":
        return True
    if not isinstance(wanted, dict) or not wanted or not wanted.keys() <= OPERATORS:
        return has(metadata, {key: wanted})
    value = metadata.get(key)
    text = value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return conjunction([_member(text, operator, item) for operator, item in wanted.items()])


OPERATORS = {"gt", "gte", "lt", "lte", "ne", "in", "contains", "icontains"}


def _member(text: str | None, operator: str, wanted: Any) -> Truth:
    if operator in ("gt", "gte", "lt", "lte") and (number := as_number(wanted)) is not None:
        return _operator(as_number(text), operator, number)
    if isinstance(wanted, list):
        wanted = [item if isinstance(item, str) else json.dumps(item) for item in wanted]
    elif wanted is not None and not isinstance(wanted, str):
        wanted = json.dumps(wanted)
    return _operator(text, operator, wanted)


def as_number(value: Any) -> float | None:
    try:
        return None if value is None or isinstance(value, bool) else float(value)
    except ValueError:
        return None


def has(whole: Any, part: Any) -> bool:
    """Containment as PostgreSQL's jsonb has it."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and has(whole[key], item) for key, item in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and all(any(has(one, item) for one in whole) for item in part)
    return isinstance(whole, bool) == isinstance(part, bool) and not isinstance(whole, dict | list) and whole == part


names = st.sampled_from(["alice", "bob", "Carol", "AR", "l", "*", ""])
moments = st.sampled_from(["2025-03-03", "2025-03-03T12:00:00+02:00", "2025-03-05T00:00:00Z"])
counts = st.integers(-1, 8) | st.sampled_from([2.5, "*"])
plain = st.sampled_from([1, 1.0, "1", 2.5, True, "tea", "ärger", "T", "%", "_", "2", "t"])
comparisons = st.sampled_from(["gt", "gte", "lt", "lte"])


def compared(values: st.SearchStrategy[Any], *more: str) -> st.SearchStrategy[Any]:
    """A field's plain value, a list of some, or operators with theirs."""
    single = st.dictionaries(comparisons | st.sampled_from(["ne", *more]), values, min_size=1, max_size=2)
    listed = st.lists(values, max_size=3)
    return (
        values
        | listed
        | single
        | st.builds(lambda items: {"in": items}, listed)
        | st.sampled_from([None, {"ne": None}])
    )


member = st.one_of(
    plain,
    st.dictionaries(comparisons | st.sampled_from(["ne", "contains", "icontains"]), plain, min_size=1, max_size=2),
    st.builds(lambda items: {"in": items}, st.lists(plain, max_size=3)),
    st.sampled_from([{"ne": None}, {"a": [1]}, {"a": ["x", 1.0]}, {"b": True}, {}, [2], [], "*"]),
)
leaves = st.one_of(
    st.builds(lambda value: {"peer_id": value}, compared(names, "contains", "icontains")),
    st.builds(lambda value: {"token_count": value}, compared(counts)),
    st.builds(lambda value: {"created_at": value}, compared(moments)),
    st.builds(lambda value: {"workspace_id": value}, st.sampled_from(["here", "there", {"ne": "here"}])),
    st.builds(
        lambda members: {"metadata": members},
        st.dictionaries(st.sampled_from(["k", "tag", "nested", "none"]), member, max_size=2),
    ),
)
many = settings(max_examples=8 * settings().max_examples)
logic = st.sampled_from(["AND", "OR", "NOT"])


@many
@given(filters=st.recursive(leaves, lambda inner: st.dictionaries(logic, st.lists(inner, max_size=3)), max_leaves=6))
def test_a_filter_finds_what_it_describes(database: Database, filters: Filters):
    try:
        assert found(database, filters) == [n for n, row in enumerate(ROWS) if holds(filters, row) is True]
    except InputError as error:
        assert "nest" in str(error)


@pytest.mark.parametrize(
    "filters",
    [
        {"content": "x"},
        {"id": "x"},
        {"AND": {"peer_id": "alice"}},
        {"peer_id": 1},
        {"peer_id": {"near": "x"}},
        {"peer_id": {}},
        {"peer_id": {"gt": None}},
        {"peer_id": {"in": "alice"}},
        {"peer_id": {"in": [["alice"]]}},
        {"token_count": "three"},
        {"token_count": {"contains": "3"}},
        {"token_count": True},
        {"token_count": 10**40},
        {"token_count": float("nan")},
        {"created_at": "soon"},
        {"metadata": "x"},
        {"metadata": {"k": {"gt": None}}},
        {"AND": [1]},
        {"NOT": [{"NOT": [{"NOT": [{"NOT": [{"NOT": [{"peer_id": "alice"}]}]}]}]}]},
    ],
    ids=str,
)
def test_a_filter_that_describes_nothing_is_refused_with_a_reason(database: Database, filters: Filters):
    with pytest.raises(InputError):
        found(database, filters)


@pytest.mark.parametrize("text", ["'", '"', "\x00", "); drop table messages; --", ":filter_0", "%", "\ud800"])
def test_no_text_can_break_out_of_its_filter(database: Database, text: str):
    filters = {"OR": [{"peer_id": {"contains": text}}, {"metadata": {text: text, "k": {"ne": text}}}]}
    try:
        assert found(database, filters) == []
    except InputError as error:
        assert "half a character" in str(error)
    assert len(found(database, {})) == len(ROWS)


def test_what_is_missing_differs_from_everything_and_is_among_nothing(tmp_path: Path):
    database = Database.open(tmp_path / "hymem.db")
    with database.writing() as connection:
        log(connection, [Message("monday", "user", "hello")], NOW)
        told = [NewConclusion("one", "user", "user", "monday"), NewConclusion("two", "user", "user")]
        add_conclusions(connection, told, NOW)

        def found(filters: Filters) -> list[str]:
            _, records = list_conclusions(connection, compiled(filters, CONCLUSIONS("here")), Slice(reverse=True))
            return [record.content for record in records]

        assert found({"session_id": None}) == ["two"]
        assert found({"session_id": {"ne": None}}) == ["one"]
        assert found({"session_id": {"ne": "monday"}}) == ["two"]
        assert found({"NOT": [{"session_id": "monday"}]}) == ["two"]
        assert found({"session_id": {"in": ["tuesday"]}}) == []
    database.close()


def test_every_noun_knows_its_own_fields():
    known = {
        "workspace": WORKSPACES.known,
        "peer": PEERS("w").known,
        "session": SESSIONS("w").known,
        "conclusion": CONCLUSIONS("w").known,
    }
    assert {noun: {"id", "created_at", "metadata"} <= set(fields) for noun, fields in known.items()} == dict.fromkeys(
        known, True
    )
    assert compiled({"level": {"in": ["explicit"]}, "source_ids": {"contains": "x"}}, CONCLUSIONS("w")).condition
    with pytest.raises(InputError, match="one of explicit"):
        compiled({"level": "guess"}, CONCLUSIONS("w"))
