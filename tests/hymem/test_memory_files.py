from pathlib import Path

from hymem.memory_files import FILES, differing, write_memory_files

SECTIONS = {"insights": "## What is known", "profile": "## Profile"}


def test_each_section_has_its_file():
    assert FILES == {"insights": "MEMORY.md", "profile": "USER.md"}


def test_files_are_written_once(tmp_path: Path):
    assert write_memory_files(tmp_path, SECTIONS) == [tmp_path / "MEMORY.md", tmp_path / "USER.md"]
    assert write_memory_files(tmp_path, SECTIONS) == []


def test_only_the_file_whose_section_changed_is_written(tmp_path: Path):
    write_memory_files(tmp_path, SECTIONS)

    assert write_memory_files(tmp_path, {**SECTIONS, "profile": "## Profile\n\n- tea"}) == [tmp_path / "USER.md"]


def test_what_people_wrote_around_a_section_stays(tmp_path: Path):
    (tmp_path / "USER.md").write_text("# Ada\n\nmy own words\n")

    write_memory_files(tmp_path, SECTIONS)

    assert (tmp_path / "USER.md").read_text().startswith("# Ada\n\nmy own words\n")


def test_files_differ_until_they_are_written_and_after_somebody_edits_a_section(tmp_path: Path):
    assert differing(tmp_path, SECTIONS)

    write_memory_files(tmp_path, SECTIONS)
    assert not differing(tmp_path, SECTIONS)

    path = tmp_path / "MEMORY.md"
    path.write_text(path.read_text().replace("What is known", "What I made up"))
    assert differing(tmp_path, SECTIONS)
