"""What goes wrong with the store is told and costs no turn; what was promised to be durable is, or the agent hears of it."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from hymem import HyMem
from tests.support.hermes import HERMES, profile_with_hymem, run_in_hermes, said_in, start_in_hermes

pytestmark = HERMES

MANAGER = """
import json, os, pathlib, time
home = pathlib.Path(os.environ["HERMES_HOME"])
from agent.memory_manager import MemoryManager
from plugins.memory import load_memory_provider
warnings = []
provider = load_memory_provider("hymem")
def manager():
    made = MemoryManager()
    made.add_provider(provider)
    made.initialize_all(session_id="s1", hermes_home=str(home), platform="cli", agent_context="primary",
                        warning_callback=warnings.append)
    return made
ROWS = [{"role": "user", "content": "The blue crate holds the spare parts."}, {"role": "assistant", "content": "Noted."}]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return profile_with_hymem(tmp_path)


def scripted(script: str, home: Path) -> list[Any]:
    return run_in_hermes(MANAGER + textwrap.dedent(script), home)


def said(home: Path) -> list[str]:
    with HyMem(home / ".hermes") as memory:
        return [message.content for message in memory.messages()]


def test_a_locked_store_keeps_no_turn_waiting_and_the_turn_is_kept_with_the_next(home: Path):
    script = """
    import apsw
    m = manager()
    m.sync_all("One.", "First.", session_id="s1", messages=[{"role": "user", "content": "One."},
                                                            {"role": "assistant", "content": "First."}])
    m.flush_pending(10)
    other = apsw.Connection(str(home / "hymem.db"))
    other.execute("begin exclusive")
    began = time.monotonic()
    m.prefetch_all("Where are the spare parts?")
    m.sync_all(ROWS[0]["content"], "Noted.", session_id="s1")
    say(time.monotonic() - began < 8)
    m.flush_pending(20)
    other.execute("rollback")
    m.on_session_end([{"role": "user", "content": "One."}, {"role": "assistant", "content": "First."}, *ROWS])
    m.shutdown_all()
    """
    assert scripted(script, home) == [True]
    assert said(home) == ["One.", "First.", "The blue crate holds the spare parts.", "Noted."]


def test_a_checkpoint_that_cannot_be_durable_is_refused_and_told(home: Path):
    script = """
    import apsw
    m = manager()
    m.sync_all("One.", "First.", session_id="s1")
    m.flush_pending(10)
    other = apsw.Connection(str(home / "hymem.db"))
    other.execute("begin immediate")
    try:
        provider.on_pre_compress(ROWS, require_checkpoint=True)
        say("kept")
    except Exception as error:
        say(type(error).__name__)
    other.execute("rollback")
    say("word for word" in provider.on_pre_compress(ROWS, require_checkpoint=True))
    say(any("not kept" in warning for warning in warnings))
    os._exit(0)  # nothing is flushed or closed
    """
    refused, kept, told = scripted(script, home)

    assert (refused, kept, told) == ("BusyError", True, True)
    assert said(home)[-2:] == ["The blue crate holds the spare parts.", "Noted."]


def test_a_full_disk_is_told_and_loses_nothing_that_was_there(home: Path):
    script = """
    import resource, signal
    m = manager()
    m.sync_all("One.", "First.", session_id="s1")
    m.flush_pending(10)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    long = [{"role": "user", "content": "spare parts " * 40000}]
    try:
        provider.on_pre_compress(long, require_checkpoint=True)
        say("kept")
    except Exception as error:
        say("hymem" in type(error).__module__)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    say("word for word" in provider.on_pre_compress(ROWS, require_checkpoint=True))
    """
    assert scripted(script, home) == [True, True]
    assert said(home) == ["One.", "First.", "The blue crate holds the spare parts.", "Noted."]


def test_an_agent_that_is_killed_between_turns_has_kept_every_turn_before(home: Path):
    script = """
    m = manager()
    for n in range(30):
        m.sync_all(f"Remark {n}.", "Noted.", session_id="s1")
        m.flush_pending(10)
        say(n)
    time.sleep(60)
    """
    process = start_in_hermes(MANAGER + textwrap.dedent(script), home)
    assert process.stdout is not None
    told = ""
    while "29" not in told:
        line = process.stdout.readline()
        assert line
        told += line
    process.kill()
    process.communicate()

    assert said_in(told)[-1] == 29
    assert [text for text in said(home) if text.startswith("Remark")] == [f"Remark {n}." for n in range(30)]


def test_recall_that_is_slow_is_given_up_within_the_turn_and_said(home: Path):
    script = """
    m = manager()
    from serving.memory import HyMem
    HyMem.augment = lambda self, message: time.sleep(30)
    began = time.monotonic()
    say(m.prefetch_all("Where are the spare parts?"))
    say(time.monotonic() - began < 8)
    say(any("nothing could be recalled" in warning for warning in warnings))
    os._exit(0)
    """
    assert scripted(script, home) == ["", True, True]


def test_the_agents_notes_are_mirrored_when_they_are_replaced_and_removed(home: Path):
    script = """
    m = manager()
    m.on_memory_write("add", "user", "Prefers short answers", {"tool_name": "memory"})
    m.on_memory_write("add", "user", "Lives in Delft", {"tool_name": "memory"})
    m.on_memory_write("replace", "user", "Prefers long answers", {"old_text": "Prefers short answers"})
    m.on_memory_write("remove", "user", "", {"old_text": "Lives in Delft"})
    provider._background.finish(10)
    m.shutdown_all()
    """
    scripted(script, home)

    with HyMem(home / ".hermes") as memory:
        assert [fact["content"] for fact in memory.facts()] == ["Prefers long answers"]


def test_where_hymem_is_missing_the_shim_loads_and_says_so(home: Path):
    script = """
    import sys
    sys.modules["serving"] = None
    sys.modules["hymem"] = None
    sys.path[:] = [path for path in sys.path if "/.hermes" in path or "site-packages" in path or "python3" in path]
    from plugins.memory import load_memory_provider
    provider = load_memory_provider("hymem")
    say(provider.unavailable_reason())
    say(provider.system_prompt_block())
    """
    reason, prompt = run_in_hermes(textwrap.dedent(script), home)

    assert "pip install hymem" in reason
    assert reason in prompt
