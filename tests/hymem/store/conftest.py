from collections.abc import Iterator
from pathlib import Path

import pytest

from hymem.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty memory on disk."""
    opened = Database.open(tmp_path / "hymem.db")
    yield opened
    opened.close()
