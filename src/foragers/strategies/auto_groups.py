"""To which groups the links of a page belong: by tag path, directory, anchor and shape.

Most links of a page share their host, their tag path and their directory with others, so
that what is found for one is kept until the page has been read.  Hosts and pages are named by
their URLs, so that a group has the same name in the next crawl.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.strategies.auto_links import Address, Anchor
from foragers.strategies.auto_rates import Rates
from foragers.types import HostId

Groups = tuple[int, int, int, int]


@dataclass(slots=True)
class HostGroups:
    """The groups of the links of one page to one host."""

    rates: Rates
    page: str
    host: str
    around: int
    _tags: dict[str, int] = field(default_factory=dict)
    _directories: dict[str, int] = field(default_factory=dict)
    _shapes: dict[str, int] = field(default_factory=dict)

    def of(self, path: str, address: Address, anchor: Anchor) -> Groups:
        """Return the groups of a link: by tag path, directory, anchor and shape of its address."""
        tags = self._tags.get(path)
        if tags is None:
            tags = self._tags[path] = self._of_tags(path)
        innermost = address.directories[-1] if address.directories else ""
        directory = self._directories.get(innermost)
        if directory is None:
            directory = self._directories[innermost] = self._of_directory(address)
        shape = self._shapes.get(address.shape)
        if shape is None:
            shape = self._shapes[address.shape] = self._of_shape(address)
        return tags, directory, self.rates.group(anchor.name), shape

    def _of_tags(self, path: str) -> int:
        on_host = self.rates.group(f"tags {self.host} {path}", self.around)
        return self.rates.group(f"page {self.page} {path}", on_host)

    def _of_directory(self, address: Address) -> int:
        group = self.around
        for prefix in address.directories:
            group = self.rates.group(f"in {self.host}{prefix}", group)
        return group

    def _of_shape(self, address: Address) -> int:
        kind = self.rates.group(f"kind {address.kind}")
        return self.rates.group(f"shape {self.host} {address.shape}", kind)


@dataclass(slots=True)
class PageGroups:
    """The groups of the links of one page."""

    rates: Rates
    page: str
    _hosts: dict[HostId, HostGroups] = field(default_factory=dict)

    def of(self, host: HostId, href: str, path: str, address: Address, anchor: Anchor) -> Groups:
        """Return the groups of a link."""
        here = self._hosts.get(host)
        if here is None:
            name = href.split("/", 3)[2]
            around = self.rates.group(host_group(name))
            here = self._hosts[host] = HostGroups(self.rates, self.page, name, around)
        return here.of(path, address, anchor)


def host_group(name: str) -> str:
    """Return the name of the group of all links to a host."""
    return f"host {name}"
