import pickle
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from foragers.core.links import ParsedLink
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.generated.text.links import VAGUE
from foragers.worlds.generated.text.style import PATHS
from foragers.worlds.generated.text.vocabulary import SUBJECTS
from support.core_speed import units
from support.generated_worlds import NAMES, small, urls_of_versions
from support.worlds_by_hand import url_id, versions_of


def links(archive: Archive, step: int = 7) -> Iterator[ParsedLink]:
    for version in range(0, archive.versions, step):
        yield from archive.texts.outlinks(version)


@pytest.mark.parametrize("preset", NAMES)
def test_links_of_the_words_are_those_of_the_columns(preset: str) -> None:
    archive = small(preset)
    for version in range(0, archive.versions, 101):
        targets = archive.targets[archive.links_of(version)].tolist()
        found = archive.texts.outlinks(version)
        assert [out.href for out in found] == [archive.book.href(url) for url in targets]
        assert [out.position for out in found] == list(range(len(targets)))
        assert all(out.anchor and out.anchor in out.around and out.path in PATHS for out in found)


@pytest.mark.parametrize("fidelity", [0.3, 0.9])
def test_anchors_are_informative_at_the_stated_rate(fidelity: float) -> None:
    archive = generate("topics", 1, 3000, fidelity=fidelity)
    told = [out.anchor not in VAGUE for out in links(archive)]
    assert np.mean(told) == pytest.approx(fidelity, abs=0.02)


def test_an_informative_anchor_repeats_the_title_of_its_target() -> None:
    archive = small("topics")
    texts = archive.texts
    hits = [
        out.anchor.lower() in texts.document(url_id(archive, out.href)).title.lower()
        for out in links(archive, 61)
        if out.anchor not in VAGUE and "main" in out.path
    ]
    assert len(hits) > 100
    assert np.mean(hits) > 0.95


def test_words_around_a_link_speak_of_its_target_more_without_noise() -> None:
    def share(noise: float) -> float:
        archive = generate("topics", 1, 2000, noise=noise)
        rows = {int(u): n for n, us in archive.labels.urls.items() if "topic:" in n for u in us}
        hits = []
        for out in links(archive, 11):
            topic = rows.get(url_id(archive, out.href))
            if topic and "main" in out.path:
                own = SUBJECTS[topic.removeprefix("topic:")]
                rest = out.around.replace(out.anchor, "").split()
                hits.append(np.mean([word in own for word in rest]))
        return float(np.mean(hits))

    # Noise is often of the topic of the linking page, which is often the same.
    assert share(0.0) > 1.3 * share(0.6) > 0


def test_a_page_scores_highest_on_the_keywords_of_its_own_topic() -> None:
    archive = small("topics")
    right = []
    for name in list(SUBJECTS)[:20]:
        for url in archive.labels.urls[f"topic:{name}"][:15].tolist():
            words = Counter(archive.texts.document(url).text.lower().replace(".", "").split())
            scores = {t: sum(words[w] for w in ks) for t, ks in list(SUBJECTS.items())[:20]}
            right.append(scores[name] == max(scores.values()) > 0)
    assert np.mean(right) > 0.85


@pytest.mark.parametrize("preset", NAMES)
def test_documents_have_titles_headings_and_texts_of_the_usual_length(preset: str) -> None:
    archive = small(preset)
    found = [archive.texts.document(v) for v in range(0, archive.versions, 11)]
    assert all(d.title and d.headings[0] == d.title and d.language == "en" for d in found)
    lengths = np.array([len(document.text.split()) for document in found])
    assert 120 < lengths.mean() < 300
    assert np.median(lengths) < lengths.mean()


def test_articles_name_the_time_of_their_first_version() -> None:
    archive = small("news")
    article = int(archive.labels.urls["kind:article"][-5])
    for version in versions_of(archive, article):
        published = archive.texts.document(version).published
        assert published == archive.times[archive.version_starts[article]]
    assert archive.texts.document(0).published is None


def test_a_correction_changes_some_words_and_leaves_the_rest() -> None:
    archive = small("news")
    urls = urls_of_versions(archive)
    articles = np.isin(urls, archive.labels.urls["kind:article"])
    again = np.flatnonzero((np.diff(urls) == 0) & articles[1:]) + 1
    for version in again[:20].tolist():
        old, new = (archive.texts.document(v) for v in (version - 1, version))
        words = list(zip(old.text.split(), new.text.split(), strict=True))
        assert old.title == new.title
        assert 0 < sum(a != b for a, b in words) < 0.4 * len(words) + 3


def test_the_body_is_the_page_as_html() -> None:
    archive = small("departments")
    body = archive.texts.body(0)
    html = body.data.decode()
    assert body.content_type == "text/html; charset=utf-8"
    assert "Department of Computer Science" in html
    assert all(out.href in html for out in archive.texts.outlinks(0))


def test_texts_can_be_pickled() -> None:
    texts = small("companies").texts
    again = pickle.loads(pickle.dumps(texts))
    assert again.document(7) == texts.document(7)
    assert again.outlinks(0) == texts.outlinks(0)


def test_words_are_made_up_fast_enough() -> None:
    archive = small("topics")
    count = 200
    made = sum(len(archive.texts.outlinks(version)) for version in range(count))

    def documents() -> None:
        for version in range(count):
            archive.texts.document(version)

    def links() -> None:
        for version in range(count):
            archive.texts.outlinks(version)

    # Several times what it takes: this is to notice a change of order.
    assert units(documents, times=3) / count < 0.5
    assert units(links, times=3) / made < 0.08
