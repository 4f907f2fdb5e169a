"""Finding an answer in an index by its address and time."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from foragers.storage.warc import cdxj as capture_index
from foragers.storage.warc.cdxj import REVISIT, Entry

URL, DATE = "http://a.test/x?y=1", "2024-05-06T07:08:09.123Z"
ENTRY = Entry(URL, "text/html", "200", "sha1:A", "100", "500", "one.warc.gz", DATE)


def written(path: Path, *entries: Entry) -> Path:
    path.write_bytes(b"".join(entry.line() for entry in entries))
    return path


def test_the_response_of_a_time_is_found_and_not_the_revisit_of_the_same(tmp_path: Path) -> None:
    revisit = replace(ENTRY, mime=REVISIT, offset="700")
    later = replace(ENTRY, date="2024-05-06T07:08:09.124Z", offset="900")
    other = replace(ENTRY, url="http://a.test/x?y=2", offset="300")
    index = written(tmp_path / "index.cdxj", other, revisit, later, ENTRY)
    assert capture_index.find(index, URL, DATE) == ENTRY
    assert capture_index.find(index, URL, later.date) == later
    assert capture_index.find(index, URL, "2024-05-06T07:08:10.123Z") is None
    assert capture_index.find(tmp_path / "nothing", URL, DATE) is None


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    index = written(tmp_path / "index.cdxj", ENTRY, ENTRY)
    whole = index.read_bytes()
    index.write_bytes(whole + ENTRY.line()[:-5])
    capture_index.drop_torn_line(index)
    assert index.read_bytes() == whole
    capture_index.drop_torn_line(index)
    assert index.read_bytes() == whole


def test_an_entry_ends_where_its_record_does() -> None:
    assert ENTRY.end == 600
