"""`hymem ingest`: conversations from files, or from standard input."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from hymem.errors import InputError
from serving.cli.guard import Interrupted
from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import counted, note, say, say_json
from serving.cli.progress import progress_bar

if TYPE_CHECKING:
    from serving.exchange.ingest import Ingestion

STDIN: Final = "-"
FAULTS_TOLD: Final = 20
"""Faults of one file that are printed; `--json` has more of them."""


@command(
    "hymem ingest monday.jsonl tuesday.jsonl",
    "hymem ingest --session support-42 export.json",
    "jq -c '.[]' log.json | hymem ingest -",
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--session", metavar="ID", type=WORDS, help="The session of messages that name none.")
@click.option("--strict", is_flag=True, help="Store nothing at all unless every line can be taken.")
@json_option
def ingest(files: tuple[str, ...], session: str | None, strict: bool, as_json: bool) -> None:
    """Log conversations from FILEs, or from standard input.

    A FILE holds JSON Lines or JSON: messages of the form {"session_id", "role", "content"} with "created_at", "peer_id" and
    "metadata" where they are known, a list of such messages, or objects {"session_id", "messages": [...]}. Content may be
    a list of parts as in OpenAI's chats; parts that are not text are left out and counted. A message without
    "created_at" was said now.

    Telling the same file again adds nothing, and a file that has grown adds what is new. A line that cannot be taken is
    reported with its number; the others are stored, and the exit code is 3.
    """
    if not files and sys.stdin.isatty():
        raise click.UsageError("name a file, or pipe messages in")
    try:
        told = _ingested(files or (STDIN,), session, strict)
    except KeyboardInterrupt:
        raise Interrupted(
            "interrupted: what was stored stays; the same command goes on, and adds nothing twice"
        ) from None
    _tell_json(told, strict) if as_json else _tell(told, strict)
    if any(one.refused for one in told):
        click.get_current_context().exit(InputError.exit_code)


@dataclass(frozen=True)
class Source:
    """A file that is open for reading; its size in bytes where that is known, else 0."""

    name: str
    file: BinaryIO
    size: int


def _ingested(names: Sequence[str], session: str | None, strict: bool) -> "list[Ingestion]":
    from serving.exchange.ingest import check
    from serving.exchange.ingest import ingest as log

    with ExitStack() as stack:
        sources = [_source(name, stack, again=strict) for name in names]
        if strict:
            checked = [check(source.file, source.name, session) for source in sources]
            if any(one.refused for one in checked):
                return checked
            for source in sources:
                source.file.seek(0)
        with opened_memory() as memory:
            return [log(memory, s.file, s.name, session, show) for s in sources for show in _watched(s)]


def _source(name: str, stack: ExitStack, again: bool) -> Source:
    """The source of that name; what is to be read again and cannot be (a pipe) is copied first."""
    if name == STDIN:
        source = Source("standard input", sys.stdin.buffer, 0)
    else:
        source = _file(name, stack)
    if not again or source.file.seekable():
        return source
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
    shutil.copyfileobj(source.file, copy)
    copy.seek(0)
    return Source(source.name, copy, source.size)


def _file(name: str, stack: ExitStack) -> Source:
    try:
        return Source(name, stack.enter_context(Path(name).open("rb")), Path(name).stat().st_size)
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}; nothing was stored") from None


def _watched(source: Source) -> Iterator[Callable[[int], None]]:
    """Once, what shows how much of a source is behind."""
    with progress_bar(f"Reading {Path(source.name).name}") as show:
        yield lambda read: show(read, source.size)


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
    parts = [f"{counted(one.messages, 'message')}, {one.added} new"]
    parts += [f"{counted(one.refused, 'line')} not taken"] * bool(one.refused)
    parts += [f"{one.without_text} without text left out"] * bool(one.without_text)
    parts += [f"{counted(one.other_parts, 'part')} other than text left out"] * bool(one.other_parts)
    return "; ".join(parts)


def _tell_json(told: "Sequence[Ingestion]", strict: bool) -> None:
    stored = not (strict and any(one.refused for one in told))
    say_json({"stored": stored, "added": sum(one.added for one in told), "files": list(told)})
