"""Whose file this is: the workspace's id, with what its clients attached to it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hymem.store.connection import Connection, Row
from hymem.store.messages import json_object


@dataclass(frozen=True)
class WorkspaceRecord:
    """A workspace as its file has it."""

    workspace_id: str
    metadata: Mapping[str, Any]
    configuration: Mapping[str, Any]
    created_at: str

    def told(self) -> tuple[str, str]:
        """Metadata and configuration as JSON."""
        return json_object(self.metadata), json_object(self.configuration)


def workspace_record(row: Row) -> WorkspaceRecord:
    """The record of a row: id, metadata, configuration, time."""
    workspace_id, metadata, configuration, created_at = row
    return WorkspaceRecord(workspace_id, json.loads(metadata), json.loads(configuration), created_at)


def read_workspace(connection: Connection) -> WorkspaceRecord | None:
    """The file's workspace; None where nobody has said whose it is."""
    found = connection.execute("select workspace_id, metadata, configuration, created_at from workspace").fetchall()
    return workspace_record(found[0]) if found else None


def claim_workspace(connection: Connection, workspace_id: str, now: str) -> bool:
    """Say whose file this is, where nobody has; False where it is known."""
    connection.execute(
        "insert or ignore into workspace (one, workspace_id, created_at) values (1, ?, ?)", (workspace_id, now)
    )
    return connection.changes() > 0


def update_workspace(
    connection: Connection, metadata: Mapping[str, Any] | None, configuration: Mapping[str, Any] | None
) -> None:
    """Replace the metadata, and the members of the configuration that are given."""
    if metadata is not None:
        connection.execute("update workspace set metadata = ?", (json_object(metadata),))
    if configuration:
        merged = {**_configuration(connection), **configuration}
        connection.execute("update workspace set configuration = ?", (json_object(merged),))


def _configuration(connection: Connection) -> Mapping[str, Any]:
    found = connection.execute("select configuration from workspace").fetchall()
    return json.loads(found[0][0]) if found else {}
