"""The environment in which the real hermes-agent runs beside HyMem."""

from pathlib import Path

from tests.support.hermes import HERMES, run_in_hermes

pytestmark = HERMES


def test_hermes_agent_and_hymem_can_be_imported_side_by_side(tmp_path: Path):
    script = """
    import importlib.metadata
    from agent.memory_manager import MemoryManager
    from hymem import HyMem
    with HyMem("memory") as memory:
        memory.remember("Deploys of Zephyr go out on Thursdays.")
        told = [hit.fact.content for hit in memory.augment("When does Zephyr deploy?").facts]
    say([importlib.metadata.version("hermes-agent"), told])
    """

    assert run_in_hermes(script, tmp_path) == [["0.19.0", ["Deploys of Zephyr go out on Thursdays."]]]
