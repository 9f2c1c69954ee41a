"""`hymem ingest`: conversations from files, or from standard input."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import click

from hymem.errors import InputError
from serving.cli.guard import Interrupted
from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import counted, note, say, say_json
from serving.cli.progress import progress_bar

if TYPE_CHECKING:
    from serving.exchange.ingest import Ingestion

STDIN: Final = "-"
ENDINGS: Final = (".json", ".jsonl", ".ndjson", ".md", ".zip")
"""What is taken from a folder."""

FAULTS_TOLD: Final = 20
"""Faults of one file that are printed; `--json` has more of them."""


@command(
    "hymem ingest monday.jsonl tuesday.jsonl",
    "hymem ingest --session support-42 export.json",
    "hymem ingest chatgpt-export.zip ~/.claude/projects ~/.hermes/state.db",
    "jq -c '.[]' log.json | hymem ingest -",
)
@click.argument("files", nargs=-1, metavar="[PATH]...")
@click.option("--format", metavar="NAME", help="The files' format, where it is not seen: one of those below.")
@click.option("--session", metavar="ID", type=WORDS, help="The session of messages that name none.")
@click.option("--strict", is_flag=True, help="Store nothing at all unless every line can be taken.")
@json_option
def ingest(files: tuple[str, ...], format: str | None, session: str | None, strict: bool, as_json: bool) -> None:
    """Log conversations from files, from the files in folders, or from standard input.

    The format is seen from how a file begins: chatgpt and claude, the exports of ChatGPT and Claude (conversations.json, or
    the .zip that it came in); claude-code, the sessions of Claude Code; specstory, SpecStory's Markdown; hermes, the state.db
    of hermes-agent; messages, anything else (docs/import.md).

    A file of messages holds JSON Lines or JSON: messages of the form {"session_id", "role", "content"} with "created_at",
    "peer_id" and "metadata" where they are known, a list of such messages, or objects {"session_id", "messages": [...]}.
    Content may be a list of parts as in OpenAI's chats; parts that are not text are left out and counted. A message without
    "created_at" was said now.

    Telling the same file again adds nothing, and a file that has grown adds what is new. A line that cannot be taken is
    reported with its number; the others are stored, and the exit code is 3.
    """
    if not files and sys.stdin.isatty():
        raise click.UsageError("name a file, or pipe messages in")
    try:
        told = _ingested(_files(files) or [STDIN], format, session, strict)
    except KeyboardInterrupt:
        raise Interrupted(
            "interrupted: what was stored stays; the same command goes on, and adds nothing twice"
        ) from None
    _tell_json(told, strict) if as_json else _tell(told, strict)
    if any(one.refused for one in told):
        click.get_current_context().exit(InputError.exit_code)


@dataclass(frozen=True)
class Source:
    """A file by its path, or one that is open; its size in bytes where that is known, else 0."""

    name: str
    path: Path | None
    file: BinaryIO | None
    size: int

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        """The file, from its beginning."""
        if self.path is not None:
            with self.path.open("rb") as file:
                yield file
        elif self.file is not None:
            yield self.file
            if self.file.seekable():
                self.file.seek(0)


def _files(paths: Sequence[str]) -> list[str]:
    """The files that are named, and those in folders that are, by their endings."""
    found = list[str]()
    for path in paths:
        inside = sorted(str(one) for one in Path(path).rglob("*") if one.suffix in ENDINGS and one.is_file())
        if path != STDIN and Path(path).is_dir() and not inside:
            raise InputError(f"cannot read {path}: no file in it ends in {', '.join(ENDINGS)}; nothing was stored")
        found += inside or [path]
    return found


def _ingested(names: Sequence[str], format: str | None, session: str | None, strict: bool) -> "list[Ingestion]":
    from serving.exchange.ingest import check
    from serving.exchange.ingest import ingest as log

    with ExitStack() as stack:
        sources = [_source(name, stack, again=strict) for name in names]
        if strict:
            checked: list[Ingestion] = []
            for source in sources:
                with source.opened() as file:
                    checked.append(check(file, source.name, session, format))
            if any(one.refused for one in checked):
                return checked
        done: list[Ingestion] = []
        memory = stack.enter_context(opened_memory(create=True))
        for source in sources:
            with source.opened() as file, progress_bar(f"Reading {Path(source.name).name}") as show:
                done.append(log(memory, file, source.name, session, partial(_shown, show, source.size), format))
        return done


def _shown(show: Callable[[int, int], None], size: int, read: int) -> None:
    show(read, size)


def _source(name: str, stack: ExitStack, again: bool) -> Source:
    """The source of that name, which can be read; a pipe that is to be read again is copied first."""
    if name != STDIN:
        return _file(name, again)
    file = sys.stdin.buffer
    return Source("standard input", None, _copy(file, stack) if again and not file.seekable() else file, 0)


def _file(name: str, again: bool) -> Source:
    path = Path(name)
    try:
        with path.open("rb") as file:
            if not again or file.seekable():
                return Source(name, path, None, path.stat().st_size)
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}; nothing was stored") from None
    raise InputError(f"{name} is a pipe, which can be read only once: leave out --strict, or keep it in a file")


def _copy(file: BinaryIO, stack: ExitStack) -> BinaryIO:
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
    shutil.copyfileobj(file, copy)
    copy.seek(0)
    return cast(BinaryIO, copy)


def _tell(told: "Sequence[Ingestion]", strict: bool) -> None:
    for one in told:
        for fault in one.faults[:FAULTS_TOLD]:
            note(f"{one.name}:{fault.where}: {fault.reason}" if fault.where else f"{one.name}: {fault.reason}")
        if one.refused > FAULTS_TOLD:
            note(f"{one.name}: and {one.refused - FAULTS_TOLD} more that cannot be taken")
    if strict and any(one.refused for one in told):
        note("Nothing was stored: mend these, or leave out --strict.")
        return
    for one in told:
        say(f"{one.name}: {_summary(one)}")


def _summary(one: "Ingestion") -> str:
    if one.is_empty:
        return "empty, nothing to log"
    source = "" if one.format in ("", "messages") else f"{one.format}, "
    parts = [f"{source}{counted(one.messages, 'message')}, {one.added} new"]
    parts += [f"{counted(one.refused, 'line')} not taken"] * bool(one.refused)
    parts += [f"{one.without_text} without text left out"] * bool(one.without_text)
    parts += [f"{counted(one.other_parts, 'part')} other than text left out"] * bool(one.other_parts)
    parts += [f"left out: {', '.join(f'{count} × {kind}' for kind, count in one.skipped.items())}"] * bool(one.skipped)
    return "; ".join(parts)


def _tell_json(told: "Sequence[Ingestion]", strict: bool) -> None:
    stored = not (strict and any(one.refused for one in told))
    say_json({"stored": stored, "added": sum(one.added for one in told), "files": list(told)})
