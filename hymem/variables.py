"""The variables by which HyMem is told where memory lives and who answers, and where the value of each came from.

A value comes from the command line, from the environment, from a file `.env` in the root, or is the default; the first of
these that is not empty counts. The file may be shared with other programs: of its variables only HyMem's own are taken,
nothing in it is expanded, and it cannot say where the root is, since it is found there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hymem.errors import ConfigError

DOTENV: Final = ".env"
PREFIX: Final = "HYMEM_"
LONGEST_FILE: Final = 1_000_000
WORKSPACES: Final = "workspaces"
"""The folder below the root whose folders are workspaces."""


@dataclass(frozen=True)
class Variable:
    """A variable of the environment: its default in words, what it means, and whether its value is nobody's business."""

    name: str
    default: str
    meaning: str
    secret: bool = False
    after: str = ""
    """The variable whose value serves where this one has none."""


VARIABLES: Final = (
    Variable("HYMEM_ROOT", "~/.hermes", "the folder of the database and the Markdown files"),
    Variable("HYMEM_LLM_MODEL", "deepseek-chat", "the language model's name, or `rules` to work without one"),
    Variable("HYMEM_LLM_BASE_URL", "https://api.deepseek.com", "its endpoint"),
    Variable("HYMEM_LLM_API_KEY", "", "its key", secret=True, after="DEEPSEEK_API_KEY"),
    Variable("HYMEM_LLM_CONCURRENCY", "8, or 1 on this machine", "questions under way at once"),
    Variable("HYMEM_EMBEDDING_MODEL", "", "the embedding model's name, `local` for the offline one, or `none`"),
    Variable("HYMEM_EMBEDDING_BASE_URL", "", "its endpoint"),
    Variable("HYMEM_EMBEDDING_API_KEY", "the language model's", "its key", secret=True),
    Variable("HYMEM_REDACT", "index", "`store` keeps secrets out of the stored messages too"),
    Variable("HYMEM_DREAM_COOLDOWN_SECONDS", "60", "the least time between two dreams beside a server"),
    Variable("HYMEM_HONCHO_HOST", "127.0.0.1", "the address that the Honcho server listens on"),
    Variable("HYMEM_HONCHO_PORT", "8765", "its port"),
    Variable("HYMEM_HONCHO_AUTH_SECRET", "", "signs and checks the servers' access tokens", secret=True),
    Variable("HYMEM_HONCHO_WEBHOOK_SECRET", "HYMEM_HONCHO_AUTH_SECRET's", "signs what webhooks deliver", secret=True),
    Variable("HYMEM_HONCHO_WEBHOOKS", "public", "`local` lets webhooks call private networks"),
    Variable("HYMEM_LOG", "text", "`json` writes a server's log as JSON"),
    Variable("HYMEM_TRACES", "off", "`otlp` sends spans of dreams and requests to a collector, `console` prints them"),
)
"""All of them, in the order in which `hymem config` tells them."""

NAMES: Final = tuple(variable.name for variable in VARIABLES)
OF_OTHERS: Final = tuple(variable.after for variable in VARIABLES if variable.after)


@dataclass(frozen=True)
class Environment:
    """Every variable that has a value, where the value came from, and what is strange about the rest."""

    root: Path
    values: Mapping[str, str]
    sources: Mapping[str, str]
    remarks: tuple[str, ...] = field(default=())

    def get(self, name: str) -> str:
        """The variable's value without spaces around it, "" where it has none."""
        return self.values.get(name, "")


def gathered(environment: Mapping[str, str], folder: Path, root_named: bool) -> Environment:
    """The environment over the `.env` of the memory in `folder`; `root_named` where the command line said that folder.

    Raises `ConfigError` where there is such a file and it cannot be read.
    """
    file = dotenv_file(folder)
    held, unread = _read(file) if file else ({}, ())
    elsewhere = Path(held.pop("HYMEM_ROOT", folder)) != folder
    misplaced = [f"{file}: HYMEM_ROOT is not taken from a file that lies in the root"] if elsewhere else []
    given = {name: environment.get(name, "").strip() for name in (*NAMES, *OF_OTHERS)}
    values = {name: value for name in given if (value := given[name] or held.get(name, ""))}
    sources = {name: "environment" if given[name] else str(file) for name in values}
    if root_named:
        values["HYMEM_ROOT"], sources["HYMEM_ROOT"] = str(folder), "the command line"
    strange = [*_unknown(environment, "the environment"), *_unknown(held, str(file)), *unread, *misplaced]
    return Environment(folder, values, sources, tuple(strange))


def masked(secret: str) -> str:
    """A key as it may be printed: its last four characters, where enough stays hidden."""
    return f"…{secret[-4:]}" if len(secret) >= 16 else "…"


def dotenv_file(folder: Path) -> Path | None:
    """The file that serves the memory in a folder: its own `.env`, or that of the root whose workspace it is."""
    own = folder / DOTENV
    if own.is_file() or folder.parent.name != WORKSPACES:
        return own if own.is_file() else None
    root = folder.parent.parent
    shared = root / DOTENV
    return shared if shared.is_file() and any(root.glob("hymem*.db")) else None


def _read(file: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """The variables that a file gives a value, and its lines that make no sense."""
    from io import StringIO

    from dotenv.parser import parse_stream

    try:
        with file.open(encoding="utf-8-sig") as stream:
            text = stream.read(LONGEST_FILE)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read ({error}): put it right, or move it away") from None
    bindings = list(parse_stream(StringIO(text)))
    held = {binding.key: (binding.value or "").strip() for binding in bindings if binding.key}
    unread = [f"{file}:{one.original.line}: the line makes no sense and is left aside" for one in bindings if one.error]
    return {name: value for name, value in held.items() if value}, tuple(unread)


def _unknown(given: Mapping[str, str], where: str) -> Iterator[str]:
    for name in sorted(given):
        if not name.startswith(PREFIX) or name in NAMES or not given[name].strip():
            continue
        from difflib import get_close_matches

        near = get_close_matches(name.removeprefix(PREFIX), [known.removeprefix(PREFIX) for known in NAMES], 1)
        yield f"{where} sets {name}, which HyMem does not know" + (f"; is {PREFIX}{near[0]} meant?" if near else "")
