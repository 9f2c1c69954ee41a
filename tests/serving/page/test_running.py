"""`hymem serve ui` as a process of its own, which needs no key, and previews on the command line."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx

from hymem.models.rules import RulesExtractor
from serving.memory import HyMem

BARE = {name: value for name, value in os.environ.items() if not name.startswith(("HYMEM_", "DEEPSEEK_", "OPENAI_"))}


def test_the_page_is_served_without_a_key_on_this_machine_and_ends_when_it_is_told_to(tmp_path: Path):
    command = [sys.executable, "-m", "serving.cli", "serve", "ui", "--port", "0", "--root", str(tmp_path)]
    with subprocess.Popen(command, env=BARE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = next(filter(None, (re.search(r"http://127\.0\.0\.1:\d+/ui", line) for line in server.stderr)))
        page, root = httpx.get(found[0]), httpx.get(found[0].removesuffix("/ui"))
        told = httpx.get(found[0].removesuffix("/ui") + "/v3/workspaces/default/page/overview").json()
        server.send_signal(signal.SIGTERM)

    assert ("<title>HyMem</title>" in page.text, root.headers["location"], told["messages"]) == (True, "/ui", 0)
    assert server.returncode == 0


def test_a_retraction_and_a_name_are_previewed_on_the_command_line_and_change_nothing(tmp_path: Path):
    with HyMem(tmp_path, llm=RulesExtractor()) as memory:
        memory.log_message("monday", "user", "The billing service uses Redis.", created_at="2026-01-06")
        memory.dream(budget=0)
    before = (tmp_path / "MEMORY.md").read_bytes()

    for order in (["retract", "billing_service", "uses", "redis"], ["alias", "redis", "valkey"]):
        command = [sys.executable, "-m", "serving.cli", *order, "--preview", "--json", "--root", str(tmp_path)]
        done = subprocess.run(command, env=BARE, capture_output=True, text=True, check=True)
        told = json.loads(done.stdout)
        assert told["preview"] and {**told["gone"], **told["changed"]}["knowledge_graph"] == 1

    with HyMem(tmp_path) as memory:
        assert [edge.status for edge in memory.edges(include_retracted=True)] == ["active"]
    assert (tmp_path / "MEMORY.md").read_bytes() == before
