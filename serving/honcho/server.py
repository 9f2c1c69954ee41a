"""The Honcho server as a whole: the application behind its doorkeeper, with dreams, webhooks and figures beside it."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hymem.errors import InputError, UnknownError
from hymem.settings import ServerSettings
from hymem.store.session_peers import attention
from hymem.store.webhooks import webhooks
from serving.honcho.app import TolerantPaths, create_app
from serving.honcho.courier import Courier, Event
from serving.honcho.doorkeeper import Doorkeeper
from serving.honcho.routers import dreams, keys, operations
from serving.honcho.routers import webhooks as webhook_routes
from serving.honcho.telemetry import Figures, Telemetry
from serving.page.adding import add_page
from serving.scheduler import COMMAND, DreamStatus, Scheduler
from serving.workspaces import Workspaces

QUEUE_EMPTY: Final = "queue.empty"
TEST_EVENT: Final = "test.event"

_IN_WORKSPACE: Final = re.compile(r"/v3/workspaces/(?P<workspace>[^/]+)(?P<rest>/.*)?")
_TELLS: Final = re.compile(r"/sessions/[^/]+/(messages(/upload)?|clone)|/conclusions")


class HonchoServer:
    """Everything that belongs to a running server but the socket; `app` is what an ASGI server serves, `api` its routes.

    The caller closes it, and the workspaces after it. `environment` takes the place of this process's for dreams,
    and `dream_command` that of `hymem dream`.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        settings: ServerSettings,
        *,
        environment: Mapping[str, str] | None = None,
        dream_command: Sequence[str] = COMMAND,
    ) -> None:
        self.workspaces, self.settings = workspaces, settings
        self.courier = Courier(settings.webhook_secret, local=settings.local_webhooks)
        self.scheduler = Scheduler(
            cooldown_seconds=settings.dream_cooldown_seconds,
            command=dream_command,
            environment=environment,
            on_end=self._dream_ended,
        )
        self.figures = Figures(self._present_figures)
        self._names: dict[Path, str] = {}
        self.api = create_app(workspaces)
        self.api.state.server = self
        for noun in (keys, webhook_routes, dreams):
            self.api.include_router(noun.router, prefix="/v3")
        self.api.include_router(operations.router)
        self.page = add_page(self.api, workspaces)
        dreaming = DreamStarter(self.api, self)
        guarded = Doorkeeper(dreaming, secret=settings.auth_secret, is_member=self._is_member, clock=workspaces.clock)
        self.app: ASGIApp = TolerantPaths(Telemetry(guarded, self.figures))

    def close(self) -> None:
        """End the dreams, which keep what they have, and deliver nothing more."""
        self.scheduler.close()
        self.courier.close()
        self.page.close()

    def kick(self, workspace_id: str, *, at_once: bool = False) -> None:
        """Say that there is something to dream about in a workspace."""
        folder = self.workspaces.folder(workspace_id)
        self._names[folder] = workspace_id
        self.scheduler.kick(folder, at_once=at_once)

    def resume(self) -> None:
        """Dream where messages wait since an earlier life of the server; looks through the workspaces in the background."""
        self.courier.call(self._kick_where_messages_wait)

    def dream_status(self, workspace_id: str) -> DreamStatus:
        """How a workspace's dreams go."""
        return self.scheduler.status(self.workspaces.folder(workspace_id))

    def forget(self, workspace_id: str) -> None:
        """Let a workspace dream no more, since it is to be deleted; one that is not there does not."""
        if not self.workspaces.has(workspace_id):
            return
        self.scheduler.forget(self.workspaces.folder(workspace_id))

    def announce(self, workspace_id: str, kind: str, data: Mapping[str, object]) -> None:
        """Tell a workspace's webhooks of an event."""
        with self.workspaces.use(workspace_id) as memory, memory.reading() as connection:
            urls = [webhook.url for webhook in webhooks(connection)]
        told = {"workspace_id": workspace_id, **data}
        self.courier.deliver(urls, Event(kind, told, self.workspaces.clock()))

    def _dream_ended(self, root: Path, status: DreamStatus) -> None:
        self.figures.dreams.labels(str(status.last.get("outcome", "done")) if status.ok else "failed").inc()
        workspace_id = self._names.get(root)
        if workspace_id is not None and status.ok and status.last.get("run_id"):
            self.courier.call(lambda: self._announce_rest(workspace_id))

    def _announce_rest(self, workspace_id: str) -> None:
        try:
            with self.workspaces.use(workspace_id) as memory:
                waiting = sum(each.pending + each.in_progress for each in memory.backlogs())
            if not waiting:
                self.announce(workspace_id, QUEUE_EMPTY, {"queue_type": "dream"})
        except UnknownError:  # deleted meanwhile
            return

    def _kick_where_messages_wait(self) -> None:
        for workspace_id in self.workspaces.names():
            try:
                with self.workspaces.use(workspace_id) as memory:
                    waiting = any(each.pending for each in memory.backlogs())
            except UnknownError:  # deleted meanwhile
                continue
            if waiting:
                self.kick(workspace_id)

    def _is_member(self, workspace_id: str, session_id: str, peer_id: str) -> bool:
        try:
            with self.workspaces.use(workspace_id) as memory, memory.reading() as connection:
                return attention(connection, session_id, peer_id) is not None
        except InputError:
            return False

    def _present_figures(self) -> dict[str, tuple[str, float]]:
        statuses = self.scheduler.statuses()
        waiting = 0
        for root in statuses:
            try:
                with self.workspaces.use(self._names[root]) as memory:
                    waiting += sum(each.pending for each in memory.backlogs())
            except UnknownError:
                continue
        told = list(statuses.values())
        return {
            "hymem_queue_messages": ("Messages waiting to be dreamt over, where something was said.", waiting),
            "hymem_dreaming": ("Dreams under way.", sum(status.state == "dreaming" for status in told)),
            "hymem_dreams_due": ("Dreams that are due or rest after a failure.", sum(s.state == "due" for s in told)),
            "hymem_dreams_failing": ("Workspaces whose last dream failed.", sum(not status.ok for status in told)),
            "hymem_webhooks_delivered": ("Events delivered to webhooks.", self.courier.delivered),
            "hymem_webhooks_failed": ("Events that no webhook took.", self.courier.failed),
        }


@dataclass
class DreamStarter:
    """ASGI middleware: what was told or taken back is dreamt about, and a workspace that goes dreams no more."""

    app: ASGIApp
    server: HonchoServer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and look at how it ended."""
        found = _IN_WORKSPACE.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if found is None or not _changes(scope["method"], found["rest"]):
            await self.app(scope, receive, send)
            return
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        if not found["rest"]:
            await asyncio.to_thread(self.server.forget, found["workspace"])
        await self.app(scope, receive, sending)
        if (200 <= status < 300) == bool(found["rest"]) and status != 404:
            self.server.kick(found["workspace"])


def _changes(method: str, rest: str | None) -> bool:
    return method == "DELETE" or (method == "POST" and _TELLS.fullmatch(rest or "") is not None)
