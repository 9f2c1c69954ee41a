"""The text of the managed Markdown sections, as the last dream made it."""

from hymem.store.connection import Connection


def sections(connection: Connection) -> dict[str, str]:
    """The body of each section by its name; empty before the first dream."""
    return dict(connection.execute("select section, body from markdown_sections order by section").fetchall())
