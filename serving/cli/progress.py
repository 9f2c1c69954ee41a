"""Progress on long work: a bar on a terminal, beside the output, and nothing elsewhere."""

import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager


@contextmanager
def progress_bar(title: str) -> Generator[Callable[[int, int], None]]:
    """A function that is told how much is done of how much; the bar appears when it is first called."""
    with ExitStack() as stack:
        yield _Bar(title, stack).show if sys.stderr.isatty() else _unseen


def _unseen(done: int, total: int) -> None:
    """Nobody is looking."""


class _Bar:
    def __init__(self, title: str, stack: ExitStack) -> None:
        self.title, self.stack = title, stack
        self.update: Callable[[int, int], None] | None = None

    def show(self, done: int, total: int) -> None:
        if self.update is None:
            self.update = self._begin()
        self.update(done, total)

    def _begin(self) -> Callable[[int, int], None]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        bar = self.stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
        task = bar.add_task(self.title, total=None)
        return lambda done, total: bar.update(task, completed=done, total=total)
