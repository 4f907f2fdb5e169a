import doctest
from pathlib import Path


def test_the_examples_in_the_documentation_run() -> None:
    page = Path(__file__).parents[2] / "docs" / "judges.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0
