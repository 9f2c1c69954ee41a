"""How a tool answers: a typed result with a text beside it, or a refusal that says what to do."""

from collections.abc import Generator
from contextlib import contextmanager

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from hymem.errors import HyMemError, UnknownError
from serving.cli.printing import harmless

ELSEWHERE = "hymem_augment finds facts by what is asked, and hymem://graph/{entity} lists an entity's"


def told(text: str, result: BaseModel) -> CallToolResult:
    """The result for programs, and the text for models."""
    content = TextContent(type="text", text=text)
    return CallToolResult(content=[content], structured_content=result.model_dump(mode="json"))


@contextmanager
def refusals() -> Generator[None]:
    """Hand on what memory refuses, with its reason, as the tool's own error."""
    try:
        yield
    except HyMemError as error:
        raise ToolError(reason(error)) from error


@contextmanager
def unreadable() -> Generator[None]:
    """The same for resources."""
    try:
        yield
    except UnknownError as error:
        raise ResourceNotFoundError(harmless(str(error))) from error
    except HyMemError as error:
        raise ResourceError(harmless(str(error))) from error


def reason(error: HyMemError) -> str:
    """What went wrong and what to do, in a model's terms."""
    elsewhere = f"; {ELSEWHERE}" if isinstance(error, UnknownError) else ""
    return f"{harmless(str(error))}{elsewhere}"
