"""What Python finds under our names: HyMem's three packages, and nobody else's; and sqlite-vec."""

import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

from hymem.errors import StoreError
from hymem.store.vec_tables import vec_version
from serving.doctor.findings import Finding

NAMES: Final = ("hymem", "dataflows", "serving")
HOME: Final = Path(__file__).parents[2]
_REMEDY: Final = "uninstall the other, rename it, or give HyMem a virtual environment of its own"


def packages() -> Iterator[Finding]:
    """Other packages or modules of our names that Python might import in place of ours."""
    clashes = [*_other_places(), *_other_distributions()]
    yield from (Finding("import names", "warning", clash, _REMEDY) for clash in clashes)
    if not clashes:
        yield Finding("import names", "ok", f"{', '.join(NAMES)} are HyMem's alone")


def vector_library() -> Finding:
    """Whether sqlite-vec finds a neighbour."""
    try:
        return Finding("sqlite-vec", "ok", vec_version())
    except StoreError as error:
        remedy = "pip install --force-reinstall sqlite-vec; without it, vectors are compared more slowly"
        return Finding("sqlite-vec", "warning", str(error), remedy)


def _other_places() -> Iterator[str]:
    for place in dict.fromkeys(Path(entry).absolute() for entry in sys.path):
        for name in NAMES:
            for found in (place / name / "__init__.py", place / f"{name}.py"):
                if found.is_file() and found.resolve().parents[1] != HOME.resolve():
                    yield f"there is another {name!r}: {found}"


def _other_distributions() -> Iterator[str]:
    owners = packages_distributions()
    for name in NAMES:
        for other in sorted(set(owners.get(name, ())) - {"hymem"}):
            yield f"the distribution {other!r} installs a package {name!r}, too"
