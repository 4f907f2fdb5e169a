"""Documents that are no pages: their types and texts."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.errors import UsageError
from foragers.parsing.documents import document_text, paragraphs, parse_types, type_of


def pdf_of(*lines: str, title: str = "Tides") -> bytes:
    """Return a PDF with these lines on its only page."""
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Title(%b)>>" % title.encode(),
    ]
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    root = b"<</Size %d/Root 1 0 R/Info 6 0 R>>" % (len(objects) + 1)
    out.write(b"trailer\n%b\nstartxref\n%d\n%%%%EOF" % (root, start))
    return out.getvalue()


def test_a_pdf_has_a_title_and_a_text() -> None:
    pytest.importorskip("pypdf", reason="pypdf is an extra")
    found = document_text(
        pdf_of("High water is at noon.", "Low water is later."), "application/pdf"
    )
    assert found.title == "Tides"
    assert "High water is at noon." in found.text


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 700), st.binary(max_size=20))
def test_a_damaged_pdf_is_read_as_far_as_it_goes(place: int, other: bytes) -> None:
    body = pdf_of("High water is at noon.")
    damaged = body[:place] + other + body[place + len(other) :]
    assert isinstance(document_text(damaged, "application/pdf").text, str)


def test_tables_of_text_are_read_as_they_are() -> None:
    assert document_text("Höhe;1\n".encode("latin-1"), "text/csv; charset=latin-1").text == "Höhe;1"
    assert document_text(b"PK\x03\x04", "application/zip").text == ""


@pytest.mark.parametrize(
    ("kind", "url", "found"),
    [
        ("application/pdf", "http://a/x", "pdf"),
        ("application/octet-stream", "http://a/x.XLSX?a=1.html", "xlsx"),
        ("text/html", "http://a/x.pdf", ""),
        ("", "http://a/x.pdf#page=2", "pdf"),
        ("image/png", "http://a/x.csv", ""),
    ],
)
def test_the_content_type_tells_and_else_the_extension(kind: str, url: str, found: str) -> None:
    assert type_of(kind, url) == found


def test_an_unknown_type_is_refused_with_those_that_there_are() -> None:
    assert parse_types((" .PDF", "csv")) == {"pdf", "csv"}
    with pytest.raises(UsageError, match="--want exe: unknown type; use pdf, csv"):
        parse_types(("exe",))


def test_lines_of_print_become_paragraphs() -> None:
    text = "The tide is high and the wa-\nter is cold, so stay on the\nshore.\nNext of it."
    assert paragraphs(text) == (
        "The tide is high and the water is cold, so stay on the shore.\n\nNext of it."
    )
