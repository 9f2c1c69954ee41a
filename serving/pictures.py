"""Pictures of things and arrows between them: as Mermaid text, which many viewers draw, or drawn here as SVG or PNG.

Drawing needs Graphviz, which is a program of its own: `graphviz-pure` from the extra `viz`, or a `dot` that is installed.
Labels may hold what strangers said; nothing in them is taken for markup.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hymem.errors import ConfigError, StoreError

FORMATS: Final = ("svg", "png")
LABEL_LIMIT: Final = 70
_SPECIAL: Final = re.compile(r"[^\w .,:+×=/-]")
_SECONDS: Final = 60


@dataclass(frozen=True)
class Spot:
    """A thing in a picture: its label, line by line, its colour, and the box of its chapter where it has one."""

    id: str
    label: tuple[str, ...]
    colour: str = "#f2f2f2"
    round: bool = False
    box: str = ""


@dataclass(frozen=True)
class Picture:
    """Things, and arrows from one to another."""

    spots: Sequence[Spot]
    arrows: Sequence[tuple[str, str]]

    def mermaid(self) -> str:
        """As a Mermaid flowchart."""
        place = {spot.id: f"n{number}" for number, spot in enumerate(self.spots)}
        lines = ["flowchart TD"]
        for box in dict.fromkeys(spot.box for spot in self.spots):
            members = [_mermaid_spot(place[spot.id], spot) for spot in self.spots if spot.box == box]
            lines += [f"  subgraph {_plain(box)}", *members, "  end"] if box else members
        lines += [f"  {place[start]} --> {place[end]}" for start, end in self.arrows]
        lines += [f"  style {place[spot.id]} fill:{spot.colour},color:#111" for spot in self.spots]
        return "\n".join(lines)

    def dot(self) -> str:
        """As Graphviz reads it."""
        place = {spot.id: f"n{number}" for number, spot in enumerate(self.spots)}
        lines = ["digraph {", '  rankdir=TB; node [style=filled, fontname="Helvetica", fontsize=10, shape=box];']
        for number, box in enumerate(dict.fromkeys(spot.box for spot in self.spots)):
            members = [_dot_spot(place[spot.id], spot) for spot in self.spots if spot.box == box]
            frame = [f"  subgraph cluster_{number} {{", f"  label={_quoted(box)};", *members, "  }"]
            lines += frame if box else members
        lines += [f"  {place[start]} -> {place[end]};" for start, end in self.arrows]
        return "\n".join([*lines, "}"])

    def drawn(self, form: str) -> bytes:
        """As an image, "svg" or "png"; raises `ConfigError` where there is no Graphviz to draw it."""
        command = [str(_graphviz()), f"-T{form}"]
        try:
            found = subprocess.run(
                command, input=self.dot().encode(), capture_output=True, timeout=_SECONDS, check=True
            )
        except (subprocess.SubprocessError, OSError) as error:
            raise StoreError(f"{command[0]} could not draw the picture ({error}): ask for mermaid instead") from error
        return found.stdout


def _graphviz() -> Path:
    beside = Path(sys.executable).with_name("graphviz-pure.exe" if sys.platform == "win32" else "graphviz-pure")
    found = beside if beside.exists() else shutil.which("graphviz-pure") or shutil.which("dot")
    if found is None:
        raise ConfigError("drawing needs Graphviz: `pip install 'hymem[viz]'`; Mermaid and text need nothing")
    return Path(found)


def _mermaid_spot(name: str, spot: Spot) -> str:
    label = "<br/>".join(_plain(line) for line in spot.label)
    return f'  {name}(["{label}"])' if spot.round else f'  {name}["{label}"]'


def _plain(text: str) -> str:
    """The text as a Mermaid label, whatever is in it."""
    return _SPECIAL.sub(lambda sign: f"#{ord(sign[0])};", _short(text))


def _dot_spot(name: str, spot: Spot) -> str:
    shape = ", shape=ellipse" if spot.round else ""
    return f"  {name} [label={_quoted(*spot.label)}, fillcolor={_quoted(spot.colour)}{shape}];"


def _quoted(*lines: str) -> str:
    told = "\\n".join(_short(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return f'"{told}"'


def _short(text: str) -> str:
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * LABEL_LIMIT]).split())
    return line if len(line) <= LABEL_LIMIT else line[: LABEL_LIMIT - 1] + "…"
