"""The command line as a process: how it starts, and how it ends when it is not let finish."""

import json
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hymem import HyMem
from tests.support.command_line import PROGRAM, ROOT, CommandLine, said
from tests.support.openai_server import NOTHING, Answer, OpenAIServer


@pytest.fixture
def hymem(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "root")


def ended(process: subprocess.Popen) -> tuple[int, str, str]:
    stdout, stderr = process.communicate(timeout=60)
    return process.returncode, stdout or "", stderr or ""


def test_a_visit_from_the_shell(hymem: CommandLine):
    file = hymem.file("chat.jsonl", said("The API depends on PostgreSQL."))

    ends = [ended(hymem.process(*command)) for command in (["ingest", file], ["dream"], ["augment", "the api"])]

    assert [status for status, _, _ in ends] == [0, 0, 0]
    assert "api depends on postgresql" in ends[2][1]


def test_the_doctor_has_a_command_of_its_own(hymem: CommandLine):
    program = [sys.executable, "-c", "from serving.cli.main import doctor; doctor()", "--json"]
    held = {name: value for name, value in {**os.environ, **hymem.environment}.items() if value is not None}

    done = subprocess.run(program, env={**held, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)

    assert json.loads(done.stdout)["exit_code"] == done.returncode == 0


# --------------------------------------------------------------------------------------------------------- starting

HEAVY = {"pydantic", "rich", "pandas", "pyarrow", "hamilton", "openai", "numpy", "importlib.metadata", "dataflows"}


def loaded(program: str, hymem: CommandLine) -> set[str]:
    told = f"{program}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    held = {name: value for name, value in {**os.environ, **hymem.environment}.items() if value is not None}
    done = subprocess.run(
        [sys.executable, "-c", told], env={**held, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_command_line_starts_with_little(hymem: CommandLine):
    assert loaded("import serving.cli.main", hymem) & {*HEAVY, "apsw", "serving.memory"} == set()


def test_a_dream_with_nothing_to_do_loads_little(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", said()))
    hymem("dream")
    dream = (
        "from serving.cli.main import hymem\ntry: hymem.main(['dream'])\nexcept SystemExit as end: assert end.code == 0"
    )

    assert loaded(dream, hymem) & {*HEAVY, "serving.memory", "hymem.models.rules.grammar"} == set()


def cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    """The least that a command took in a few runs."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=environment, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


@pytest.mark.soak
def test_a_dream_with_nothing_to_do_costs_little_more_than_opening_the_database(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", said()))
    hymem("dream")
    held = {name: value for name, value in {**os.environ, **hymem.environment}.items() if value is not None}
    held["PYTHONPATH"] = str(ROOT)

    spent = cpu_seconds([*PROGRAM, "dream"], held)

    assert spent < 1.5 * cpu_seconds([sys.executable, "-c", "import apsw"], held) + 0.1


# ----------------------------------------------------------------------------------------------------------- ending


def test_ctrl_c_ends_a_dream_with_a_word_and_every_reply_kept(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", *(said(f"The API depends on service{n}.") for n in range(9))))
    with OpenAIServer([Answer(text=json.dumps(NOTHING), delay=0.3)]) as server:
        hymem.environment |= {"HYMEM_LLM_BASE_URL": server.url, "HYMEM_LLM_MODEL": "m"}
        process = hymem.process("dream")
        until(lambda: len(server.asked) >= 3)
        process.send_signal(signal.SIGINT)
        status, _, stderr = ended(process)
        asked_before = len(server.asked)
        rest = hymem.json("dream")

    assert (status, stderr.splitlines()[-1:]) == (
        130,
        ["interrupted: every reply that had come is kept; `hymem dream` goes on from there"],
    )
    assert "Traceback" not in stderr
    assert rest["asked"] == 10 - asked_before  # nine chunks and their session


def test_ctrl_c_ends_an_ingestion_with_a_word(hymem: CommandLine):
    process = hymem.process("ingest", "-", stdin=subprocess.PIPE)
    process.stdin.write(json.dumps(said()) + "\n")
    process.stdin.flush()
    until((hymem.root / "hymem.db").exists)
    process.send_signal(signal.SIGINT)
    status, _, stderr = ended(process)

    assert status == 130
    assert "the same command goes on, and adds nothing twice" in stderr
    assert "Traceback" not in stderr


def until(happened, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.mark.parametrize("command", [["show", "messages", "--limit", "100000"], ["--help"]])
def test_a_reader_who_has_seen_enough_ends_it_quietly(hymem: CommandLine, command: list[str]):
    hymem("ingest", hymem.file("chat.jsonl", *(said(f"number {n}") for n in range(5000))))

    process = hymem.process(*command)
    process.stdout.close()
    process.stdout = None
    _, _, stderr = ended(process)

    assert stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_output_that_cannot_be_written_is_an_error(hymem: CommandLine):
    with Path("/dev/full").open("w") as full:
        status, _, stderr = ended(hymem.process("show", "messages", "--json", stdout=full))

    assert (status, stderr) == (1, "error: the output cannot be written: No space left on device\n")


def test_a_terminal_without_the_characters_gets_what_it_can_show(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", said("cache → 数据库")))
    hymem.environment |= {"PYTHONIOENCODING": "latin-1"}

    status, stdout, _ = ended(hymem.process("show", "messages"))

    assert status == 0
    assert "cache \\u2192" in stdout


def on_a_terminal(hymem: CommandLine, *command: str) -> tuple[str, str]:
    """What a command prints to a terminal: to its output, and beside it."""
    printed = []
    for stream in ("stdout", "stderr"):
        ours, theirs = pty.openpty()
        process = hymem.process(*command, **{stream: theirs})
        os.close(theirs)
        heard = b""
        try:
            while data := os.read(ours, 65536):
                heard += data
        except OSError:  # Linux tells so that the other side is closed
            pass
        os.close(ours)
        process.communicate(timeout=60)
        printed.append(heard.decode())
    return printed[0], printed[1]


def test_a_terminal_gets_lines_around_a_table_and_a_pipe_does_not(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", said("[bold]not markup[/bold] \x1b[2J")))

    shown, _ = on_a_terminal(hymem, "show", "messages")

    assert "─" in shown and "[bold]not markup[/bold]" in shown and "\x1b[2J" not in shown
    assert hymem("show", "messages").stdout.isascii()


def test_a_terminal_gets_a_bar_while_dreaming_and_a_pipe_does_not(hymem: CommandLine):
    hymem("ingest", hymem.file("chat.jsonl", *(said(f"The API depends on service{n}.") for n in range(3))))
    quiet = hymem("dream")
    hymem("ingest", hymem.file("more.jsonl", *(said(f"The API uses library{n}.") for n in range(3))))

    ours, theirs = pty.openpty()
    process = hymem.process("dream", stderr=theirs)
    os.close(theirs)
    process.communicate(timeout=60)
    os.set_blocking(ours, False)
    shown = os.read(ours, 65536).decode()
    os.close(ours)

    assert quiet.stderr == ""
    assert "Dreaming" in shown


def test_two_ingestions_at_once_tell_everything_once(hymem: CommandLine):
    file = hymem.file("chat.jsonl", *(said(f"number {n}") for n in range(3000)))

    both = [hymem.process("ingest", file, "--json") for _ in range(2)]
    told = [json.loads(ended(process)[1]) for process in both]

    assert sum(one["added"] for one in told) == 3000
    with HyMem(hymem.root) as memory:
        assert len(memory.messages()) == 3000
