"""MEMORY.md and USER.md: which section goes into which file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hymem.errors import StoreError
from hymem.files import sweep
from hymem.markdown import read_section, write_section

FILES: Final = {"insights": "MEMORY.md", "profile": "USER.md"}
"""The file of each managed section."""

BACKUPS: Final = "backups"
"""The folder beside them in which an import leaves what it replaced."""


def write_memory_files(root: Path, sections: Mapping[str, str | Callable[[], str]]) -> list[Path]:
    """Bring the files up to date with the sections; returns those that changed.

    Raises the `StoreError` of the first that cannot be written, after the others are.
    """
    changed: list[Path] = []
    trouble: list[StoreError] = []
    for name, body in sections.items():
        try:
            changed += [root / FILES[name]] if write_section(root / FILES[name], name, body) else []
        except StoreError as error:
            trouble.append(error)
    if trouble:
        raise trouble[0]
    return changed


def sweep_memory_files(root: Path) -> None:
    """Remove the half-written copies that killed writers of the files left behind."""
    for file in FILES.values():
        sweep(root / file)


def differing(root: Path, sections: dict[str, str]) -> bool:
    """Whether a file lacks its section, or holds another text in it."""
    try:
        return any(read_section(root / FILES[name], name) != body for name, body in sections.items())
    except StoreError:
        return True


def unreadable_files(root: Path) -> list[str]:
    """Why files cannot be read, where they cannot."""
    reasons: list[str] = []
    for name, file in FILES.items():
        try:
            read_section(root / file, name)
        except StoreError as error:
            reasons.append(str(error))
    return reasons
