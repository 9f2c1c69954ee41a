"""`hymem serve`: the servers, each in a module of its own, which is loaded when it is asked for."""

from importlib import import_module
from typing import Final

import click

from serving.cli.guard import Guarded
from serving.cli.options import examples, where_options

SERVERS: Final = {"honcho": "serve_honcho", "mcp": "serve_mcp", "ui": "serve_ui", "token": "serve_token"}
"""Each server's module, and that of the tokens which open them."""


class Servers(Guarded, click.Group):
    """The servers, by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(SERVERS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The server of that name, loaded now."""
        module = SERVERS.get(cmd_name)
        return getattr(import_module(f"serving.cli.{module}"), cmd_name) if module else None


@click.group(
    cls=Servers, epilog=examples("hymem serve honcho", "hymem serve mcp", "hymem serve mcp --http", "hymem serve ui")
)
@where_options
def serve() -> None:
    """Serve memory to other programs."""
