"""`hymem export` and `hymem import`: a workspace into one file, and out of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from serving.cli.options import command, json_option, opened_memory, root_named
from serving.cli.printing import counted, note, say, say_json, say_table
from serving.cli.progress import progress_bar

FORMATS: Final = ("parquet", "json", "graphml")

if TYPE_CHECKING:
    from serving.exchange.moving import Imported


@command(
    "hymem export memory.zip",
    "hymem export --force /mnt/backup/memory.zip",
    "hymem export --format graphml graph.graphml",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(("archive", *FORMATS)),
    default="archive",
    help="The whole memory as an archive, or the graph alone for other programs.",
)
@click.option("--force", is_flag=True, help="Replace a file of that name.")
@json_option
def export(file: Path, form: str, force: bool, as_json: bool) -> None:
    """Write everything that was ever told, and both Markdown files, to an archive that `hymem import` reads anywhere.

    The archive holds the ledger: messages, what models replied, what people said of names and facts; MEMORY.md and USER.md;
    and which models were set, without keys. What was computed from it is computed anew where it is imported. Nothing that was
    erased is in it; all that was not is, secrets in messages too (docs/portability.md).

    With --format parquet, json or graphml it is the graph: every edge with its confidence, counters and status, retracted and
    derived ones too, and the entities. Parquet puts entities into a file of their own beside it.
    """
    if form == "archive":
        _export_archive(file, force, as_json)
    else:
        _export_graph(file, form, force, as_json)


def _export_archive(file: Path, force: bool, as_json: bool) -> None:
    from hymem.settings import read_settings

    settings = read_settings(root=root_named()).without_secrets()
    with opened_memory() as memory, progress_bar("Writing") as show:
        done = memory.export(file, settings=settings, force=force, progress=show)
    if as_json:
        say_json({"file": str(file), "bytes": done.bytes, "rows": dict(done.rows)})
    else:
        say(f"{file}: {counted(done.rows['messages'], 'message')}, {done.bytes:,} bytes")


def _export_graph(file: Path, form: str, force: bool, as_json: bool) -> None:
    with opened_memory() as memory:
        done = memory.export_graph(file, form, force=force)
    if as_json:
        say_json({"file": str(file), **done})
    else:
        say(f"{file}: {counted(done['edges'], 'edge')}, entities: {done['entities']}")


@command(
    "hymem import memory.zip",
    "hymem import --replace memory.zip",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Put it in the place of what is here, after a backup.")
@json_option
def import_(file: Path, replace: bool, as_json: bool) -> None:
    """Add what an archive of `hymem export` holds to this memory, all of it or nothing.

    What is here already is not added again, so importing twice adds nothing. An archive that is damaged, or that contradicts
    what is here, is refused. With --replace, what is here is copied to backups/ first and then given up. The next `hymem dream`
    computes memory from it.

    For chats of other programs, and for messages in JSON, there is `hymem ingest`.
    """
    with opened_memory() as memory, progress_bar("Reading") as show:
        done = memory.import_archive(file, replace=replace, progress=show)
    if as_json:
        say_json(done)
    else:
        _tell(file, done)


def _tell(file: Path, done: "Imported") -> None:
    if done.backup:
        note(f"What was here is in {done.backup}")
    if done.added:
        say_table(("table", "rows added"), sorted(done.added.items()))
    else:
        say(f"{file}: nothing that is not here already")
    for name in done.left:
        note(f"{name} is left as it is; the archive has another one")
    if done.buried:
        note(f"{counted(done.buried, 'message')} of sessions that were deleted here left out")
    told = ", ".join(f"{name}={value}" for name, value in done.settings.items())
    if told:
        note(f"It was made with {told}")
    if done.added:
        note("`hymem dream` computes memory from it.")
