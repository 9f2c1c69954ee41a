"""The plugin in a profile of hermes: put there, taken away, looked at. Its files are copies, so that no link can dangle."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from hymem.errors import ConfigError, InputError, StoreError
from serving.hermes.provider import NAME

FILES: Final = ("__init__.py", "cli.py", "config_schema.py", "plugin.yaml")
MARK: Final = "hymem hermes install"
CONFIG: Final = "config.yaml"
_PROFILE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_BLOCK: Final = re.compile(r"^memory:[ \t]*(?:#.*)?$", re.MULTILINE)
_ANY: Final = re.compile(r"^memory[ \t]*:", re.MULTILINE)
_PROVIDER: Final = re.compile(r"^([ \t]+)provider[ \t]*:([^\n#]*)(#[^\n]*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Installed:
    """How the plugin stands in a profile: there, the same as this HyMem's, and the one that hermes uses."""

    home: Path
    there: bool
    current: bool
    active: bool


def profile_home(root: Path, profile: str | None) -> Path:
    """A profile's folder, below hermes's own; raises `InputError` where there is none."""
    if profile is None or profile == "default":
        return root
    if not _PROFILE.fullmatch(profile):
        raise InputError(f"a profile's name has letters, digits, _ and -, not {profile[:60]!r}")
    home = root / "profiles" / profile
    if not home.is_dir():
        raise InputError(f"there is no profile {profile!r} in {root}: `hermes profile list` shows them")
    return home


def install(home: Path, *, activate: bool = True) -> Installed:
    """Write the plugin's files, and make it hermes's memory; doing it again renews them."""
    folder = plugin_folder(home)
    if folder.exists() and any(folder.iterdir()) and not _is_ours(folder):
        raise InputError(f"{folder} holds another plugin: move it away, then install again")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in plugin_files().items():
            (folder / name).write_text(text, encoding="utf-8")
        if activate:
            set_provider(home / CONFIG, NAME)
    except OSError as error:
        raise StoreError(f"the plugin cannot be written to {folder}: {error.strerror}") from error
    return installed(home)


def uninstall(home: Path) -> bool:
    """Remove the plugin's files, and let hermes use its own memory; what is remembered stays. False where it was not there."""
    folder = plugin_folder(home)
    there = _is_ours(folder)
    if there:
        for path in (*(folder / name for name in FILES), *folder.glob("__pycache__/*")):
            path.unlink(missing_ok=True)
        for empty in (folder / "__pycache__", folder):
            if empty.is_dir() and not any(empty.iterdir()):
                empty.rmdir()
    if provider_in(home / CONFIG) == NAME:
        set_provider(home / CONFIG, "")
    return there


def installed(home: Path) -> Installed:
    """How it stands."""
    folder, wanted = plugin_folder(home), plugin_files()
    there = _is_ours(folder)
    current = there and all(_text(folder / name) == text for name, text in wanted.items())
    return Installed(home, there, current, provider_in(home / CONFIG) == NAME)


def plugin_folder(home: Path) -> Path:
    """Where hermes looks for it."""
    return home / "plugins" / NAME


def plugin_files() -> Mapping[str, str]:
    """The files by name, as they are installed."""
    held = files("serving.hermes") / "plugin"
    return {
        name: (held / (f"{name}.txt" if name.endswith(".py") else name)).read_text(encoding="utf-8") for name in FILES
    }


def provider_in(config: Path) -> str:
    """Which memory the profile's configuration names, "" for hermes's own."""
    text = _text(config) or ""
    found = _provider_line(text)
    return found[2].strip().strip("\"'") if found else ""


def set_provider(config: Path, name: str) -> None:
    """Name the memory in the profile's configuration, and leave every other line, comments too, as it is."""
    text = _text(config) or ""
    line = f"provider: {name or chr(34) * 2}"
    if found := _provider_line(text):
        comment = f"  {found[3]}" if found[3] else ""
        text = text[: found.start()] + f"{found[1]}{line}{comment}" + text[found.end() :]
    elif block := _BLOCK.search(text):
        indent = _indent(text[block.end() :])
        text = text[: block.end()] + f"\n{indent}{line}" + text[block.end() :]
    elif _ANY.search(text):
        raise ConfigError(
            f"{config} writes `memory` on one line: run `hermes config set memory.provider {name or NAME}`"
        )
    else:
        text = f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}memory:\n  {line}\n"
    unfinished = config.with_suffix(".part")
    unfinished.write_text(text, encoding="utf-8")
    if config.exists():
        unfinished.chmod(config.stat().st_mode & 0o777)
    unfinished.replace(config)


def _provider_line(text: str) -> "re.Match[str] | None":
    """The line `provider:` right within the block `memory:`."""
    block = _BLOCK.search(text)
    if block is None:
        return None
    after = re.compile(r"^\S", re.MULTILINE).search(text, block.end() + 1)
    end = after.start() if after else len(text)
    indent = _indent(text[block.end() : end])
    return next((each for each in _PROVIDER.finditer(text, block.end(), end) if each[1] == indent), None)


def _indent(text: str) -> str:
    """How the members of a block are indented."""
    found = re.search(r"^([ \t]+)[^\s#]", text.split("\n\n\n")[0], re.MULTILINE)
    return found[1] if found else "  "


def _is_ours(folder: Path) -> bool:
    return MARK in (_text(folder / "__init__.py") or "")


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
