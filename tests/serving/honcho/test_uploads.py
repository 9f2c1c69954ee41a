"""Files that people send: text of any encoding, JSON, PDF, and the memory files of agents."""

import json
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject
from starlette.exceptions import HTTPException

from serving.honcho.uploads import MESSAGE_LIMIT, content_id, file_texts, is_memory_file, memory_texts


def pdf(text: str, password: str | None = None) -> bytes:
    """A PDF of one page with a line of text."""
    writer = PdfWriter()
    page = writer.add_blank_page(300, 300)
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")})
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    page[NameObject("/Resources")] = DictionaryObject(
        {NameObject("/Font"): DictionaryObject({NameObject("/F1"): writer._add_object(font)})}
    )
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


@given(
    st.text(st.characters(exclude_categories=["Cs"])).filter(
        lambda text: text.strip() and not text.startswith("\ufeff")
    )
)
def test_a_text_comes_whole_in_pieces_that_fit(text: str):
    long = text * (60_000 // len(text) + 1)

    found = file_texts(long.encode()[: 4 * 1024 * 1024].decode(errors="ignore").encode(), "text/plain", "a.txt")

    assert all(len(piece) <= MESSAGE_LIMIT for piece in found)
    assert "".join("".join(found).split()) == "".join(long.split())


def test_a_text_is_cut_between_paragraphs():
    paragraphs = [f"{n} " + "word " * 3000 for n in range(4)]

    assert [piece.strip()[0] for piece in file_texts("\n\n".join(paragraphs).encode(), "text/markdown", None)] == [
        *"0123"
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_text_may_be_in_the_encodings_of_this_world(encoding: str):
    assert file_texts("Zürich – “here”".encode(encoding), "text/plain", None) == ["Zürich – “here”"]


def test_json_is_kept_as_it_is_written():
    assert file_texts(b'{"likes": ["tea"]}', "application/json; charset=utf-8", None) == ['{"likes": ["tea"]}']


def test_a_pdf_is_read():
    assert file_texts(pdf("We use Redis"), "application/pdf", "a.pdf") == ["We use Redis"]


def test_a_type_that_says_nothing_is_guessed_from_the_name():
    assert file_texts(b"We use Redis", "application/octet-stream", "MEMORY.md") == ["We use Redis"]


@pytest.mark.parametrize(
    ("data", "content_type", "status"),
    [
        (b"x" * (5 * 1024 * 1024 + 1), "text/plain", 413),
        (b"PK", "application/zip", 415),
        (b"?", None, 415),
        (b"{", "application/json", 422),
        (b"[" * 200_000, "application/json", 422),
        (b"", "text/plain", 422),
        (b" \n", "text/plain", 422),
        (b"%PDF-1.7 and nothing else", "application/pdf", 422),
        (pdf("secret", "password"), "application/pdf", 422),
        (pdf("We use Redis")[:300], "application/pdf", 422),
        (json.dumps(1).encode("utf-16"), "application/pdf", 422),
    ],
    ids=range(11),
)
def test_what_cannot_be_read_is_refused(data: bytes, content_type: str | None, status: int):
    with pytest.raises(HTTPException) as refused:
        file_texts(data, content_type, None)

    assert refused.value.status_code == status


def test_memory_files_are_known_by_name():
    assert is_memory_file("/home/ann/MEMORY.md", {})
    assert is_memory_file("consolidated_memory.md", {"original_file": "user.md"})
    assert not is_memory_file("notes.md", {"source": "upload"})


def test_what_hymem_wrote_into_a_memory_file_is_left_out():
    file = "- likes tea\n<!-- HyMem:auto:insights:start -->\nredis: used by api\n<!-- HyMem:auto:insights:end -->\n- in Rome"

    assert "redis" not in "".join(memory_texts([file])) and "in Rome" in memory_texts([file])[0]
    assert memory_texts([file[file.index("<") : file.rindex("-->") + 3]]) == []


def test_the_same_words_of_the_same_peer_have_one_id():
    assert content_id("ann", "tea") == content_id("ann", "tea") != content_id("bob", "tea")
    assert len(content_id("ann", "\ud800")) == 21
