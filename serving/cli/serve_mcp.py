"""`hymem serve mcp`, and `hymem-server`: memory for clients of the Model Context Protocol."""

from importlib.util import find_spec
from types import ModuleType

import click

from hymem.errors import ConfigError
from hymem.settings import read_server_settings
from serving.cli.options import command, opened_memory, root_named
from serving.cli.printing import note


@command(
    "hymem serve mcp",
    "HYMEM_LLM_MODEL=rules hymem serve mcp",
    "hymem serve mcp --http --port 8766",
    "hymem serve mcp --workspace team",
)
@click.option("--http", is_flag=True, help="Serve streamable HTTP, in place of standard input and output.")
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Where HTTP is served.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=8766, show_default=True, help="At which port."
)
def mcp(http: bool, host: str, port: int) -> None:
    """Serve memory to a client of the Model Context Protocol.

    The client starts this command by itself and speaks with it over standard input and output; docs/mcp.md has the
    configuration of the usual clients. Any number of them may use one memory at once, each with a server of its own. With
    --http one server is shared; its address is http://127.0.0.1:8766/mcp. With HYMEM_HONCHO_AUTH_SECRET set it asks for an
    admin's token.

    Without a key for the language model, and without HYMEM_LLM_MODEL=rules, the server does not start.
    """
    transports = _transports()
    with opened_memory(need_llm=True, create=True) as memory:
        if http:
            note(f"Serving MCP at http://{host}:{port}{transports.PATH}; Ctrl-C ends it.")
            transports.serve_http(memory, host, port, read_server_settings(root=root_named()).auth_secret)
        else:
            transports.serve_stdio(memory)


def _transports() -> ModuleType:
    if find_spec("mcp") is None:
        raise ConfigError("the MCP server needs its extra: pip install 'hymem[server]'")
    from serving.mcp import transports

    return transports
