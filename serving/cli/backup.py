"""`hymem backup`: a copy of the database, while everything goes on."""

from pathlib import Path

import click

from serving.cli.options import command, json_option, opened_memory
from serving.cli.printing import say, say_json
from serving.cli.progress import progress_bar


@command(
    "hymem backup hymem-monday.db",
    "hymem backup --force /mnt/backup/hymem.db",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace a file of that name.")
@json_option
def backup(file: Path, force: bool, as_json: bool) -> None:
    """Copy the database to a file, while everything goes on.

    The copy is of one moment, is checked, and takes its name only when it is whole. To restore it, end everything that uses
    this memory, and put the copy in the place of hymem.db (docs/portability.md). MEMORY.md and USER.md are not in it; an
    archive has them (hymem export).
    """
    with opened_memory() as memory, progress_bar("Copying") as show:
        size = memory.backup(file, force=force, progress=show)
    if as_json:
        say_json({"file": str(file), "bytes": size})
    else:
        say(f"{file}: {size:,} bytes, checked")
