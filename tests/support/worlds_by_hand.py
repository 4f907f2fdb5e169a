"""Worlds small enough to draw: `small_world({"a": ["b"], "b": []})`.

A name without a scheme is a page of one site: "a" is http://site.test/a.  Whatever is
only linked to is a URL without a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from foragers.core.types import Document, ParsedLink, UrlId
from foragers.worlds.addresses import AddressBook
from foragers.worlds.archive import Archive, Body, Labels
from foragers.worlds.html_writer import render
from foragers.worlds.texts import StoredTexts, TextWriter, pack

Later = tuple[float, str, Sequence[str] | None]
"""When a page changes, which one, and its new links; None when it goes away (404)."""


def address(name: str) -> str:
    """Return the URL of a name."""
    return name if "://" in name else f"http://site.test/{name}"


def url_id(world: Archive, name: str) -> UrlId:
    """Return the number that a world gives to the URL of a name."""
    found = world.book.find(address(name))
    assert found is not None, f"the world does not know {name}"
    return found


@dataclass(frozen=True)
class Version:
    url: int
    time: float
    code: int
    redirect: int
    links: tuple[int, ...]
    text: str


@dataclass
class WrittenTexts:
    """Texts in memory; saved, they are stored texts."""

    versions: list[Version]
    book: AddressBook

    kind: ClassVar[str] = StoredTexts.kind

    def save(self, folder: Path) -> None:
        writer = TextWriter(folder)
        for version in range(len(self.versions)):
            words = self.document(version), self.outlinks(version), self.body(version)
            writer.add(pack(*words))
        writer.close(np.arange(len(self.versions)))

    def document(self, version: int) -> Document:
        text = self.versions[version].text
        return Document(title=text, text=text)

    def outlinks(self, version: int) -> Sequence[ParsedLink]:
        hrefs = [self.book.href(url) for url in self.versions[version].links]
        return [ParsedLink(href, anchor=href.rpartition("/")[2]) for href in hrefs]

    def body(self, version: int) -> Body:
        return Body("text/html", render(self.document(version), self.outlinks(version)))


def small_world(
    pages: Mapping[str, Sequence[str]],
    *,
    seeds: Sequence[str] | None = None,
    redirects: Mapping[str, str] | None = None,
    born: Mapping[str, float] | None = None,
    later: Sequence[Later] = (),
    texts: Mapping[str, str] | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    end: float | None = None,
) -> Archive:
    """Return the world of these pages and their links.

    The first page is the seed unless others are given.  Pages are there from time 0
    unless `born` later; `later` lists what changes, and each change is new content.
    The text of a page is its name unless `texts` says otherwise.
    """
    redirects, born, texts = redirects or {}, born or {}, texts or {}
    ids: dict[str, int] = {}

    def number(name: str) -> int:
        return ids.setdefault(address(name), len(ids))

    def version(time: float, name: str, links: Sequence[str] | None) -> Version:
        code = 404 if links is None else 200
        linked = tuple(number(link) for link in links or ())
        return Version(number(name), time, code, -1, linked, texts.get(name, name))

    for name in pages:
        number(name)
    versions = [version(born.get(name, 0.0), name, links) for name, links in pages.items()]
    versions += [
        Version(number(name), born.get(name, 0.0), 301, number(onward), (), "")
        for name, onward in redirects.items()
    ]
    versions += [version(*change) for change in later]
    versions.sort(key=lambda one: (one.url, one.time))
    started = [number(name) for name in (list(pages)[:1] if seeds is None else seeds)]
    labelled = {
        label: np.array([number(name) for name in names], np.int32)
        for label, names in (labels or {}).items()
    }
    last = max((one.time for one in versions), default=0.0) if end is None else end
    book = AddressBook.pack(list(ids))
    return _archive(versions, book, tuple(started), Labels(labelled), last)


def _archive(
    versions: list[Version], book: AddressBook, seeds: tuple[int, ...], labels: Labels, end: float
) -> Archive:
    held = np.bincount(np.array([one.url for one in versions], np.int64), minlength=len(book))
    targets = [target for one in versions for target in one.links]
    return Archive(
        book=book,
        version_starts=np.concatenate(([0], np.cumsum(held))).astype(np.int64),
        times=np.array([one.time for one in versions], np.float64),
        codes=np.array([one.code for one in versions], np.int16),
        redirects=np.array([one.redirect for one in versions], np.int32),
        same_as=np.arange(len(versions), dtype=np.int32),
        link_starts=np.cumsum([0, *(len(one.links) for one in versions)], dtype=np.int64),
        targets=np.array(targets, np.int32),
        texts=WrittenTexts(versions, book),
        seeds=seeds,
        labels=labels,
        evolving=any(one.time != versions[0].time for one in versions),
        end=end,
    )


def versions_of(archive: Archive, url: UrlId) -> range:
    """Return the versions of a URL, oldest first."""
    return range(int(archive.version_starts[url]), int(archive.version_starts[url + 1]))
