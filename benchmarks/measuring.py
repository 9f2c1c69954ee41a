"""What a process costs, and how a figure is told: its value, beside the bound that it is to keep."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

HOME = Path(__file__).parents[1]


@dataclass(frozen=True)
class Cost:
    """A process's seconds of processor time and of waiting, its peak memory in megabytes, and what it printed."""

    cpu: float
    wall: float
    peak: float
    out: str
    err: str


@dataclass(frozen=True)
class Figure:
    """A measured number; `most` or `least` is what was asked of it, where something was."""

    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def kept(self) -> bool:
        """Whether it keeps its bound."""
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    @property
    def bound(self) -> str:
        """What was asked, in words."""
        if self.most is not None:
            return f"at most {self.most:,.4g}"
        return f"at least {self.least:,.4g}" if self.least is not None else ""

    def __str__(self) -> str:
        """The figure as a line of the table."""
        value = f"{self.value:,.0f}" if self.value >= 1000 else f"{self.value:.4g}"
        return f"  {self.name:<64} {value:>10} {self.unit:<7} {self.bound:<16} {'' if self.kept else 'MISSED'}"


class Process:
    """This interpreter, started from the repository's root, and watched to its end."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self._began = time.perf_counter()
        self._files = [tempfile.TemporaryFile("w+", encoding="utf-8") for _ in range(2)]  # noqa: SIM115 - closed in `end`
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=HOME,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=self._files[0],
            stderr=self._files[1],
        )

    def end(self) -> Cost:
        """Close its input and wait for it; raises `RuntimeError`, with its own words, where it fails."""
        if self._process.stdin:
            self._process.stdin.close()
        _, status, usage = os.wait4(self._process.pid, 0)
        wall = time.perf_counter() - self._began
        self._process.returncode = os.waitstatus_to_exitcode(status)
        out, err = (_read(file) for file in self._files)
        if self._process.returncode:
            raise RuntimeError(f"{self._process.args} ended with {self._process.returncode}:\n{err}")
        peak = usage.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
        return Cost(usage.ru_utime + usage.ru_stime, wall, peak, out, err)


def _read(file: IO[str]) -> str:
    with file:
        file.seek(0)
        return file.read()


def python(*arguments: str, environment: Mapping[str, str] | None = None) -> Cost:
    """Run this interpreter to its end."""
    return Process(*arguments, environment=environment).end()
