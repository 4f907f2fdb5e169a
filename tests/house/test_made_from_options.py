"""Nothing is written by hand that the options already say."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path

import pytest

import foragers
from foragers.core.options import options_in
from foragers.crawling.keywords import CrawlKeywords
from foragers.crawling.options import CrawlOptions
from foragers.evaluation.comparison.keywords import CompareKeywords
from foragers.evaluation.comparison.options import CompareOptions
from support.made_from_options import made


@pytest.mark.parametrize("path", sorted(made()), ids=lambda path: path.name)
def test_a_file_made_from_options_is_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == made()[path], "run 'make options' and look at the difference"


@pytest.mark.parametrize(
    ("function", "keywords", "kind"),
    [
        (foragers.crawl, CrawlKeywords, CrawlOptions),
        (foragers.compare, CompareKeywords, CompareOptions),
    ],
)
def test_every_option_is_an_argument(
    function: Callable[..., object], keywords: type, kind: type
) -> None:
    options = {item.name for item in options_in(kind)}
    assert options <= set(signature(function).parameters), "what help() shows"
    typed = {*keywords.__annotations__, *function.__annotations__}
    assert typed - {"options", "out", "return", "urls", "worlds"} == options, "what editors know"
