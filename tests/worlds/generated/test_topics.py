import tracemalloc
from time import process_time

import numpy as np
from numpy.typing import NDArray

from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.generated.text.vocabulary import SUBJECTS, made_up, names_of_topics
from support.generated_worlds import small


def topics_of(archive: Archive) -> NDArray[np.int64]:
    rows = np.zeros(len(archive.book), np.int64)
    named = (n for n in archive.labels.urls if n.startswith("topic:"))
    for row, name in enumerate(named, 1):
        rows[archive.labels.urls[name]] = row
    return rows


def test_pages_link_to_their_own_topic_more_than_chance_would() -> None:
    archive = small("topics")
    rows = topics_of(archive)
    sources = np.repeat(np.arange(len(rows)), np.diff(archive.link_starts))
    about = (rows[sources] > 0) & (rows[archive.targets] > 0)
    same = np.mean(rows[sources[about]] == rows[archive.targets[about]])
    by_chance = np.sum((np.bincount(rows[rows > 0]) / np.count_nonzero(rows)) ** 2)
    assert same > 0.5 > 3 * by_chance


def test_a_host_is_about_a_few_topics() -> None:
    archive = small("topics")
    rows = topics_of(archive)
    counts = [
        len(np.unique(rows[(archive.book.host_ids == host) & (rows > 0)]))
        for host in range(len(archive.book.host_names))
    ]
    assert max(counts) <= 3


def test_hubs_link_to_many_pages_of_their_topic() -> None:
    archive = small("topics")
    rows = topics_of(archive)
    for hub in archive.labels.urls["kind:hub"].tolist():
        targets = archive.targets[archive.links_of(hub)]
        assert len(targets) > 30
        assert np.mean(rows[targets] == rows[hub]) > 0.6


def test_every_topic_has_pages_and_beyond_the_named_ones_names_are_made_up() -> None:
    archive = generate("topics", 0, 3_000, topics=30)
    names = [name.removeprefix("topic:") for name in archive.labels.urls if "topic:" in name]
    assert len(names) == 30
    assert set(SUBJECTS) < set(names)
    assert names_of_topics(30) == tuple(names)


def test_made_up_words_are_all_different() -> None:
    assert len({made_up(index) for index in range(50_000)}) == 50_000


def test_time_and_memory_grow_in_line_with_the_pages() -> None:
    def costs(pages: int) -> tuple[float, int]:
        tracemalloc.start()
        generate("topics", 0, pages)
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        start = process_time()
        generate("topics", 0, pages)
        return process_time() - start, memory

    generate("topics", 0, 1_000)
    small_time, small_memory = costs(10_000)
    large_time, large_memory = costs(40_000)
    assert large_memory < 5 * small_memory
    assert large_memory < 40_000 * 4_000
    assert large_time < 8 * small_time
