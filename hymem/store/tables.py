"""Tables as they are stored: which there are, and all rows of one, for whoever wants to look at everything."""

from typing import Any

from hymem.store.connection import Connection


def table_names(connection: Connection) -> list[str]:
    """All tables but those that only serve an index, by name."""
    found = connection.execute(
        """
        select name
        from pragma_table_list
        where schema = 'main' and type = 'table' and name not like 'sqlite!_%' escape '!'
        order by name
        """
    )
    return [name for (name,) in found]


def stored_rows(connection: Connection, table: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns of one of `table_names`, and its rows in the order of its key."""
    columns = [name for (name,) in connection.execute("select name from pragma_table_info(?)", (table,))]
    return columns, connection.execute(f'select * from "{table}"').fetchall()
