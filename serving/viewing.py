"""Building a view of memory: here, or in a child process for those who must not load what dreams need.

    python -m serving.viewing < order.json

is what the child is: it reads an order, fills the folder that the order names, and says nothing, or why it could not.
"""

import json
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hymem import errors
from hymem.config import HyMemConfig
from hymem.errors import HyMemError, StoreError
from hymem.memory_files import write_memory_files
from hymem.settings import DATABASE
from hymem.store.database import Database
from hymem.store.part import Part, Viewpoint

if TYPE_CHECKING:
    from serving.memory import HyMem


def build(memory: "HyMem", folder: Path, viewpoint: Viewpoint) -> None:
    """Write a view of this memory into an empty folder: a database and both Markdown files."""
    with closing(Database.open(folder / DATABASE)) as scratch:
        sections = memory.remember_part(scratch, viewpoint)
    write_memory_files(folder, sections)


def build_in_child(memory: "HyMem", folder: Path, viewpoint: Viewpoint) -> None:
    """The same in a process of its own; raises what was raised there."""
    order = {"root": str(memory.root.absolute()), "folder": str(folder), **asdict(viewpoint)}
    child = subprocess.run(
        [sys.executable, "-P", "-m", "serving.viewing"],
        input=json.dumps(order),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if child.returncode:
        raise _told(child.stdout, child.stderr)


def carry_out(order: dict[str, Any]) -> None:
    """Fill the folder that an order names."""
    from serving.memory import HyMem

    part = order["part"]
    sessions = None if part["sessions"] is None else tuple(part["sessions"])
    viewpoint = Viewpoint(
        Part(part["as_of"], sessions, tuple(part["without"]), part["heard_by"]),
        HyMemConfig(**order["config"]),
        order["model"],
        order["now"],
    )
    with HyMem(order["root"]) as memory:
        build(memory, Path(order["folder"]), viewpoint)


def _told(output: str, trouble: str) -> HyMemError:
    """The child's error; one that it did not foresee is told by the last line of its trace."""
    try:
        name, message = json.loads(output)
        return getattr(errors, name)(message)
    except ValueError:
        last = trouble.strip().rpartition("\n")[2]
        return StoreError(f"the view could not be built: {last or 'its process was killed'}")


def main() -> int:
    """The child."""
    try:
        carry_out(json.load(sys.stdin))
    except HyMemError as error:
        json.dump([type(error).__name__, str(error)], sys.stdout)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
