"""Seeds from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from foragers.crawling.seeds import seeds_in
from foragers.errors import UsageError


def test_a_file_has_one_seed_a_line_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(
        "\ufeff# two sites\nhttps://a.test/#top\n\n  b.test # second\nhttps://c.test/\n"
    )
    assert seeds_in(str(file), ("https://c.test/",)) == (
        "https://c.test/", "https://a.test/#top", "b.test",
    )  # fmt: skip
    assert seeds_in(None, ("x",)) == ("x",)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"# nothing\n", "has no URL; write one a line"),
        (b"https://a.test/\nhttps://b.test/ https://c.test/\n", "line 2 has more than a URL"),
        (b"\xff\xfe\x00", "not a text in UTF-8"),
        (None, "No such file"),
    ],
)
def test_a_file_without_seeds_is_refused(content: bytes | None, told: str, tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=told) as error:
        seeds_in(str(file))
    assert str(error.value).startswith(f"--seeds {file}: ")
