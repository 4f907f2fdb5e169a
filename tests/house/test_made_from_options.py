"""Nothing is written by hand that the options already say."""

from __future__ import annotations

from pathlib import Path
from typing import get_type_hints

import pytest

from foragers.core.options import options_in
from foragers.crawling.keywords import CrawlKeywords
from foragers.crawling.options import CrawlOptions
from support.made_from_options import made


@pytest.mark.parametrize("path", sorted(made()), ids=lambda path: path.name)
def test_a_file_made_from_options_is_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == made()[path], "run 'make options' and look at the difference"


def test_the_keywords_of_a_crawl_are_its_options() -> None:
    names = [item.name for item in options_in(CrawlOptions)]
    assert list(get_type_hints(CrawlKeywords)) == names
