"""Every example of docs/gym.md runs and says what it claims."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

pytest.importorskip("pettingzoo")

PAGE = Path(__file__).parents[2] / "docs" / "gym.md"


def test_every_example_runs() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 10
    assert result.failed == 0
