"""The text of the managed Markdown sections, as the last dream made it."""

from hymem.store.connection import Connection
from hymem.store.database import Database


def sections(connection: Connection) -> dict[str, str]:
    """The body of each section by its name; empty before the first dream."""
    return dict(connection.execute("select section, body from markdown_sections order by section").fetchall())


def section_body(database: Database, section: str) -> str:
    """The body of one section as it is now; empty where there is none."""
    found = database.rows("select body from markdown_sections where section = ?", (section,))
    return str(found[0][0]) if found else ""
