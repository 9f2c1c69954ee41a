"""The connection as the store's functions see it: what APSW offers and they use, with types that say what rows are."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

Row = tuple[Any, ...]
Bindings = Sequence[Any] | Mapping[str, Any]


class Cursor(Protocol):
    """The rows of a statement, to be read once."""

    exec_trace: Any
    """Called with the cursor before each statement, where it is set."""

    def execute(self, statements: str, bindings: Bindings = ()) -> "Cursor":
        """Run statements with bindings."""
        ...

    def __iter__(self) -> Iterator[Row]:
        """Row by row."""
        ...

    def fetchall(self) -> list[Row]:
        """All that are left."""
        ...

    def get_description(self) -> Sequence[Sequence[Any]]:
        """One entry a column, its name first."""
        ...


class Connection(Protocol):
    """A connection within a transaction that `Database` began."""

    def execute(self, statements: str, bindings: Bindings = ()) -> Cursor:
        """Run statements with bindings."""
        ...

    def cursor(self) -> Cursor:
        """A cursor of its own, to be prepared before a statement is run."""
        ...

    def executemany(self, statements: str, sequenceofbindings: Iterable[Bindings]) -> Cursor:
        """Run one statement for each of many bindings."""
        ...

    def pragma(self, name: str, value: Any = None) -> Any:
        """Ask or set a pragma."""
        ...

    def changes(self) -> int:
        """Rows that the last statement changed."""
        ...

    def total_changes(self) -> int:
        """Rows changed since the connection was opened."""
        ...


class OwnConnection(Connection, Protocol):
    """A connection as `Database` holds it: it begins and ends the transactions, and closes it in the end."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    authorizer: Callable[[int, str | None, str | None, str | None, str | None], int] | None
    """Asked about everything that a statement is about to do, where one is set."""

    def create_scalar_function(
        self, name: str, callable: Callable[..., Any] | None, numargs: int = -1, *, deterministic: bool = False
    ) -> None:
        """Give SQL a function of ours."""
        ...

    def set_busy_handler(self, callable: Callable[[int], bool] | None) -> None:
        """Say how long to wait for a lock."""
        ...

    def close(self, force: bool = False) -> None:
        """Close it."""
        ...
