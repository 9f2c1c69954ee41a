"""The server's own file: the list of workspaces, each with a copy of its record for listing."""

from typing import Final

from hymem.store.connection import Connection
from hymem.store.database import Kind
from hymem.store.pages import Listing, Page, Slice, page
from hymem.store.where import Where
from hymem.store.workspace import WorkspaceRecord, workspace_record

SERVER: Final = Kind(1, 0x48794D53, "server_schema.sql", "server_migrations")  # "HyMS"
FILE: Final = "hymem-server.db"

_LISTING: Final = Listing(
    "w.workspace_id, w.metadata, w.configuration, w.created_at", "workspaces w", ("w.created_at", "w.workspace_id")
)


def note_workspace(connection: Connection, record: WorkspaceRecord, folder: str) -> None:
    """Put a workspace on the list, or bring its entry up to date."""
    connection.execute(
        """
        insert into workspaces (workspace_id, folder, metadata, configuration, created_at)
        values (?, ?, ?, ?, ?)
        on conflict (workspace_id) do update set
          folder = excluded.folder, metadata = excluded.metadata,
          configuration = excluded.configuration, created_at = excluded.created_at
        """,
        (record.workspace_id, folder, *record.told(), record.created_at),
    )


def strike_workspace(connection: Connection, workspace_id: str) -> None:
    """Take a workspace off the list."""
    connection.execute("delete from workspaces where workspace_id = ?", (workspace_id,))


def workspace_folders(connection: Connection) -> dict[str, str]:
    """The folder of every workspace, by its id."""
    return dict(connection.execute("select workspace_id, folder from workspaces").fetchall())


def list_workspaces(connection: Connection, where: Where, asked: Slice) -> tuple[Page, list[WorkspaceRecord]]:
    """A page of the list, the oldest first."""
    found = page(connection, _LISTING, where, asked)
    return found, [workspace_record(row) for row in found.rows]
