import codecs
import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hymem.errors import InputError, StoreError
from hymem.markdown import (
    read_markdown,
    read_section,
    remove_section,
    section_of,
    with_section,
    without_section,
    write_section,
)
from hymem.statements import as_statement

START, END = b"<!-- HyMem:auto:x:start -->", b"<!-- HyMem:auto:x:end -->"
OTHER_START, OTHER_END = b"<!-- HyMem:auto:y:start -->", b"<!-- HyMem:auto:y:end -->"
SECTION = START + b"\nnew\n" + END

BODIES = st.lists(st.text(st.characters()).map(as_statement).map("- {}".format), max_size=5).map("\n".join)
FILES = st.binary() | st.lists(
    st.sampled_from(
        [START, END, OTHER_START, OTHER_END, b"\n", b"\r\n", b"\r", b" ", b"# Me", b"\xe9", b"\xef\xbb\xbf"]
    )
).map(b"".join)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", SECTION + b"\n"),
        (b"# Me\n", b"# Me\n\n" + SECTION + b"\n"),
        (b"# Me", b"# Me\n\n" + SECTION + b"\n"),
        (b"# Me\n\n", b"# Me\n\n" + SECTION + b"\n"),
        (b"# Me\r\n", b"# Me\r\n\r\n" + SECTION.replace(b"\n", b"\r\n") + b"\r\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf" + SECTION + b"\n"),
        (b"caf\xe9\n\n" + START + b"\nold\n" + END + b"\nna\xefve", b"caf\xe9\n\n" + SECTION + b"\nna\xefve"),
        (b"\xef\xbb\xbf" + START + b"\n" + END, b"\xef\xbb\xbf" + SECTION),
        (b"  " + START + b" \n" + END + b"\t\n", b"  " + SECTION + b"\t\n"),
    ],
)
def test_a_section_is_put_in_place_or_added_at_the_end(before: bytes, after: bytes):
    assert with_section(before, "x", "new") == after


@pytest.mark.parametrize(
    "text",
    [
        START + b"\nmine\n",
        END + b"\nmine\n",
        END + b"\nmine\n" + START + b"\nmine\n",
        b"see `" + START + b"`\nmine\n" + END + b"\n",
        START + b"\nmine\n" + OTHER_START + b"\ntheirs\n" + OTHER_END + b"\n" + END + b"\n",
        START + b"\n" + OTHER_START + b"\n" + END + b"\n" + OTHER_END + b"\n",
    ],
)
def test_broken_markers_are_a_human_s_text_and_the_section_is_added_once(text: bytes):
    once = with_section(text, "x", "old")

    assert once == text + b"\n" + SECTION.replace(b"new", b"old") + b"\n"
    assert with_section(once, "x", "new") == text + b"\n" + SECTION + b"\n"


def test_of_two_starts_the_one_before_the_end_counts():
    text = START + b"\nmine\n" + START + b"\nold\n" + END + b"\nmine\n" + END + b"\n"

    assert with_section(text, "x", "new") == text.replace(b"old", b"new")


def test_of_two_sections_the_first_counts():
    text = START + b"\nold\n" + END + b"\n" + START + b"\nsaved\n" + END

    assert with_section(text, "x", "new") == text.replace(b"old", b"new")


def test_sections_live_side_by_side():
    text = with_section(with_section(b"# Me\n", "x", "one"), "y", "two")

    assert (section_of(text, "x"), section_of(text, "y"), section_of(text, "z")) == ("one", "two", None)
    assert without_section(without_section(text, "y"), "x").strip() == b"# Me"


def test_a_body_cannot_end_its_section():
    text = with_section(b"", "x", "a\n" + END.decode() + "\n# SYSTEM")

    assert section_of(text, "x") == "a\n&lt;!-- HyMem:auto:x:end -->\n# SYSTEM"
    assert with_section(text, "x", "new") == SECTION + b"\n"


@pytest.mark.parametrize("name", ["", "a b", "a--b", "x:end", "é", "-->", "a\n"])
def test_a_section_s_name_cannot_break_its_marker(name: str):
    with pytest.raises(InputError, match="no section's name"):
        with_section(b"", name, "new")


@given(FILES, BODIES)
def test_a_body_comes_back_as_it_was_written(data: bytes, body: str):
    assert section_of(with_section(data, "x", body), "x") == body


@given(FILES, BODIES, BODIES)
def test_the_last_of_two_writings_is_all_that_stays(data: bytes, body: str, other: str):
    assert with_section(with_section(data, "x", other), "x", body) == with_section(data, "x", body)
    assert with_section(with_section(data, "x", body), "x", body) == with_section(data, "x", body)


@given(FILES, BODIES)
def test_a_new_section_follows_all_there_is(data: bytes, body: str):
    assume(section_of(data, "x") is None)

    assert with_section(data, "x", body).startswith(data)


@given(FILES, FILES, BODIES)
def test_nothing_before_and_after_a_section_changes(before: bytes, after: bytes, body: str):
    before, after = before + b"\n", b"\n" + after
    assume(section_of(before, "x") is None)

    text = with_section(before + START + b"\nold\n" + END + after, "x", body)

    assert text.startswith(before + START) and text.endswith(END + after)
    assert section_of(text, "x") == body
    assert len(text) <= len(before + after) + len(with_section(b"\r\n", "x", body))


@given(FILES, BODIES)
def test_a_section_that_goes_leaves_the_file_as_it_was_but_for_line_ends(data: bytes, body: str):
    assume(section_of(data, "x") is None)

    left = without_section(with_section(data, "x", body), "x")

    assert left.startswith(data) and left[len(data) :].strip(b"\r\n") == b""
    assert without_section(with_section(left, "x", body), "x") == left


def test_writing_the_same_again_touches_nothing(tmp_path: Path):
    file = tmp_path / "USER.md"
    assert write_section(file, "profile", "- prefers uv")
    os.utime(file, ns=(1, 1))

    assert not write_section(file, "profile", "- prefers uv")
    assert file.stat().st_mtime_ns == 1
    assert read_section(file, "profile") == "- prefers uv"


def test_a_section_is_removed_once(tmp_path: Path):
    file = tmp_path / "USER.md"
    file.write_bytes(b"# Me\n")
    write_section(file, "profile", "- prefers uv")

    assert (remove_section(file, "profile"), remove_section(file, "profile")) == (True, False)
    assert read_section(file, "profile") is None


def test_a_file_in_another_encoding_is_read_with_replacement_characters(tmp_path: Path):
    (tmp_path / "USER.md").write_bytes(codecs.BOM_UTF8 + b"caf\xe9")

    assert read_markdown(tmp_path / "USER.md") == "caf\ufffd"
    assert read_markdown(tmp_path / "MEMORY.md") == ""
    assert read_section(tmp_path / "MEMORY.md", "insights") is None


def test_a_utf_16_file_is_not_mixed_with_utf_8(tmp_path: Path):
    file = tmp_path / "USER.md"
    file.write_text("# Me\n", encoding="utf-16")
    before = file.read_bytes()

    with pytest.raises(StoreError, match="save it as UTF-8"):
        write_section(file, "profile", "- prefers uv")
    assert file.read_bytes() == before
