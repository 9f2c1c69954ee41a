"""`hymem serve honcho` as the process that a user starts, for the length of a block."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.command_line import CommandLine


@contextmanager
def served(root: Path, *options: str, **environment: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """A client of a server that runs as a process of its own."""
    line = CommandLine(root, HYMEM_HONCHO_PORT="0", HYMEM_DREAM_COOLDOWN_SECONDS="1", **environment)
    process = line.process("serve", "honcho", *options)
    assert process.stderr is not None
    try:
        while not (found := re.search(r"http://\S+(?=;)", process.stderr.readline())):
            assert process.poll() is None, process.stderr.read()
        with httpx.Client(base_url=found[0], timeout=30) as client:
            yield client, process
    finally:
        process.kill()
        process.communicate()
