"""What a client may read without a tool: the two files, an entity's facts, and a prompt that recalls."""

from typing import TYPE_CHECKING, Any, Final

from anyio.to_thread import run_sync
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp_types import Completion
from pydantic import Field

from serving.mcp import results, telling
from serving.mcp.answers import refusals, unreadable

if TYPE_CHECKING:
    from serving.memory import HyMem

MARKDOWN: Final = "text/markdown"
ENTITY: Final = "hymem://graph/{entity}"
NAMES: Final = 100
"""Names that a completion offers at most, as the protocol has it."""

A_NAME: Final = ResourceSecurity(exempt_params={"entity"})
"""An entity may be called `../x` or `/etc/hosts`: it names a row, never a file."""


class Reading:
    """The resources of one memory, and its prompt."""

    def __init__(self, memory: "HyMem") -> None:
        self.memory = memory

    def register(self, server: MCPServer) -> None:
        """Offer them."""
        for uri, name, description, function in (
            ("hymem://profile", "profile", "USER.md: what the user wants, rejects and prefers", self.profile),
            ("hymem://memory", "memory", "MEMORY.md: what is known of the work", self.insights),
        ):
            server.resource(uri, name=name, description=description, mime_type=MARKDOWN)(function)
        server.resource(
            ENTITY, name="graph", description="The facts about an entity", mime_type="application/json", security=A_NAME
        )(self.graph)
        server.prompt(
            name="recall", title="Recall for a message", description="A message, with what is remembered of it"
        )(self.recall)
        server.completion()(self.completed)

    def profile(self) -> str:
        """USER.md."""
        with unreadable():
            return self.memory.files()[0]

    def insights(self) -> str:
        """MEMORY.md."""
        with unreadable():
            return self.memory.files()[1]

    def graph(self, entity: str) -> str:
        """The entity's facts, as JSON."""
        with unreadable():
            return results.Neighbourhood.of(entity, self.memory.edges_of(entity)).model_dump_json(indent=2)

    def recall(self, message: str = Field(description="The message to recall for.")) -> str:
        """The message, after what is remembered of it."""
        with refusals():
            found = results.Recalled.of(self.memory.augment(message), files=True)
        return f"{telling.recalled(found)}\n\n{message}"

    async def completed(self, ref: Any, argument: Any, context: object) -> Completion | None:
        """The names of entities that begin as the one that is being typed."""
        if getattr(ref, "uri", None) != ENTITY:
            return None
        return await run_sync(self._names, argument.value)

    def _names(self, begun: str) -> Completion:
        entities = [entity.entity for entity in self.memory.entities()]
        found = [name for name in entities if name.casefold().startswith(begun.strip().casefold())]
        return Completion(values=found[:NAMES], total=len(found), has_more=len(found) > NAMES)
