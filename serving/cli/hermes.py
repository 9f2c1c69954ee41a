"""`hymem hermes`: HyMem as the memory of hermes-agent. Each subcommand has a module, loaded when it is asked for."""

from importlib import import_module
from typing import Final

import click

from serving.cli.guard import Guarded
from serving.cli.options import examples, root_option

SUBCOMMANDS: Final = {
    "install": "hermes_plugin",
    "uninstall": "hermes_plugin",
    "status": "hermes_plugin",
    "backfill": "hermes_backfill",
    "import-holographic": "hermes_import",
}
"""Each subcommand's module."""


class HermesCommands(Guarded, click.Group):
    """The subcommands, by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of that name, loaded now."""
        module = SUBCOMMANDS.get(cmd_name)
        return getattr(import_module(f"serving.cli.{module}"), cmd_name.replace("-", "_")) if module else None


@click.group(
    cls=HermesCommands, epilog=examples("hymem hermes install", "hymem hermes backfill", "hymem hermes status")
)
@root_option
def hermes() -> None:
    """Be the memory of hermes-agent."""
