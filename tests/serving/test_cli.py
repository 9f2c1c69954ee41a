"""The commands, one by one."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from hymem import HyMem
from hymem.errors import ConfigError, InputError, ModelError, StoreError, UnknownError
from hymem.settings import NO_KEY
from serving.cli.main import MODULES
from tests.support.command_line import CommandLine, said, texts
from tests.support.openai_server import NOTHING, Answer, OpenAIServer

TABLES = ["profile", "insights", "graph", "runs", "messages", "sessions"]
CONVERSATION = [
    said("The API depends on PostgreSQL.", created_at="2025-01-01"),
    said("Mentioned again: the API depends on PostgreSQL.", created_at="2025-01-02"),
    said("PostgreSQL depends on ZFS.", created_at="2025-01-03"),
    said("I prefer short answers.", created_at="2025-01-04"),
]


@pytest.fixture
def hymem(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "root")


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a memory that has dreamt of a small conversation."""
    hymem = CommandLine(tmp_path_factory.mktemp("once") / "root")
    hymem("ingest", hymem.file("chat.jsonl", *CONVERSATION))
    hymem("dream")
    return hymem.root


@pytest.fixture
def dreamt(hymem: CommandLine, conversation: Path) -> CommandLine:
    """A copy of that memory."""
    copytree(conversation, hymem.root)
    return hymem


# --------------------------------------------------------------------------------------------------------- help


@pytest.mark.parametrize("arguments", [[], *([name] for name in MODULES), *(["show", table] for table in TABLES)])
def test_every_help_page_holds_an_example(hymem: CommandLine, arguments: list[str]):
    page = hymem(*arguments, "--help")

    assert page.exit_code == 0
    assert " ".join(["\n    hymem", *arguments]).rstrip() in page.stdout


def test_the_version_is_the_packages(hymem: CommandLine):
    from hymem import __version__

    assert __version__ in hymem("--version").stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["drem"], "did you mean 'dream'?"),
        (["nonsense"], "No such command 'nonsense'"),
        (["dream", "--loud"], "No such option"),
        (["dream", "--budget", "many"], "neither a number of chunks from 1 on, nor all"),
        (["dream", "--budget", "0"], "neither a number of chunks from 1 on, nor all"),
        (["dream", "--budget", "9" * 30], "neither a number of chunks from 1 on, nor all"),
        (["show", "messages", "--limit", "0"], "not in the range"),
        (["retract", "redis"], "name a fact by its SUBJECT, PREDICATE and OBJECT"),
        (["--root", " ", "show", "graph"], "name a folder"),
    ],
)
def test_a_wrong_command_line_is_explained(hymem: CommandLine, arguments: list[str], told: str):
    result = hymem(*arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


# ------------------------------------------------------------------------------------------------------- ingest


def test_ingesting_twice_adds_nothing(hymem: CommandLine):
    file = hymem.file("chat.jsonl", said("yes"), said("yes"))

    assert "2 messages, 2 new" in hymem("ingest", file).stdout
    assert "2 messages, 0 new" in hymem("ingest", file).stdout


def test_standard_input_is_read_where_no_file_is_named(hymem: CommandLine):
    for arguments in (["ingest"], ["ingest", "-"]):
        assert hymem(*arguments, input=json.dumps([said()])).exit_code == 0

    assert texts(hymem.json("show", "messages")) == ["We use Redis."]


def test_a_bad_line_is_told_with_file_line_and_reason_and_the_others_are_kept(hymem: CommandLine):
    file = hymem.file("chat.jsonl", said("one"), "{", said(role="narrator"), b'{"content": "\xff"}', said("two"))

    result = hymem("ingest", file)

    assert result.exit_code == InputError.exit_code
    assert result.stderr.splitlines() == [
        f"{file}:2: not JSON: expecting property name enclosed in double quotes at column 2",
        f"{file}:3: role must be one of user, assistant, system, tool, not 'narrator'",
        f"{file}:4: not UTF-8: byte 14 is 0xff",
    ]
    assert "2 messages, 2 new; 3 lines not taken" in result.stdout
    assert texts(hymem.json("show", "messages")) == ["one", "two"]


@pytest.mark.parametrize("piped", [False, True])
def test_strict_stores_all_or_nothing(hymem: CommandLine, piped: bool):
    good, bad = hymem.file("good.jsonl", said("one")), hymem.file("bad.jsonl", said("two"), "{")

    refused = hymem("ingest", "--strict", good, *([] if piped else [bad]), input=None)
    if piped:
        refused = hymem("ingest", "--strict", "-", input=Path(bad).read_bytes())

    assert refused.exit_code == InputError.exit_code
    assert "Nothing was stored" in refused.stderr
    assert texts(hymem.json("show", "messages")) == (["one"] if piped else [])


def test_strict_takes_what_is_good(hymem: CommandLine):
    assert "1 message, 1 new" in hymem("ingest", "--strict", hymem.file("good.jsonl", said("one"))).stdout


def test_a_default_session_serves_those_that_name_none(hymem: CommandLine):
    file = hymem.file("chat.jsonl", {"role": "user", "content": "one"}, said("two"))

    missing = hymem("ingest", file)
    hymem("ingest", "--session", "tuesday", file)

    assert "session_id is missing: name it there, or give --session ID" in missing.stderr
    assert {message["session_id"] for message in hymem.json("show", "messages")} == {"monday", "tuesday"}


def test_an_empty_file_is_fine_and_says_so(hymem: CommandLine):
    result = hymem("ingest", hymem.file("empty.jsonl"))

    assert result.exit_code == 0
    assert "empty, nothing to log" in result.stdout


@pytest.mark.parametrize("name", ["missing.jsonl", "folder"])
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_stored(hymem: CommandLine, tmp_path: Path, name: str):
    (tmp_path / "folder").mkdir()

    result = hymem("ingest", hymem.file("good.jsonl", said()), str(tmp_path / name))

    assert result.exit_code == InputError.exit_code
    assert f"cannot read {tmp_path / name}" in result.stderr
    assert hymem.json("show", "messages") == []


def test_many_faults_are_told_in_part(hymem: CommandLine):
    result = hymem("ingest", hymem.file("noise.jsonl", *["x"] * 50))

    assert len(result.stderr.splitlines()) == 21
    assert "and 30 more" in result.stderr


def test_messages_that_were_shown_can_be_ingested_elsewhere(dreamt: CommandLine, tmp_path: Path):
    shown = dreamt("show", "messages", "--json").stdout
    there = CommandLine(tmp_path / "there")

    for _ in range(2):
        there("ingest", input=shown)

    assert texts(there.json("show", "messages")) == [message["content"] for message in CONVERSATION]
    assert [m["created_at"] for m in there.json("show", "messages")] == [m["created_at"] for m in json.loads(shown)]


@pytest.mark.parametrize("moment", ["0001-01-01", "1969-12-31", "2999-12-31", "9999-12-31T23:59:59Z"])
def test_a_far_moment_can_be_dreamt_of(hymem: CommandLine, moment: str):
    hymem("ingest", hymem.file("chat.jsonl", said("The API depends on PostgreSQL.", created_at=moment)))

    assert hymem("dream").exit_code == 0
    assert "api depends on postgresql" in hymem("augment", "postgresql").stdout


# -------------------------------------------------------------------------------------------------------- dream


def test_a_dream_tells_what_it_asked_and_learnt_and_the_next_has_nothing_to_do(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", *CONVERSATION))

    first, second = hymem("dream").stdout, hymem("dream").stdout

    assert "0 failed." in first and "Learnt: 4 facts" in first
    assert second == "Nothing to do: memory is up to date.\n"
    assert hymem.json("dream") == {"outcome": "nothing to do"}


def test_what_waits_is_told_with_the_way_to_go_on(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", *CONVERSATION))

    assert "3 questions waiting: `hymem dream` goes on" in hymem("dream", "--budget", "1").stdout
    assert hymem.json("dream", "--budget", "all")["waiting"] == 0


def test_a_dream_without_a_key_says_what_to_set(tmp_path: Path):
    result = CommandLine(tmp_path, HYMEM_LLM_MODEL="")("dream")

    assert (result.exit_code, result.stderr) == (ConfigError.exit_code, f"error: {NO_KEY}\n")


def test_a_model_that_refuses_is_an_error_and_what_was_said_still_waits(tmp_path: Path):
    with OpenAIServer([Answer(status=401, error="bad key")]) as server:
        hymem = CommandLine(
            tmp_path / "root", HYMEM_LLM_BASE_URL=server.url, HYMEM_LLM_MODEL="m", HYMEM_LLM_API_KEY="sk-wrong"
        )
        hymem("ingest", hymem.file("chat.jsonl", *CONVERSATION))

        result = hymem("dream")

    assert result.exit_code == ModelError.exit_code
    assert "warning: " in result.stderr and "check HYMEM_LLM_API_KEY" in result.stderr
    assert "waiting: `hymem dream` goes on" in result.stdout
    assert "sk-wrong" not in result.output


def test_a_model_that_finds_nothing_is_no_error(tmp_path: Path):
    with OpenAIServer([NOTHING]) as server:
        hymem = CommandLine(tmp_path / "root", HYMEM_LLM_BASE_URL=server.url, HYMEM_LLM_MODEL="m")
        hymem("ingest", hymem.file("chat.jsonl", *CONVERSATION))

        assert hymem("dream").exit_code == 0


# --------------------------------------------------------------------------------------------------- what is known


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_text_and_json(dreamt: CommandLine, table: str):
    listed, told = dreamt.json("show", table), dreamt("show", table)

    assert len(listed) == len(told.stdout.splitlines()) - 1 or table == "insights"
    assert told.stdout.isascii() and "\x1b" not in told.stdout


@pytest.mark.parametrize("table", TABLES)
def test_an_empty_memory_says_how_to_begin(hymem: CommandLine, table: str):
    assert (hymem("show", table).stdout, hymem.json("show", table)) == ("", [])
    assert "hymem ingest FILE" in hymem("show", table).stderr


def test_ids_are_texts_in_json(dreamt: CommandLine):
    edges = dreamt.json("show", "graph")

    assert all(len(edge["edge_id"]) == 16 for edge in edges)
    derived = next(edge for edge in edges if edge["derived"])
    assert set(derived["path"]) < {edge["edge_id"] for edge in edges}


def test_augment_gives_facts_and_pieces_with_their_reasons(dreamt: CommandLine):
    told, found = dreamt("augment", "what", "about", "postgresql?").stdout, dreamt.json("augment", "postgresql")

    assert "api depends on postgresql" in told and "entity_match" in told and "[keyword]" in told
    assert {fact["sentence"] for fact in found["graph_facts"]} >= {"api depends on postgresql"}
    assert "short answers" in found["user_md"]


def test_search_gives_messages_with_their_reasons(dreamt: CommandLine):
    told, (found, *_) = dreamt("search", "postgresql").stdout, dreamt.json("search", "postgresql", "--role", "user")

    assert "[keyword" in told and "postgresql" in told.lower()
    assert found["message"]["role"] == "user" and found["score"] > 0
    assert dreamt.json("search", "postgresql", "--session", "elsewhere") == []


def test_augment_keeps_to_its_tokens_and_tells_what_went(dreamt: CommandLine):
    told = dreamt("augment", "postgresql", "--max-tokens", "8")

    assert "Left out for want of tokens: " in told.stderr
    assert len(told.stdout) < len(dreamt("augment", "postgresql").stdout)
    assert dreamt.json("augment", "postgresql", "--max-tokens", "8")["left_out"]["fts_hits"] > 0


def test_augment_reads_standard_input(dreamt: CommandLine):
    assert "postgresql" in dreamt("augment", "-", input="What does postgresql do?").stdout


def test_nothing_remembered_is_said_beside_the_output(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", said()))

    result = hymem("augment", "gardening")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "Nothing is remembered" in result.stderr


@pytest.mark.parametrize(
    "fact",
    [
        ["api", "depends_on", "postgresql"],
        ["The API", "depends on", "PostgreSQL"],
        ["api depends on postgresql"],
        ["api", "does", "not", "depend", "on", "postgresql"],
    ],
)
def test_why_leads_back_to_the_messages(dreamt: CommandLine, fact: list[str]):
    told = dreamt("why", *fact).stdout

    assert told.startswith(
        "api depends on postgresql\n  active, confidence (2 + 1) / (2 + 0 + 2) = 0.750: 2 for, 0 against"
    )
    assert '+ 2025-01-01  "The API depends on PostgreSQL."' in told
    for message in dreamt.json("show", "messages")[:2]:
        assert f'{message["message_id"]} user: "{message["content"]}"' in told
    assert told.count("    reply    rules-") == 2


def test_why_follows_the_path_of_what_was_derived(dreamt: CommandLine):
    told = dreamt("why", "api depends on zfs").stdout
    (explained,) = dreamt.json("why", "api depends on zfs")

    assert "active, derived, confidence 0.750 × 0.667 = 0.500" in told
    assert "\n    postgresql depends on zfs\n" in told
    assert [step["sentence"] for step in explained["steps"]] == [
        "api depends on postgresql",
        "postgresql depends on zfs",
    ]


def test_why_shows_the_windows_in_which_a_fact_faded(hymem: CommandLine):
    again = said("Is PostgreSQL with the API fast enough for us now?", created_at="2025-02-20")
    hymem("ingest", hymem.file("chat.jsonl", CONVERSATION[0], again))
    hymem("dream")

    told = hymem("why", "api depends on postgresql").stdout

    assert "(1 + 1) / (1 + 1 + 2) = 0.500: 1 for, 1 against, of which 1 decay window" in told
    assert "- 2025-02-20  decay window 1: the topic returned, the fact did not" in told


@pytest.mark.parametrize("command", ["why", "retract", "restore"])
def test_an_unknown_fact_is_answered_with_near_ones(dreamt: CommandLine, command: str):
    result = dreamt(command, "api depends on postgresqll")

    assert result.exit_code == UnknownError.exit_code
    assert "near it:\n  api depends on postgresql" in result.stderr


def test_an_unknown_predicate_is_answered_with_the_eighteen(dreamt: CommandLine):
    result = dreamt("why", "api", "likes", "postgresql")

    assert result.exit_code == InputError.exit_code
    assert "depends_on" in result.stderr


# ---------------------------------------------------------------------------------------------------- corrections


def test_a_retraction_counts_from_the_next_dream_and_can_be_taken_back(dreamt: CommandLine):
    fact = ["user", "prefers", "short_answers"]

    assert "the next dream makes it so" in dreamt("retract", *fact, "--reason", "a joke").stdout
    assert dreamt.json("retract", *fact) == {"changed": False}
    dreamt("dream")
    retracted = [edge["sentence"] for edge in dreamt.json("show", "graph")]
    dreamt("restore", *fact)
    dreamt("dream")

    assert "user prefers short_answers" not in retracted
    assert "user prefers short_answers" in [edge["sentence"] for edge in dreamt.json("show", "graph")]


def test_an_alias_makes_two_names_one(dreamt: CommandLine):
    dreamt("alias", "backend", "api")
    dreamt("dream")

    assert "api depends on postgresql" in dreamt("augment", "backend").stdout


def test_an_alias_of_itself_is_refused(hymem: CommandLine):
    assert hymem("alias", "API", "the api").exit_code == InputError.exit_code


# -------------------------------------------------------------------------------------------------------- safety

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31mThe API depends on PostgreSQL.\x9b2K \u202eevil\u202c\r\x08 [red]x[/red]"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A memory of a conversation with somebody who would like to own the terminal."""
    hymem = CommandLine(tmp_path_factory.mktemp("hostile") / "root")
    hymem("ingest", hymem.file("chat.jsonl", said(HOSTILE), said("I prefer \x1b[2J short answers\x9b2K.")))
    hymem("dream")
    return hymem


@pytest.mark.parametrize(
    "command",
    [*(["show", table] for table in TABLES), ["augment", "postgresql"], ["why", "api depends on postgresql"]],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_text_from_chats_cannot_act_on_the_terminal(hostile: CommandLine, command: list[str], form: list[str]):
    output = hostile(*command, *form).stdout

    assert not set(output) & set("\x1b\x07\x08\r\x7f\x9b\u202e\u202c")


@pytest.mark.parametrize("told", ["api\ud800", "\udcff", "\x00", "a" * 100_000, "%s{}", '"; drop table messages --'])
def test_any_argument_is_answered(dreamt: CommandLine, told: str):
    assert dreamt("augment", told).exit_code == 0
    assert dreamt("why", told, "uses", told).exit_code in (InputError.exit_code, UnknownError.exit_code)
    assert dreamt("alias", told, "api").exit_code in (0, InputError.exit_code)


# ---------------------------------------------------------------------------------------------------------- root


@pytest.mark.parametrize("before", [True, False])
def test_root_may_stand_before_or_after_the_command(hymem: CommandLine, tmp_path: Path, before: bool):
    option = ["--root", str(tmp_path / "elsewhere")]
    arguments = [*option, "ingest"] if before else ["ingest", *option]

    hymem(*arguments, hymem.file("chat.jsonl", said("one")))

    with HyMem(tmp_path / "elsewhere") as memory:
        assert [message.content for message in memory.messages()] == ["one"]
    assert not hymem.root.exists()


def test_a_root_that_is_no_folder_is_an_error_of_the_store(hymem: CommandLine):
    result = hymem("--root", hymem.file("a-file"), "show", "graph")

    assert result.exit_code == StoreError.exit_code
    assert "cannot be written" in result.stderr


def test_a_database_of_another_program_is_left_alone(hymem: CommandLine):
    hymem.root.mkdir()
    (hymem.root / "hymem.db").write_bytes(b"no database at all, but long enough to look like one" * 100)

    result = hymem("show", "graph")

    assert result.exit_code == StoreError.exit_code
    assert "is no SQLite database" in result.stderr


def test_a_malformed_setting_is_named(tmp_path: Path):
    result = CommandLine(tmp_path, HYMEM_LLM_CONCURRENCY="lots")("dream")

    assert result.exit_code == ConfigError.exit_code
    assert "HYMEM_LLM_CONCURRENCY" in result.stderr
