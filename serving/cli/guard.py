"""How a command ends: with an exit code that says what went wrong, and never with a traceback for what a user can mend."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any, Final, NoReturn

import click

from hymem.errors import HyMemError
from serving.cli.printing import harmless

INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
OUTPUT_FAILED: Final = 1


class Interrupted(click.ClickException):
    """Ctrl-C, with a word on what is kept."""

    exit_code = INTERRUPTED

    def show(self, file: Any = None) -> None:
        """Say it plainly: nothing went wrong."""
        click.echo(self.message, err=True)


class Guarded(click.Command):
    """A command that knows how to fail."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Run, and exit with the code that `docs/cli.md` lists."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character is no reason to fail
                stream.reconfigure(errors="backslashreplace")
        sys.exit(self._status(args, prog_name, {**extra, "standalone_mode": False}))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader who has seen enough ends it quietly."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.exceptions.Exit(_silenced()) from None

    def _status(self, args: Sequence[str] | None, prog_name: str | None, extra: dict[str, Any]) -> int:
        try:
            status = super().main(args, prog_name, **extra)
            return _flushed(status if isinstance(status, int) else 0)
        except HyMemError as error:
            click.echo(f"error: {harmless(str(error))}", err=True)
            return error.exit_code
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except click.Abort:
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except OSError as error:
            return _output_failed(error)


def _flushed(status: int) -> int:
    """The status, once the output is where it should be."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return _silenced()
    except OSError as error:
        return _output_failed(error)
    return status


def _output_failed(error: OSError) -> int:
    """Of all that reaches outside, output alone is not guarded by those who do it; so it names no file."""
    if error.filename is not None:
        raise error
    _silenced()
    click.echo(f"error: the output cannot be written: {error.strerror}", err=True)
    return OUTPUT_FAILED


def _silenced() -> int:
    """Let nothing more be written to a closed pipe, not even at the interpreter's end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED
