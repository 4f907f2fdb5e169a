"""Seeds from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from foragers.crawling.seeds import host_budget, seeds_in
from foragers.errors import UsageError


def test_a_file_has_one_seed_a_line_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(
        "\ufeff# two sites\nhttps://a.test/#top\n\n  b.test # second\nhttps://c.test/\n"
    )
    assert seeds_in(str(file), ("https://c.test/",)).urls == (
        "https://c.test/", "https://a.test/#top", "b.test",
    )  # fmt: skip
    assert seeds_in(None, ("x",)).urls == ("x",)


def test_a_number_after_a_seed_is_the_limit_of_its_host(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("https://A.test/start 50\nb.test:8080\t7 # small\nhttps://c.test/\n")
    seeds = seeds_in(str(file))
    assert seeds.urls == ("https://A.test/start", "b.test:8080", "https://c.test/")
    assert seeds.host_budgets == ("a.test=50", "b.test:8080=7")
    assert [host_budget(one) for one in seeds.host_budgets] == [("a.test", 50), ("b.test:8080", 7)]


@pytest.mark.parametrize("wrong", ["a.test", "a.test=", "a.test=0", "a.test=-3", "=5", "a b=3"])
def test_a_limit_of_a_host_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match=r"host-budget|not a URL"):
        host_budget(wrong)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"# nothing\n", "has no URL; write one a line"),
        (b"https://a.test/\nhttps://b.test/ https://c.test/\n", "line 2 has more than a URL"),
        (b"https://a.test/ many\n", "line 1 has more than a URL"),
        (b"https://a.test/ 0\n", "line 1 has more than a URL"),
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
