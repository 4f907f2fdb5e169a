"""Seeds that cannot be fetched: said at once, with what to do about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.crawling.seeds import with_remedy
from support.crawling import serving
from support.hostile_server import page, reply


def run(folder: Path, *options: str) -> int:
    return main(["crawl", *options, "--delay", "0", "--no-warc", "--out", str(folder)])


def test_a_seed_at_a_private_address_names_the_option_that_helps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving({"/": page()}) as server:
        assert run(tmp_path, server.url("/")) == 1
        printed = capsys.readouterr()
        line = f"{server.url('/')} could not be fetched: 127.0.0.1 is a private address;"
        assert f"{line} add --allow-private 127.0.0.1" in printed.out
        assert printed.err.strip() == "foragers: no seed could be fetched; see above why"
        assert not server.paths


def test_a_crawl_of_which_one_seed_came_has_not_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving({"/": page()}) as server:
        gone = server.url("/gone")
        assert run(tmp_path, server.url("/"), gone, "--allow-private", "127.0.0.1") == 0
        printed = capsys.readouterr().out
        assert f"{gone} could not be fetched: 404; check the URL" in printed
        assert f"{server.url('/')} could not" not in printed


def test_a_seed_that_robots_txt_forbids_is_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = reply("User-agent: *\nDisallow: /", kind="text/plain")
    with serving({"/": page(), "/robots.txt": rules}) as server:
        assert run(tmp_path, server.url("/"), "--allow-private", "127.0.0.1") == 1
        assert "could not be fetched: robots.txt; robots.txt of the site" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("unknown host: Could not resolve host: a.test", "check the spelling"),
        ("robots.txt could not be fetched: unknown host: a.test", "check the spelling"),
        (
            "robots.txt could not be fetched: certificate expired: SSL",
            "only the site can fix that",
        ),
        ("no connection: connection refused", "is the server running?"),
        ("timeout: no whole answer after 20 s", "try again later"),
        ("scope: matches --exclude", "change --prefix, --include or --exclude"),
        ("403", "does not let crawlers in"),
        ("503", "busy"),
    ],
)
def test_a_failure_comes_with_its_remedy(reason: str, remedy: str) -> None:
    assert remedy in with_remedy(reason)
    assert with_remedy(reason).startswith(reason)
