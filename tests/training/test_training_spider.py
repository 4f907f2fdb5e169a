"""`foragers train`: what is read, counted, validated and told, and that models are of use."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB

from foragers.cli.main import main
from foragers.core.models import load_model
from foragers.evaluation.comparison.study import Study
from foragers.judges.simple import LabelJudge
from foragers.text.bayes import log_priors
from foragers.text.link_counts import KIND, VERSION, LinkCounts, bins_of
from foragers.text.link_text import TEXTS, link_words, page_words
from foragers.training.lesson import Lesson, sites_of
from foragers.training.link_examples import LinkExamples, worth_of_links
from foragers.training.spider import SpiderTrainer
from foragers.training.validation import accuracies, folds_of, guess
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.store import open_world, save
from support.crawl_folders import refused, said
from support.progress import silent
from support.random_worlds import random_world
from support.worlds_by_hand import small_world


def lesson_of(archive: Archive, label: str, sites: str = "") -> Lesson:
    wanted = frozenset(archive.labels.urls[label].tolist())
    return Lesson.of("w", Study(archive, LabelJudge(wanted), wanted, None), sites)


@pytest.fixture(scope="module")
def examples() -> LinkExamples:
    archive = generate("departments", seed=3, pages=400)
    return SpiderTrainer().read([lesson_of(archive, "target:paper")], silent)


def test_words_are_counted_as_they_stand_in_the_links() -> None:
    archive = random_world(3)
    lesson = lesson_of(archive, "wanted", "host")
    tally = SpiderTrainer().read([lesson], silent).tally()
    expected: dict[str, Counter[tuple[int, str]]] = {bag: Counter() for bag in tally.words}
    _, values = worth_of_links(lesson)
    place = 0
    for url in lesson.pages.tolist():
        version = int(lesson.shown[url])
        document = archive.texts.document(version)
        for link, target in zip(
            archive.texts.outlinks(version), archive.targets[archive.links_of(version)], strict=True
        ):
            inside = int(bins_of(values[place : place + 1])[0])
            place += 1
            for bag in expected:
                words = (
                    page_words(bag, document)
                    if bag in ("head", "page")
                    else link_words(bag, link, archive.book.href(int(target)))
                )
                expected[bag].update((inside, word) for word in words)
    assert tally.links.sum() == place
    for bag, known in tally.words.items():
        found = {
            (inside, word): int(tally.counts[bag][inside, number])
            for number, word in enumerate(known)
            for inside in range(5)
            if tally.counts[bag][inside, number]
        }
        assert found == dict(expected[bag]), bag


def test_validation_tells_what_scikit_learn_tells(examples: LinkExamples) -> None:
    # One bag at a time is what scikit-learn can do; the sum of several is tested on promises.
    folds, bins = folds_of(examples), np.minimum(bins_of(examples.values), 2)
    chosen = examples.texts["link"][examples.row_of["link"]]
    alone = LinkExamples(
        {"link": examples.words["link"]},
        {"link": examples.texts["link"]},
        {"link": examples.row_of["link"]},
        examples.values,
        examples.sites,
        examples.site_names,
    )
    for fold in range(2):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        counts = alone.counted("link", train, bins_of(examples.values[train]), 5)
        held = np.bincount(bins_of(examples.values[train]), minlength=5)
        ours = guess(alone, test, {"link": counts}, held, 3)
        known = np.flatnonzero(counts.any(axis=0))
        priors = np.exp(log_priors(np.bincount(bins[train], minlength=3)))
        theirs = MultinomialNB(alpha=1.0, class_prior=priors)
        theirs.fit(chosen[train][:, known], bins[train])
        assert np.mean(ours == theirs.predict(chosen[test][:, known])) > 0.999


def test_sites_are_left_out_in_turn_and_accuracy_is_that_of_each(examples: LinkExamples) -> None:
    found = accuracies(examples, ("related",))
    assert [one.bins for one in found] == [2, 3, 4, 5]
    assert {len(one.right) for one in found} == {4}
    assert found[0].right == found[0].right_of_two
    assert all(share > 0.9 for share in found[0].right)


def test_many_sites_are_left_out_in_groups_of_like_size(examples: LinkExamples) -> None:
    sites = np.repeat(np.arange(100), np.arange(1, 101))
    many = LinkExamples({}, {}, {}, np.zeros(len(sites)), sites, tuple(map(str, range(100))))
    folds = folds_of(many, 10)
    held = np.bincount(folds)
    assert len(held) == 10
    assert held.max() - held.min() <= 100
    assert all(len(np.unique(folds[sites == site])) == 1 for site in range(100))


def test_sites_are_told_by_label_domain_or_host() -> None:
    pages = {
        "http://www.a.org/": ["http://m.a.org/x"],
        "http://m.a.org/x": [],
        "http://b.org/": [],
    }
    world = small_world(pages, labels={"university:texas": ["http://m.a.org/x"]})
    by = {
        how: [sites_of(world, how)[1][number] for number in sites_of(world, how)[0]]
        for how in ("", "host", "university")
    }
    assert by[""] == ["a.org", "a.org", "b.org"]
    assert by["host"] == ["www.a.org", "m.a.org", "b.org"]
    assert by["university"] == ["a.org", "texas", "b.org"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("worlds") / "departments"
    save(generate("departments", seed=2, pages=400), path)
    return path


@pytest.fixture(scope="module")
def model(world: Path) -> Path:
    file = world.with_name("m.model")
    words = ["train", world, "-o", file, "--relevant", "target:paper"]
    assert main([str(word) for word in words]) == 0
    return file


def test_a_summary_tells_bins_accuracies_and_words(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m"
    kind = "spider(text=related, bins=3)"
    code, out, _ = said(
        capsys, "train", world, "-o", file, "--relevant", "target:paper", "--kind", kind
    )
    assert code == 0
    for told in ("immediate", "Q ≥ 0.5", "recall of immediate", "over 4", "papers (head)"):
        assert told in out, told
    found = LinkCounts.of(load_model(file, KIND, VERSION))
    assert tuple(found.words) == TEXTS["related"]
    assert found.links[0] > 20


def test_a_trained_spider_beats_breadth_first(
    world: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = f"spider(model={model}),rl-immediate(model={model}),full-page(model={model})"
    words = ["--strategies", specs, "--relevant", "target:paper", "--budget", 300, "--jobs", 1]
    code, _, err = said(capsys, "compare", world, *words, "--json", tmp_path / "r.json")
    assert code == 0, err
    found = json.loads((tmp_path / "r.json").read_text())["strategies"]
    assert all(one["closed"] > 0.3 for one in found.values()), found


def test_left_out_sites_teach_nothing(
    world: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [name for name in open_world(world).labels.urls if name.startswith("site:")]
    site = names[0].partition(":")[2]
    options = ["--relevant", "target:paper", "--kind", "spider(validate=false)"]
    said(capsys, "train", world, "-o", tmp_path / "m", *options, "--without", site)
    found = LinkCounts.of(load_model(tmp_path / "m", KIND, VERSION))
    everything = LinkCounts.of(load_model(model, KIND, VERSION))
    assert 0 < found.links[0] < everything.links[0]
    assert 0 < found.links.sum() < everything.links.sum()


def test_wrong_input_is_refused_in_one_line(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["--relevant", "target:paper"]
    out = ["-o", tmp_path / "m"]
    for words, why in (
        ([world, *out, *wanted, "--kind", "spyder"], "did you mean 'spider'"),
        ([world, *out, *wanted, "--kind", "spider(bin=3)"], "did you mean 'bins'"),
        ([world, *out, *wanted, "--kind", "spider(bins=9)"], "bins=9: use 2 to 5"),
        ([world, *out, *wanted, "--kind", "spider(text=none)"], "use related, full-page, both"),
        ([world, *out, *wanted, "--sites", "planet"], "use host, domain"),
        ([world, *out, *wanted, "--without", "nowhere"], "no such site"),
        ([world, *out, "--topic", "xylophone zither"], "none of its pages is wanted"),
        ([tmp_path / "none", *out, *wanted], "does not exist"),
        ([world, *out], "nothing is said to be wanted"),
        ([world, "-o", tmp_path / "no" / "m", *wanted], "its folder does not exist"),
    ):
        assert why in refused(capsys, "train", *words), why
    assert not (tmp_path / "m").exists()


def test_a_world_that_is_one_site_says_that_nothing_was_validated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"a": ["b", "t"], "b": ["t"], "t": []}
    save(small_world(pages, labels={"good": ["t"]}), tmp_path / "w")
    code, out, _ = said(capsys, "train", tmp_path / "w", "-o", tmp_path / "m", "--relevant", "good")
    assert code == 0
    assert "one site only" in out


def test_of_several_worlds_the_one_without_the_label_is_named(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(small_world({"a": ["b"], "b": []}), tmp_path / "bare")
    words = (world, tmp_path / "bare", "-o", tmp_path / "m", "--relevant", "target:paper")
    told = refused(capsys, "train", *words)
    assert f"{tmp_path / 'bare'}: --relevant target:paper: no such label" in told


def test_only_sites_with_pages_can_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"http://a.test/": ["http://a.test/t", "http://far.example/"], "http://a.test/t": []}
    save(small_world(pages, labels={"good": ["http://a.test/t"]}), tmp_path / "w")
    words = (tmp_path / "w", "-o", tmp_path / "m", "--relevant", "good", "--sites", "host")
    assert "there is a.test" in refused(capsys, "train", *words, "--without", "far.example")
