"""What a crawl of the live web learns is there for the next one, over real HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.core.models import load_model
from foragers.strategies.auto.saved import KIND as LORE
from foragers.strategies.auto.saved import Lore
from foragers.strategies.automata.saved import KIND, Remembered
from support.crawling import serving
from support.hostile_server import HostileServer, page

LEAVES = [f"/{number}" for number in range(6)]
SITE = {path: page(words="nothing of note") for path in LEAVES} | {"/3": page(words="tea leaf cup")}


def order(server: HostileServer, out: Path, learned: Path, *more: str) -> list[str]:
    fixed = ["--delay", "0", "--no-warc", "--no-traps", "--allow-private", "127.0.0.0/8"]
    topic = ["--topic", "tea leaf cup", "--similarity", "keywords", "--strategy", "lafc(a=0.5)"]
    return [
        "crawl", server.url("/"), "--out", str(out), "--learned", str(learned),
        *topic, *fixed, *more,
    ]  # fmt: skip


def test_automata_go_from_crawl_to_crawl(tmp_path: Path) -> None:
    learned = tmp_path / "tea"
    with serving(SITE) as server:
        for number in range(9):
            assert main(order(server, tmp_path / f"c{number}", learned, "--seed", str(number))) == 0
    saved = Remembered.of(load_model(learned, *KIND))
    automata = [saved[number] for number in range(len(saved))]
    front = max(automata, key=lambda one: len(one.links))
    assert len(front.links) == len(LEAVES)
    # From the second crawl on only the page on the topic is rewarded, with half of what is left.
    assert front.probabilities[front.best] == front.probabilities.max() > 0.4
    assert front.threshold == pytest.approx(1.0)


def test_taking_up_the_same_crawl_learns_nothing_twice(tmp_path: Path) -> None:
    learned = tmp_path / "tea"
    with serving(SITE) as server:
        assert main(order(server, tmp_path / "c", learned, "--budget", "4")) == 0
        first = learned.read_bytes()
        assert main(order(server, tmp_path / "c", learned, "--budget", "4")) == 0
    assert learned.read_bytes() == first


def test_damaged_file_is_named_with_the_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learned = tmp_path / "tea"
    with serving(SITE) as server:
        assert main(order(server, tmp_path / "a", learned, "--budget", "2")) == 0
        learned.write_bytes(learned.read_bytes()[:200])
        capsys.readouterr()
        assert main(order(server, tmp_path / "b", learned)) == 2
    error = capsys.readouterr().err
    assert f"{learned}: not a model, or damaged; name another file" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--topic", "coffee bean cup"], "was learned for topic “tea leaf cup”"),
        (["--strategy", "best-first"], "'best-first' saves nothing that it learns"),
        (["--strategy", "lafc(model=x)"], "give one of them"),
        (["--learned", "nowhere/to/be"], "its folder does not exist"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(
    change: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learned = tmp_path / "tea"
    with serving(SITE) as server:
        assert main(order(server, tmp_path / "a", learned, "--budget", "2")) == 0
        capsys.readouterr()
        assert main(order(server, tmp_path / "b", learned, *change)) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_the_default_strategy_learns_from_crawl_to_crawl(tmp_path: Path) -> None:
    learned = tmp_path / "tea"
    good = {f"/good/{n}": page(words=f"tea leaf cup {n}") for n in range(12)}
    site = {**{f"/bad/{n}": page(words=f"nothing of note {n}") for n in range(12)}, **good}

    def first_six(folder: Path) -> set[str]:
        server.log.clear()
        options = ["--strategy", "auto", "--topic", "tea leaf cup", "--budget", "7"]
        assert main([*order(server, folder, learned), *options]) == 0
        return {path for path in server.paths if path not in ("/", "/robots.txt")}

    with serving(site) as server:
        assert main([*order(server, tmp_path / "all", learned), "--strategy", "auto"]) == 0
        assert len(first_six(tmp_path / "again") & set(good)) == 6
    assert len(Lore.of(load_model(learned, *LORE)).groups)


def test_what_another_strategy_learned_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learned = tmp_path / "tea"
    with serving(SITE) as server:
        assert main(order(server, tmp_path / "a", learned)) == 0
        capsys.readouterr()
        assert main([*order(server, tmp_path / "b", learned), "--strategy", "auto"]) == 2
    assert "a model for 'automata', not for 'auto'" in capsys.readouterr().err
