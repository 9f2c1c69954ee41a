"""The arrows: which package may know which, and what none but one of them may touch."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("hymem", "dataflows", "serving")
FRAMES = {"pandas", "pyarrow", "hamilton"}
FRONTS = {"fastapi", "starlette", "uvicorn", "mcp", "click", "rich"}

NOT_NODES = {
    "dataflows/amending.py",
    "dataflows/dreaming.py",
    "dataflows/driver.py",
    "dataflows/lineage.py",
    "dataflows/workers.py",
}
"""What builds the driver and watches it; everything else in dataflows is nodes, and what nodes share."""

OUTSIDE_WORLD = {
    "apsw",
    "io",
    "os",
    "pathlib",
    "random",
    "secrets",
    "shutil",
    "socket",
    "subprocess",
    "tempfile",
    "time",
}
IMPURE_CALLS = {"open", "input", "now", "utcnow", "today", "read_text", "write_text", "read_bytes", "write_bytes"}

STATEMENT = re.compile(
    r"\s*(select\s.+\sfrom\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s|"
    r"create\s+(virtual\s+|temp\s+)?(table|index|trigger|view)\s|drop\s+table\s|alter\s+table\s|pragma\s)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Import:
    """One name that a file imports, and where: at `module` level, for `typing` only, or in the function named."""

    file: str
    name: str
    where: str

    @property
    def root(self) -> str:
        return self.name.partition(".")[0]


class ImportFinder(ast.NodeVisitor):
    def __init__(self, file: str) -> None:
        self.file, self.where, self.found = file, "module", list[Import]()

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.note(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        around = Path(self.file).parts[: -node.level] if node.level else ()
        base = ".".join([*around, *([node.module] if node.module else [])])
        for alias in node.names:
            self.note(f"{base}.{alias.name}")

    def visit_Call(self, node: ast.Call) -> None:
        asks = ast.unparse(node.func).rpartition(".")[2] in {"import_module", "__import__"}
        if asks and node.args and isinstance(node.args[0], ast.Constant):
            self.note(str(node.args[0].value))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.visit_within(node.name, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_If(self, node: ast.If) -> None:
        guarded = ast.unparse(node.test).endswith("TYPE_CHECKING")
        self.visit_within("typing" if guarded else self.where, node.body)
        self.visit_within(self.where, node.orelse)

    def visit_within(self, where: str, body: list[ast.stmt]) -> None:
        outer, self.where = self.where, where
        for statement in body:
            self.visit(statement)
        self.where = outer

    def note(self, name: str) -> None:
        self.found.append(Import(self.file, name, self.where))


def imports_in(source: str, file: str) -> list[Import]:
    finder = ImportFinder(file)
    finder.visit(ast.parse(source, file))
    return finder.found


def modules(*folders: str) -> Iterator[tuple[str, str]]:
    """Path, as the repository says it, and source of every Python file in these folders."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def imports(*folders: str) -> list[Import]:
    return [found for file, source in modules(*folders) for found in imports_in(source, file)]


def test_an_import_is_found_wherever_it_hides():
    source = """
if TYPE_CHECKING:
    import pandas as pd
def lineage():
    from .memory import HyMem
    import_module("dataflows.lineage")
"""

    assert imports_in(source, "serving/web.py") == [
        Import("serving/web.py", "pandas", "typing"),
        Import("serving/web.py", "serving.memory.HyMem", "lineage"),
        Import("serving/web.py", "dataflows.lineage", "lineage"),
    ]


def test_hymem_knows_neither_dataflows_nor_serving():
    upward = [found for found in imports("hymem") if found.root in {"dataflows", "serving"}]

    assert [found for found in upward if not hands_on_the_facade(found)] == []


def hands_on_the_facade(found: Import) -> bool:
    """`hymem/__init__.py` gives out `HyMem` and `build_from_env` when asked for them, and not before."""
    return (
        found.file == "hymem/__init__.py"
        and found.name.startswith(("serving.memory", "serving.environment"))
        and found.where in {"__getattr__", "typing"}
    )


def test_hymem_knows_neither_frames_nor_fronts():
    assert [
        found
        for found in imports("hymem")
        if found.root in FRONTS or (found.root in FRAMES and found.where != "typing")
    ] == []


def test_dataflows_know_hymem_and_not_serving():
    assert [found for found in imports("dataflows") if found.root in {"serving", *FRONTS}] == []


def test_serving_knows_dataflows_and_frames_only_through_memory_and_only_when_asked():
    assert [
        found
        for found in imports("serving")
        if found.root in {"dataflows", *FRAMES}
        and found.where != "typing"
        and (found.file != "serving/memory.py" or found.where == "module")
    ] == []


def test_sqlite_is_reached_through_the_store_alone():
    everywhere = imports(*PACKAGES, "tests", "benchmarks", "examples", "notebooks")

    assert [found for found in everywhere if found.root == "sqlite3"] == []
    assert [
        found
        for found in imports(*PACKAGES)
        if found.root in {"apsw", "sqlite_vec"} and not found.file.startswith("hymem/store/")
    ] == []


def test_sql_is_written_in_the_store_alone():
    assert [
        f"{file}:{node.lineno}"
        for file, source in modules(*PACKAGES)
        if not file.startswith("hymem/store/")
        for node in ast.walk(ast.parse(source, file))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and STATEMENT.match(node.value)
    ] == []


def test_the_environment_is_read_in_one_file():
    readers = {file for file, source in modules(*PACKAGES) if reads_the_environment(ast.parse(source, file))}

    assert readers <= {"hymem/settings.py"}


def reads_the_environment(tree: ast.Module) -> bool:
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    return bool(names & {"environ", "environb", "getenv", "getenvb"})


def test_a_node_touches_no_clock_no_file_and_no_chance():
    nodes = [(file, source) for file, source in modules("dataflows") if file not in NOT_NODES]

    assert [found for file, source in nodes for found in imports_in(source, file) if found.root in OUTSIDE_WORLD] == []
    assert [(file, call) for file, source in nodes for call in impure_calls(ast.parse(source, file))] == []


def impure_calls(tree: ast.Module) -> list[str]:
    """Calls that reach outside; a prompt, read as a resource of the package, is part of the code."""
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [
        call for call in calls if call.rpartition(".")[2] in IMPURE_CALLS and not call.startswith("files('dataflows.")
    ]


def loaded_by(statement: str) -> set[str]:
    """Top-level names of the modules that a fresh interpreter has loaded after this statement, and not before."""
    return {name.partition(".")[0] for name in modules_loaded_by(statement)}


def modules_loaded_by(statement: str) -> set[str]:
    program = f"import sys; before = set(sys.modules)\n{statement}\nprint(*(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_hymem_loads_the_standard_library_only():
    assert loaded_by("import hymem") - sys.stdlib_module_names <= {"hymem"}


def test_recall_starts_without_frames():
    doors = ["serving/memory.py", "serving/views.py", "serving/recall/__init__.py", "serving/cli/main.py"]
    ready = [
        door.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for door in doors if (ROOT / door).exists()
    ]

    assert loaded_by(f"import {', '.join(['serving', *ready])}") & {*FRAMES, "dataflows"} == set()


def test_the_command_that_recalls_starts_without_what_only_other_commands_need():
    loaded = modules_loaded_by("import serving.cli.augment, serving.environment")

    assert (
        loaded
        & {
            "email.utils",
            "hymem.folding",
            "hymem.models.relevance",
            "hymem.redaction.finding",
            "hymem.salience",
            "hymem.store.erasure",
            "logging",
            "pydantic",
        }
        == set()
    )
