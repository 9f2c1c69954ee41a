"""The checks in their order, and repair before them where it is asked for."""

from collections.abc import Iterator

from hymem.errors import ConfigError, StoreError
from hymem.settings import Settings, read_server_settings, read_settings
from hymem.store.database import Database
from serving.doctor.configuration import configuration
from serving.doctor.dreams import dreams
from serving.doctor.endpoints import endpoints
from serving.doctor.findings import Finding, error_finding
from serving.doctor.packages import packages, vector_library
from serving.doctor.premises import disk, markdown, permissions, remnants
from serving.doctor.repair import repair_database, repair_files
from serving.doctor.soundness import soundness


def examine(root: str | None = None, online: bool = False, repair: bool = False) -> list[Finding]:
    """Look at everything that the environment names, with `root` in place of HYMEM_ROOT.

    `online` asks the models; `repair` puts right what can be put right without losing anything, after a backup.
    """
    try:
        settings = read_settings(root=root)
        read_server_settings(root=root)
    except ConfigError as error:
        return [error_finding("settings", error)]
    return [
        *(repair_files(settings.root) if repair else ()),
        *configuration(settings),
        *packages(),
        vector_library(),
        *_database(settings, repair),
        *markdown(settings.root),
        *permissions(settings.root),
        *remnants(settings.root),
        disk(settings.root),
        *(endpoints(settings) if online else ()),
    ]


def _database(settings: Settings, repair: bool) -> Iterator[Finding]:
    path = settings.database
    if not path.exists() and not path.is_symlink():
        yield Finding("database", "note", f"{path} is not there yet", "`hymem ingest FILE` makes it")
        return
    try:
        database = Database.open(path)
        try:
            if repair:
                yield from repair_database(database)
            yield from soundness(database, settings)
            yield from dreams(database)
        finally:
            database.close()
    except StoreError as error:
        yield error_finding("database", error)
