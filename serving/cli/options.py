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


class Words(click.ParamType):
    """Text from the command line, without the bytes that no database can hold."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as it can be stored."""
        from hymem.store.messages import storable

        return storable(str(value))


WORDS: Final = Words()


def command(*lines: str) -> Callable[[Callable[..., Any]], click.Command]:
    """A command with `--root` and, in its help, these examples."""
    return lambda function: click.command(cls=Guarded, epilog=examples(*lines))(root_option(function))


def examples(*lines: str, title: str = "") -> str:
    """An epilog with examples, which click is asked not to wrap."""
    heading = title or ("Example" if len(lines) == 1 else "Examples")
    return "\n".join(["\b", f"{heading}:", *(f"  {line}" for line in lines)])


def root_option(function: Decorated) -> Decorated:
    """`--root`, before or after the command's name."""
    option = click.option(
        "--root",
        metavar="FOLDER",
        expose_value=False,
        callback=_keep_root,
        help="Where memory lives, in place of HYMEM_ROOT.",
    )
    return option(function)


json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


as_of_option: Final = click.option(
    "--as-of",
    metavar="DATE",
    type=Words(),
    help="As it stood at the end of that day (UTC), or at a moment such as 2025-03-01T09:30Z.",
)


def root_named() -> str | None:
    """What `--root` said."""
    return click.get_current_context().meta.get(ROOT)


@contextmanager
def opened_memory(need_llm: bool = False, as_of: str | None = None) -> "Generator[HyMem]":
    """The memory that the environment and `--root` name, for the length of a block; or how it stood as of a moment."""
    from hymem.models.chat import close_client
    from serving.environment import build_from_env

    with build_from_env(need_llm=need_llm, root=root_named()) as memory:
        try:
            with nullcontext(memory) if as_of is None else memory.view(as_of=as_of) as it:
                yield it
        finally:
            close_client(memory.llm)


def _keep_root(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is None:
        return
    if not value.strip():
        raise click.BadParameter("name a folder")
    context.meta[ROOT] = value
