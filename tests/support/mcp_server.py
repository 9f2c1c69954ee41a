"""The MCP server as a client starts it: the installed command, with an environment that says where and how."""

import os
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-c", "from serving.cli.main import server; server()"]


def environment(root: Path, **more: str) -> dict[str, str]:
    """What the server and its dreams see."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HYMEM_", "DEEPSEEK_"))}
    return {**kept, "HYMEM_ROOT": str(root), "HYMEM_LLM_MODEL": "rules", "PYTHONPATH": str(ROOT), **more}


def started_by_client(root: Path, **more: str) -> StdioServerParameters:
    """How a client starts it over stdio."""
    return StdioServerParameters(command=PROGRAM[0], args=PROGRAM[1:], env=environment(root, **more))


def turn(content: str, role: str = "user") -> dict[str, str]:
    return {"role": role, "content": content}


def text_of(result: CallToolResult) -> str:
    """The readable text of an answer that is no error."""
    assert not result.is_error, result.content[0].text
    return result.content[0].text


def refusal_of(result: CallToolResult) -> str:
    assert result.is_error
    return result.content[0].text


async def captured(client: Client, *said: str, session: str = "monday", **more: Any) -> dict[str, Any]:
    """Log a user's words as a conversation; the structured answer."""
    arguments = {"messages": [turn(words) for words in said], "session_id": session, **more}
    result = await client.call_tool("hymem_capture", arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


def living(session: int) -> list[int]:
    """The processes of a session, by Linux's own count; zombies included."""
    return [int(stat.parent.name) for stat in Path("/proc").glob("[0-9]*/stat") if _session_of(stat) == session]


def _session_of(stat: Path) -> int | None:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[3])
    except (FileNotFoundError, ProcessLookupError):
        return None


async def until(true: Any, seconds: float = 15.0) -> None:
    """Wait until something holds."""
    with anyio.fail_after(seconds):
        while not true():
            await anyio.sleep(0.05)
