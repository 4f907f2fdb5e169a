import numpy as np
import pytest

from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from support.generated_worlds import small


def depths(archive: Archive, seed: int) -> dict[int, int]:
    found, level, depth = {seed: 0}, {seed}, 0
    while level:
        depth += 1
        level = {
            target
            for page in level
            for target in archive.targets[archive.links_of(page)].tolist()
            if target not in found
        }
        found.update(dict.fromkeys(level, depth))
    return found


def sites(archive: Archive) -> dict[str, set[int]]:
    return {n: set(u.tolist()) for n, u in archive.labels.urls.items() if n.startswith("site:")}


@pytest.mark.parametrize(("preset", "count"), [("departments", 4), ("companies", 26)])
def test_every_page_belongs_to_one_site_and_links_stay_in_it(preset: str, count: int) -> None:
    archive = small(preset)
    numbers = np.full(len(archive.book), -1)
    for number, pages in enumerate(sites(archive).values()):
        assert np.all(numbers[list(pages)] == -1)
        numbers[list(pages)] = number
    sources = np.repeat(np.arange(len(numbers)), np.diff(archive.link_starts))
    assert len(sites(archive)) == len(archive.seeds) == count
    assert np.array_equal(numbers[sources], numbers[archive.targets])
    assert numbers[list(archive.seeds)].tolist() == list(range(count))


def test_each_company_has_one_page_of_officers_two_to_five_clicks_away() -> None:
    archive = small("companies")
    targets = archive.labels.urls["target:officers"].tolist()
    found = [depths(archive, seed) for seed in archive.seeds]
    clicks = [pages[target] for pages, target in zip(found, targets, strict=True)]
    assert set(clicks) == {2, 3, 4, 5}
    assert all(len(site & set(targets)) == 1 for site in sites(archive).values())


def test_papers_are_few_and_found_through_people_projects_and_lists() -> None:
    archive = small("departments")
    labels = archive.labels.urls
    papers = labels["target:paper"]
    assert len(papers) / archive.pages == pytest.approx(0.043, abs=0.003)
    sources = np.repeat(np.arange(archive.pages), np.diff(archive.link_starts))
    from_where = sources[np.isin(archive.targets, papers)]
    promising = np.concatenate(
        [labels[f"kind:{k}"] for k in ("person", "project", "list", "paper")]
    )
    assert np.mean(np.isin(from_where, promising)) == 1.0
    clicks = depths(archive, archive.seeds[0])
    assert min(clicks[paper] for paper in papers.tolist() if paper in clicks) == 3


def test_a_department_has_several_hosts() -> None:
    archive = small("departments")
    names = sorted(name.split(".")[0] for name in archive.book.host_names)
    assert names == ["labs"] * 4 + ["people"] * 4 + ["www"] * 4


def test_the_number_of_sites_can_be_chosen() -> None:
    assert len(generate("departments", 0, 2_000, sites=7).seeds) == 7


def test_words_of_a_link_foretell_papers() -> None:
    """A link's own words tell links to papers from others far better than guessing does."""
    archive = generate("departments", 1, 3_000, fidelity=1.0, noise=0.0)
    papers = set(archive.labels.urls["target:paper"].tolist())
    signs = {"abstract", "postscript", "pdf", "proceedings", "references", "propose"}
    told: dict[bool, list[bool]] = {True: [], False: []}
    for version in range(0, archive.pages, 3):
        targets = archive.targets[archive.links_of(version)].tolist()
        for target, out in zip(targets, archive.texts.outlinks(version), strict=True):
            if "main" in out.path:
                told[target in papers].append(bool(signs & set(out.around.split())))
    assert np.mean(told[True]) > 0.9
    assert np.mean(told[False]) < 0.25
