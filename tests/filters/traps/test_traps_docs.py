import doctest
from pathlib import Path


def test_what_the_page_on_traps_shows_is_what_happens() -> None:
    page = Path(__file__).parents[3] / "docs" / "traps.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0
