"""What the commands share: where memory lives, `--json`, examples in every help page, and arguments that can be stored."""

from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from serving.cli.guard import Guarded

if TYPE_CHECKING:
    from serving.memory import HyMem

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

ROOT: Final = "hymem.root"
"""Where the context keeps what `--root` said."""

WORKSPACE: Final = "hymem.workspace"
"""And what `--workspace` said."""


class Words(click.ParamType):
    """Text from the command line, without the bytes that no database can hold."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as it can be stored."""
        from hymem.store.messages import storable

        return storable(str(value))


WORDS: Final = Words()


def command(*lines: str, workspace: bool = True) -> Callable[[Callable[..., Any]], click.Command]:
    """A command with `--root`, with `--workspace` unless it serves all of them, and, in its help, these examples."""
    reach = where_options if workspace else root_option
    return lambda function: click.command(cls=Guarded, epilog=examples(*lines))(reach(function))


def examples(*lines: str, title: str = "") -> str:
    """An epilog with examples, which click is asked not to wrap."""
    heading = title or ("Example" if len(lines) == 1 else "Examples")
    return "\n".join(["\b", f"{heading}:", *(f"  {line}" for line in lines)])


def root_option(function: Decorated) -> Decorated:
    """`--root`, before or after the command's name."""
    return _kept("--root", ROOT, "FOLDER", "Where memory lives, in place of HYMEM_ROOT.", "name a folder")(function)


def where_options(function: Decorated) -> Decorated:
    """`--root` and `--workspace`, before or after the command's name."""
    told = "One of the memories below the root, each apart from the others; `default` unless it is named."
    return root_option(_kept("--workspace", WORKSPACE, "ID", told, "name a workspace")(function))


json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


as_of_option: Final = click.option(
    "--as-of",
    metavar="DATE",
    type=Words(),
    help="As it stood at the end of that day (UTC), or at a moment such as 2025-03-01T09:30Z.",
)


def root_named(create: bool = False) -> str | None:
    """The folder that `--root` and `--workspace` name; None where neither does.

    Raises `UnknownError` where there is no such workspace, unless it is to be made.
    """
    told = click.get_current_context().meta
    root, workspace = told.get(ROOT), told.get(WORKSPACE)
    if workspace is None:
        return root
    from hymem.settings import read_environment
    from serving.workspaces import workspace_folder

    return str(workspace_folder(read_environment(root=root).root, workspace, create))


def root_of_all(serves: str) -> str | None:
    """The root, for what `serves` all workspaces; raises `UsageError` where one was named."""
    told = click.get_current_context().meta
    if WORKSPACE in told:
        raise click.UsageError(f"{serves} serves all workspaces: leave --workspace out")
    return told.get(ROOT)


def workspace_named() -> str | None:
    """What `--workspace` said."""
    return click.get_current_context().meta.get(WORKSPACE)


@contextmanager
def opened_memory(need_llm: bool = False, as_of: str | None = None, create: bool = False) -> "Generator[HyMem]":
    """The memory that the environment, `--root` and `--workspace` name, for the length of a block; or as of a moment.

    `create` makes the workspace where there is none.
    """
    from hymem.models.chat import close_client
    from serving.environment import build_from_env

    with build_from_env(need_llm=need_llm, root=root_named(create)) as memory:
        try:
            with nullcontext(memory) if as_of is None else memory.view(as_of=as_of) as it:
                yield it
        finally:
            close_client(memory.llm)


def _kept(name: str, key: str, metavar: str, told: str, fault: str) -> Callable[[Decorated], Decorated]:
    """An option whose value stands in the context, wherever among the commands it was written."""

    def keep(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is None:
            return
        if not value.strip():
            raise click.BadParameter(fault)
        context.meta[key] = value

    return click.option(name, metavar=metavar, expose_value=False, callback=keep, help=told)
