"""Conversations from before: hermes-agent's `state.db`, into the memories in which the provider looks.

What was said on the command line, and by the profile's owners, comes into the profile's own memory; what a gateway's user said
comes into that user's workspace, and nowhere else. Messages that the provider has kept already are known by their ids, and so are
those that people had forgotten since, which do not come back.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from hymem.errors import InputError
from hymem.store.hermes_state import AgentSession, hermes_state
from hymem.store.messages import forgotten
from serving.environment import build_from_env
from serving.exchange.documents import Found
from serving.exchange.hermes import found_at
from serving.exchange.ingest import Ingestion, ingest_found
from serving.hermes.configuration import read_configuration
from serving.hermes.people import workspace_of
from serving.memory import HyMem
from serving.workspaces import workspace_folder

STATE: Final = "state.db"
FORGOTTEN: Final = "forgotten message"


def backfill(home: Path, state: Path | None = None) -> Iterator[tuple[str, Ingestion]]:
    """Take the sessions of a profile over, workspace by workspace; what became of each. Doing it again adds what is new.

    Raises `InputError` where there is no `state.db`, or it is none of hermes's.
    """
    file, configuration = state or home / STATE, read_configuration(home)
    if not file.is_file():
        raise InputError(f"there is no {file}: hermes keeps its sessions there; name another with --state")

    def workspace(session: AgentSession) -> str:
        return workspace_of(session.platform or "cli", session.user_id, configuration)

    with hermes_state(file) as held:
        found = list(dict.fromkeys(workspace(session) for session in held.sessions()))
    for name in found:
        with build_from_env(need_llm=False, root=str(workspace_folder(home, name, create=True))) as memory:
            messages = found_at(
                file, lambda _: None, lambda session, name=name: workspace(session) == name, memory.stored_form
            )
            known = (_unless_forgotten(memory, each) for each in messages)
            yield name, ingest_found(memory, known, Ingestion(str(file), format="hermes"))


def _unless_forgotten(memory: HyMem, found: Found) -> Found:
    if not isinstance(found.value, dict):
        return found
    with memory.reading() as connection:
        gone = forgotten(connection, [str(cast("dict[str, Any]", found.value)["message_id"])])
    return found._replace(value=None, skipped=FORGOTTEN) if gone else found
