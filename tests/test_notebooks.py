"""The notebooks run from top to bottom, with no key, and are stored as they were written: without output."""

import ast
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
FOUND = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


def notebook(name: str) -> nbformat.NotebookNode:
    return nbformat.read(NOTEBOOKS / name, as_version=4)


def code(name: str) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook(name).cells if cell.cell_type == "code"]


def test_there_are_the_six():
    assert [name[0] for name in FOUND] == list("123456")


@pytest.mark.parametrize("name", FOUND)
def test_a_notebook_is_stored_without_output(name: str):
    assert [cell.outputs or cell.execution_count for cell in code(name) if cell.outputs or cell.execution_count] == []


@pytest.mark.parametrize("name", FOUND)
def test_a_notebook_imports_and_defines_nothing(name: str):
    tree = ast.parse("\n".join(cell.source for cell in code(name)))

    assert not any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda) for node in ast.walk(tree))


@pytest.mark.parametrize("name", FOUND)
def test_a_notebook_runs_from_top_to_bottom(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    executed = notebook(name)

    NotebookClient(executed, timeout=100, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()

    assert [out.text for cell in executed.cells for out in cell.get("outputs", []) if out.get("name") == "stderr"] == []
