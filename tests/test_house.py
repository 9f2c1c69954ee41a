"""The house: what a wheel carries, what no file of the repository may say, and what gets installed."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PACKAGES = ("hymem", "dataflows", "serving")


@pytest.fixture(scope="module")
def repository() -> list[str]:
    """The files that git holds or would take in."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [file for file in listing.split("\0") if (ROOT / file).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a wheel built from here."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (archive,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(archive).namelist())


def test_a_wheel_brings_three_packages_and_nothing_else(wheel: set[str]):
    tops = {name.partition("/")[0] for name in wheel}

    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_a_wheel_carries_every_file_of_the_packages(wheel: set[str], repository: list[str]):
    wanted = {file for file in repository if file.startswith(tuple(f"{package}/" for package in PACKAGES))}

    assert wanted - wheel == set()


UNWANTED = re.compile(
    rb"(?<![\w.~-])/(work|root)/"
    rb"|pypi\.org|pythonhosted|registry\.npmjs|deb\.debian\.org"
    rb"|https?://[^\s)\"']*/(simple|packages)/"
)
"""Folders of one machine, hosts and addresses of package registries."""


def test_no_file_names_a_machine_or_a_registry(repository: list[str]):
    others = [file for file in repository if ROOT / file != Path(__file__)]

    assert [
        f"{file}: {found.group().decode()}" for file in others if (found := UNWANTED.search((ROOT / file).read_bytes()))
    ] == []


def declared() -> list[Requirement]:
    """Every requirement that pyproject.toml names, those of the extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for lines in project.get("optional-dependencies", {}).values() for line in lines]
    found = [Requirement(line) for line in [*project["dependencies"], *extras]]
    return [requirement for requirement in found if requirement.name != project["name"]]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [re.fullmatch(r"([\w.-]+)==([\w.+!-]+)", line) for line in lines if line and not line.startswith("#")]
    assert all(pinned), "constraints.txt holds lines of the form name==version, and comments"
    return {canonicalize_name(pin[1]): pin[2] for pin in pinned if pin}


def required_by(requirement: Requirement) -> list[Requirement]:
    """What the installed distribution asks for in turn; nothing where it is not installed."""
    try:
        lines = importlib.metadata.requires(requirement.name) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [asked for line in lines if applies(asked := Requirement(line), {"", *requirement.extras})]


def applies(requirement: Requirement, extras: set[str]) -> bool:
    return requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras)


def closure(requirements: list[Requirement]) -> set[str]:
    names, waiting = set[str](), list(requirements)
    while waiting:
        requirement = waiting.pop()
        if canonicalize_name(requirement.name) not in names:
            names.add(canonicalize_name(requirement.name))
            waiting += required_by(requirement)
    return names


def test_every_declared_dependency_is_pinned_at_a_version_it_allows():
    pinned = pins()

    assert [
        str(requirement)
        for requirement in declared()
        if not requirement.specifier.contains(pinned.get(canonicalize_name(requirement.name), "0"), prereleases=True)
    ] == []


def test_whatever_the_dependencies_need_in_turn_is_pinned_too():
    assert closure(declared()) - pins().keys() == set()
