"""`hymem completion`: what lets a shell complete the names of commands and options."""

import click

from serving.cli.options import command
from serving.cli.printing import say

SHELLS = ("bash", "zsh", "fish")


@command(
    "hymem completion bash >> ~/.bashrc",
    "hymem completion zsh >> ~/.zshrc",
    "hymem completion fish > ~/.config/fish/completions/hymem.fish",
    workspace=False,
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes commands and options in SHELL.

    Put it where the shell reads it at its start, as below; it holds from the next shell on. Bash must be 4.4 or newer.
    """
    from click.shell_completion import get_completion_class

    completing = get_completion_class(shell)
    if completing is None:  # click knows the three of them
        raise click.UsageError(f"{shell} cannot be completed")
    say(completing(click.get_current_context().find_root().command, {}, "hymem", "_HYMEM_COMPLETE").source())
