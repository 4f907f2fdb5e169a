import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from foragers.errors import UsageError
from foragers.worlds.generated import PRESETS, generate
from foragers.worlds.store import open_world, save
from support.generated_worlds import NAMES, SMALL, digest, small, urls_of_versions


@pytest.mark.parametrize("preset", NAMES)
def test_the_same_arguments_give_the_same_world_in_another_process(preset: str) -> None:
    code = (
        "from support.generated_worlds import SMALL, digest, generate;"
        f"print(digest(generate({preset!r}, 3, SMALL[{preset!r}])))"
    )
    environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "77"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == digest(generate(preset, 3, SMALL[preset]))


@pytest.mark.parametrize("preset", NAMES)
def test_another_seed_gives_another_world(preset: str) -> None:
    assert digest(small(preset)) != digest(small(preset, 1))


@pytest.mark.parametrize("preset", NAMES)
def test_a_world_has_the_pages_it_was_asked_for(preset: str) -> None:
    archive = small(preset)
    assert archive.pages == len(archive.book) == SMALL[preset]
    assert archive.origin == {"preset": preset, "seed": 0, "pages": SMALL[preset]}


@pytest.mark.parametrize("preset", NAMES)
def test_all_addresses_differ_and_can_be_found(preset: str) -> None:
    book = small(preset).book
    hrefs = [book.href(url) for url in range(len(book))]
    assert len(set(hrefs)) == len(hrefs)
    assert all(book.find(hrefs[url]) == url for url in range(0, len(book), 97))


@pytest.mark.parametrize("preset", NAMES)
def test_versions_are_sorted_by_page_and_time(preset: str) -> None:
    archive = small(preset)
    same_page = np.diff(urls_of_versions(archive)) == 0
    assert np.all(np.diff(archive.times)[same_page] > 0)
    assert np.all(np.diff(archive.version_starts) >= 1)
    assert archive.link_starts[-1] == len(archive.targets)


@pytest.mark.parametrize("preset", NAMES)
def test_no_version_says_the_same_as_the_one_before(preset: str) -> None:
    archive = small(preset)
    assert np.array_equal(archive.same_as, np.arange(archive.versions))
    texts, urls = archive.texts, urls_of_versions(archive)
    for version in (np.flatnonzero(np.diff(urls) == 0)[::37] + 1).tolist():
        words = texts.document(version) != texts.document(version - 1)
        targets = (archive.targets[archive.links_of(v)].tolist() for v in (version - 1, version))
        assert words or next(targets) != next(targets)


@pytest.mark.parametrize("preset", ["departments", "companies", "topics"])
def test_from_the_seeds_nearly_all_can_be_reached(preset: str) -> None:
    archive = small(preset)
    size = len(archive.book)
    sources = np.repeat(np.arange(size), np.diff(archive.link_starts))
    graph = csr_array((np.ones(len(sources)), (sources, archive.targets)), shape=(size, size))
    reached = [set(breadth_first_order(graph, seed)[0].tolist()) for seed in archive.seeds]
    assert len(set.union(*reached)) >= 0.95 * size
    if preset == "topics":
        assert min(len(pages) for pages in reached) >= 0.95 * size
    else:
        sites = [set(u.tolist()) for n, u in archive.labels.urls.items() if n.startswith("site:")]
        pairs = zip(reached, sites, strict=True)
        assert all(len(found & site) >= 0.95 * len(site) for found, site in pairs)


@pytest.mark.parametrize("preset", NAMES)
def test_a_world_that_was_saved_says_the_same(preset: str, tmp_path: Path) -> None:
    archive = small(preset)
    save(archive, tmp_path / "world")
    assert digest(open_world(tmp_path / "world")) == digest(archive)


@pytest.mark.parametrize("preset", NAMES)
def test_labels_name_kinds_and_what_the_preset_is_for(preset: str) -> None:
    labels = small(preset).labels.urls
    wanted = {
        "news": {"topic:politics", "kind:article", "kind:report", "kind:home"},
        "departments": {"target:paper", "kind:person", "topic:robotics"},
        "companies": {"target:officers", "kind:about"},
        "topics": {"topic:robotics", "topic:music", "kind:hub"},
    }
    assert wanted[preset] <= set(labels)
    assert all(len(urls) for urls in labels.values())


def test_an_unknown_preset_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no preset 'webs'; choose one of news, departments, "):
        generate("webs")


@pytest.mark.parametrize("preset", NAMES)
def test_an_unknown_parameter_is_refused_with_those_there_are(preset: str) -> None:
    with pytest.raises(UsageError, match=f"'{preset}' has no parameter 'colour'; it has .*noise"):
        generate(preset, colour=3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"topics": 0}, "'topics' of 'topics' is 0; it must be a whole number from 1"),
        ({"links": -1.0}, "'links' of 'topics' is -1.0; it must be a number from 0"),
        ({"links": "many"}, "'links' of 'topics' is 'many'; it must be a number from 0"),
        ({"pages": 10}, "'topics' needs at least 200 pages, not 10; ask for more"),
        ({"seed": -1}, "seed -1 is negative; choose 0 or more"),
    ],
)
def test_a_wrong_value_is_refused_with_what_it_must_be(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        generate("topics", **wrong)
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize("preset", NAMES)
def test_the_smallest_size_of_a_preset_works(preset: str) -> None:
    fewest = PRESETS[preset].fewest
    assert generate(preset, 5, fewest).pages == fewest


def test_parameters_are_kept_in_the_origin() -> None:
    archive = generate("topics", 2, 500, topics=3, links=4.0)
    assert archive.origin == {
        "preset": "topics", "seed": 2, "pages": 500, "topics": 3, "links": 4.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "params", "message"),
    [
        ("news", {"sections": 400}, "too few for 400 sections; ask for more pages or fewer"),
        ("departments", {"sites": 90}, "too few for a site; ask for more pages or fewer sites"),
    ],
)
def test_too_few_pages_for_the_parameters_are_refused(
    preset: str, params: dict[str, int], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        generate(preset, 0, 1_000, **params)
