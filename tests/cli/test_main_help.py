"""What a newcomer reads first."""

from __future__ import annotations

import re

import pytest

from foragers.cli.main import VERBS, main
from foragers.strategies.registry import STRATEGIES


def helped(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out = capsys.readouterr().out
    assert all(re.search(rf"^    {verb} +\S", out, re.MULTILINE) for verb in VERBS)
    assert "foragers demo" in out


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_every_command_is_described(
    capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    ways: list[tuple[str, ...]] = [(verb,)]
    if verb == "world":
        actions = ("import", "generate", "rewire", "info", "serve", "export")
        ways = [(verb, action) for action in actions]
    for words in ways:
        text = helped(capsys, *words)
        body = text.partition("\n\n")[2]
        for line in re.split(r"\n(?=  \S)", body):
            if line.startswith("  "):
                assert re.search(r"\s{2,}\S.*\w", line[2:]), line
        assert re.search(r"^[A-Z][^\n]+\.$", body, re.MULTILINE), words


@pytest.mark.parametrize("verb", ["crawl", "compare"])
def test_the_help_of_a_long_command_is_grouped_and_fits_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = helped(capsys, verb)
    assert max(map(len, text.splitlines())) <= 80
    assert len(re.findall(r"^[a-z][^\n]*:$", text, re.MULTILINE)) >= 6
    options = text[text.index("\noptions:") : text.index("\nwhat is relevant")]
    assert re.findall(r"^  (-\S+)", options, re.MULTILINE) == ["-h,", "--config"]
    assert not re.search(r"-$", text, re.MULTILINE)  # no name is broken at a hyphen


def test_names_of_formats_keep_their_capitals(capsys: pytest.CaptureFixture[str]) -> None:
    assert "JSON lines, CSV, Parquet or WARC." in helped(capsys, "export")


def test_every_strategy_is_listed_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategies"]) == 0
    listed = re.findall(r"^  ([a-z-]+) ", capsys.readouterr().out, re.MULTILINE)
    assert sorted(listed) == sorted(STRATEGIES)


@pytest.mark.parametrize(("name", "shown"), [("spider", "page_words"), ("random", "no parameters")])
def test_a_strategy_is_described_with_its_parameters(
    capsys: pytest.CaptureFixture[str], name: str, shown: str
) -> None:
    assert main(["strategies", name]) == 0
    assert shown in capsys.readouterr().out


def test_an_unknown_strategy_is_not_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategies", "spidr"]) == 2
    assert "did you mean 'spider'" in capsys.readouterr().err
