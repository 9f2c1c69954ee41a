"""Dreams beside the agent: a process of its own for each, which outlives the agent that started it.

A one-shot `hermes chat` ends a second after its answer, and what was said in it is to be learnt all the same. How the dream
went stands in `hymem-dream.log` beside the database; one that failed is told to the user when the next one is due.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hymem.settings import process_environment

LOG: Final = "hymem-dream.log"
COOLDOWN_SECONDS: Final = 120.0
COMMAND: Final = (sys.executable, "-P", "-m", "serving.cli", "dream")


@dataclass
class _Dream:
    process: "subprocess.Popen[bytes]"
    begun: float
    told: bool = False


_dreams: dict[Path, _Dream] = {}
_starting = threading.Lock()


def start_dream(root: Path, settings: Mapping[str, str], *, at_once: bool = False) -> None:
    """Start a dream over the memory in `root`, unless one is under way or, but for `at_once`, was a moment ago.

    `settings` takes the place of what the environment says. Returns at once; raises `OSError` where no process can be started.
    """
    with _starting:
        last = _dreams.get(root)
        if last is not None and last.process.poll() is None:
            return
        if last is not None and not at_once and time.monotonic() - last.begun < COOLDOWN_SECONDS:
            return
        with (root / LOG).open("wb") as log:
            process = subprocess.Popen(
                [*COMMAND, "--root", str(root)],
                env=process_environment(settings),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        _dreams[root] = _Dream(process, time.monotonic())


def trouble_of_last_dream(root: Path) -> str | None:
    """Why the last dream that this process started failed, told once; None where it did not, or has not ended."""
    with _starting:
        last = _dreams.get(root)
        if last is None or last.told or not last.process.poll():
            return None
        last.told = True
    return last_words(root) or f"exit code {last.process.returncode}"


def last_words(root: Path) -> str:
    """The last line that the last dream printed, "" where there is none."""
    try:
        lines = (root / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1] if lines else ""
