"""The file with the letters of a crawl's addresses: behind, ahead, damaged or gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from foragers.crawling.session import Session
from foragers.crawling.settings import CheckpointSettings, SessionSettings
from support.crawling import LIMITS, crawl, end_as_if_killed, order_of, serving
from support.hostile_server import page

PAGES = 60


def site() -> dict[str, bytes]:
    """Return pages that each bring forty new addresses to light, which all lead nowhere."""
    return {f"/{n}": page(*(f"/{n}/deeper/{k}" for k in range(40))) for n in range(PAGES)}


def killed(folder: Path, seed: str, visits: int) -> None:
    """Crawl for a while and end as a kill does: without a word."""
    settings = SessionSettings(checkpoints=CheckpointSettings(visits=9))
    session = Session.open(order_of(seed, budget=5000), folder, LIMITS, settings)
    seen = 0
    for some in session.steps():
        seen += len(some)
        if seen >= visits:
            break
    end_as_if_killed(session)


def gone(file: Path) -> None:
    file.unlink()


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def overwritten(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def as_it_was(file: Path) -> None:
    assert file.stat().st_size > 0


@pytest.mark.parametrize("meddle", [as_it_was, gone, cut, overwritten])
def test_a_killed_crawl_goes_on_whatever_became_of_its_letters(
    meddle: Callable[[Path], None], tmp_path: Path
) -> None:
    with serving(site()) as server:
        killed(tmp_path, server.url("/"), 30)
        assert (tmp_path / "checkpoint").exists()
        meddle(tmp_path / "addresses")
        outcome = crawl(tmp_path, server.url("/"), budget=90)
        pages = Counter(path for path in server.paths if path != "/robots.txt")
    assert set(pages) >= {f"/{n}" for n in range(PAGES)}
    assert sum(pages.values()) - len(pages) <= 2, "only what was under way is fetched again"
    assert len(outcome.urls) == len(set(outcome.urls)) == 90
    assert sum("/deeper/" in url for url in outcome.urls) == 90 - PAGES - 1


def test_a_checkpoint_that_did_not_fit_never_comes_to_fit(tmp_path: Path) -> None:
    with serving(site()) as server:
        crawl(tmp_path, server.url("/"), budget=30)
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()
        session = Session.open(order_of(server.url("/"), budget=60), tmp_path, LIMITS)
        assert not (tmp_path / "checkpoint").exists()
        assert len(session.ledger) == 0
        session.close()
