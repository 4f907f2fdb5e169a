"""`foragers explain` of a crawl by a spider: which words spoke for a link."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foragers.core.models import Model, save_model
from foragers.judges.keywords import Keywords
from foragers.judges.simple import LabelJudge
from foragers.judges.topic import NoTopic
from foragers.strategies.baselines import BreadthFirst
from foragers.strategies.spider.strategy import Spider
from foragers.text.link_counts import LinkCounts
from foragers.worlds.archive import Archive
from foragers.worlds.store import save
from support.crawl_folders import crawl_folder, said
from support.worlds_by_hand import address, small_world, url_id


def model() -> Model:
    words = {"head": ["home"], "link": ["gold", "dust"], "url": ["gold", "dust"], "near": ["x"]}
    counts = {bag: np.ones((5, len(found)), np.int64) for bag, found in words.items()}
    for bag in ("link", "url"):
        counts[bag][0, 0], counts[bag][4, 1] = 30, 30
    return LinkCounts(
        words, counts, np.array([30, 1, 1, 1, 30]), np.array([30, 0.5, 0.25, 0.2, 0])
    ).model({})


def world() -> Archive:
    texts = {"home": "home"}
    return small_world({"home": ["dust", "gold"], "dust": ["sand"], "gold": []}, texts=texts)


def told(folder: Path, strategy: str) -> None:
    file = folder / "crawl.json"
    options = {**json.loads(file.read_text()), "strategy": strategy}
    file.write_text(json.dumps(options))


def explained(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    code, out, err = said(capsys, "explain", *words, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_the_words_of_the_link_are_told_with_their_bins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_model(model(), tmp_path / "m")
    folder = crawl_folder(tmp_path, world(), strategy=Spider(NoTopic(), model()))
    told(folder, f"spider(model={tmp_path / 'm'})")
    found = explained(capsys, folder, address("gold"))
    reasons = found["reasons"]
    assert reasons["columns"] == ["immediate", "two-step", "three-step", "other"]
    adds = {part["name"]: part["adds"] for part in reasons["parts"]}
    assert adds["gold (link)"][0] > 0 > adds["gold (link)"][3]
    promise = found["path"][-1]["promise"]
    assert np.dot(adds["P(bin | words)"], adds["value of the bin"]) == pytest.approx(promise)
    assert f"{promise:.3f}" in reasons["says"]
    _, out, _ = said(capsys, "explain", folder, address("gold"))
    for line in ("Why it had this promise", "gold (url)", "value of the bin", "immediate"):
        assert line in out
    assert explained(capsys, folder, address("home"))["reasons"] is None


def test_a_spider_that_learns_is_told_the_crawl_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = {"home": [f"vein-{n}" for n in range(30)]}
    graph |= {f"vein-{n}": [f"gold-{n}"] for n in range(30)}
    graph |= {f"gold-{n}": [] for n in range(30)}
    mine = small_world(graph)
    gold = LabelJudge(frozenset(url_id(mine, f"gold-{n}") for n in range(30)))
    spider = Spider(Keywords("robot arms"), bins=3)
    folder = crawl_folder(tmp_path, mine, strategy=spider, judge=gold)
    told(folder, "spider(bins=3)")
    found = explained(capsys, folder, address("gold-20"))
    adds = {part["name"]: part["adds"] for part in found["reasons"]["parts"]}
    assert adds["gold (link)"][0] > 0
    promise = found["path"][-1]["promise"]
    assert np.dot(adds["P(bin | words)"], adds["value of the bin"]) == pytest.approx(
        promise, rel=0.2
    )


def test_a_model_that_has_changed_since_the_crawl_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_model(model(), tmp_path / "m")
    folder = crawl_folder(tmp_path, world(), strategy=Spider(NoTopic(), model()))
    told(folder, f"spider(model={tmp_path / 'm'})")
    reasons = explained(capsys, folder, address("gold"))["reasons"]
    assert reasons["note"].startswith("A word adds")
    tally = LinkCounts.of(model())
    twice = LinkCounts(tally.words, tally.counts, tally.links, 2 * tally.worth)
    save_model(twice.model({}), tmp_path / "m")
    found = explained(capsys, folder, address("gold"))
    promise = found["path"][-1]["promise"]
    assert f"{promise:.3f} was expected: the model was another one" in found["reasons"]["note"]
    assert found["reasons"]["worth"] != pytest.approx(promise)


def test_a_model_that_is_gone_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = crawl_folder(tmp_path, world(), strategy=BreadthFirst())
    told(folder, f"spider(model={tmp_path / 'gone'})")
    assert "gone: No such file" in explained(capsys, folder, address("gold"))["reasons"]["says"]
    told(folder, "breadth-first")
    assert explained(capsys, folder, address("gold"))["reasons"] is None


def test_a_run_of_a_comparison_is_explained_with_its_world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web, spec = tmp_path / "w", f"spider(model={tmp_path / 'm'})"
    save(world(), web)
    save_model(model(), tmp_path / "m")
    options = ["--strategies", spec, "--budget", 9, "--jobs", 1, "--out", tmp_path / "out"]
    assert said(capsys, "compare", web, *options)[0] == 0
    ledger = next((tmp_path / "out" / "ledgers").glob("spider*.sqlite"))
    asked = [ledger, address("gold"), "--world", web, "--strategy", spec]
    found = explained(capsys, *asked)
    assert [step["anchor"] for step in found["path"]] == [None, "gold"]
    assert any(part["name"] == "gold (link)" for part in found["reasons"]["parts"])


def test_a_run_of_a_comparison_knows_its_world_strategy_and_topic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web = tmp_path / "w"
    save(world(), web)
    options = ["--strategies", "auto", "--topic", "gold", "--budget", 9, "--jobs", 1]
    assert said(capsys, "compare", web, *options, "--out", tmp_path / "out")[0] == 0
    ledger = tmp_path / "out" / "ledgers" / "auto-0.sqlite"
    found = explained(capsys, ledger, address("gold"))
    assert found["reasons"]["parts"][0]["name"] == "topic in link"
    assert f"a probability of {found['path'][-1]['promise']:.3f}" in found["reasons"]["says"]
    web.rename(tmp_path / "elsewhere")
    assert explained(capsys, ledger, address("gold"))["path"][-1]["anchor"] is None
    moved = explained(capsys, ledger, address("gold"), "--world", tmp_path / "elsewhere")
    assert moved["reasons"] == found["reasons"]
