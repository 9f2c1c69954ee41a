"""`hymem`: memory from the command line. Each command has a module of its own, which is loaded when it is asked for."""

from importlib import import_module
from keyword import iskeyword
from typing import Final

import click

import hymem as package
from serving.cli.guard import Guarded
from serving.cli.options import examples, where_options

MODULES: Final = {
    "ingest": "ingest",
    "dream": "dream",
    "show": "show",
    "augment": "augment",
    "search": "search",
    "remember": "remember",
    "why": "why",
    "explain": "explain",
    "conflicts": "conflicts",
    "what-came-of": "came_of",
    "diff": "diff",
    "retract": "correct",
    "restore": "correct",
    "alias": "correct",
    "merge": "correct",
    "runs": "runs",
    "lineage": "lineage",
    "undo": "undo",
    "forget": "forget",
    "export": "archive",
    "import": "archive",
    "backup": "backup",
    "reembed": "reembed",
    "audit": "audit",
    "config": "config",
    "doctor": "doctor",
    "serve": "serve",
    "hermes": "hermes",
    "completion": "completion",
}
"""Each command's module, in the order of a first visit."""


class Commands(Guarded, click.Group):
    """The commands, by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of a first visit."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, loaded now."""
        module = MODULES.get(cmd_name)
        return _command_in(module, cmd_name) if module else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names; near names are told where there is none."""
        if args[0] not in MODULES:
            from difflib import get_close_matches

            if near := get_close_matches(args[0], MODULES, 1):
                ctx.fail(f"there is no command {args[0]!r}; did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)


def _command_in(module: str, name: str) -> click.Command:
    function = name.replace("-", "_")
    return getattr(import_module(f"serving.cli.{module}"), f"{function}_" if iskeyword(function) else function)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        "hymem ingest chat.jsonl            tell it what was said",
        "hymem dream                        learn from it",
        'hymem augment "What do we deploy?" ask what is remembered, and why',
        title="A first visit",
    ),
)
@where_options
@click.version_option(package.__version__, prog_name="hymem")
def hymem() -> None:
    """A local, explainable memory for AI agents: one SQLite file and two Markdown files."""


def run() -> None:
    """The command `hymem`."""
    hymem.main(prog_name="hymem")


def doctor() -> None:
    """The command `hymem-doctor`."""
    from serving.cli.doctor import doctor as command

    command.main(prog_name="hymem-doctor")


def server() -> None:
    """The command `hymem-server`."""
    from serving.cli.serve_mcp import mcp as command

    command.main(prog_name="hymem-server")


def honcho() -> None:
    """The command `hymem-honcho`."""
    from serving.cli.serve_honcho import honcho as command

    command.main(prog_name="hymem-honcho")
