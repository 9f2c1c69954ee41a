"""MEMORY.md and USER.md: which section goes into which file."""

from pathlib import Path
from typing import Final

from hymem.markdown import read_section, write_section

FILES: Final = {"insights": "MEMORY.md", "profile": "USER.md"}
"""The file of each managed section."""


def write_memory_files(root: Path, sections: dict[str, str]) -> list[Path]:
    """Bring the files up to date with the sections; returns those that changed. Raises `StoreError` as `write_section`."""
    return [root / FILES[name] for name, body in sections.items() if write_section(root / FILES[name], name, body)]


def differing(root: Path, sections: dict[str, str]) -> bool:
    """Whether a file lacks its section, or holds another text in it."""
    return any(read_section(root / FILES[name], name) != body for name, body in sections.items())
