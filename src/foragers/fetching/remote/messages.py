"""What the crawl and its nodes tell each other: orders and answers, as msgpack and never as code.

The crawl numbers URLs, and nodes do not know its numbers; so messages have URLs as strings.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from foragers.core.content import PackedContent
from foragers.core.links import ParsedLinks
from foragers.core.packing import Compress, Unpack, decoder_of, unpacked
from foragers.core.types import Purpose, Status
from foragers.errors import DamagedError
from foragers.fetching.extractor import Extracted
from foragers.fetching.history import CachedPage


class Validators(msgspec.Struct, frozen=True, array_like=True):
    """The validators of a page that is requested again, from its last visit."""

    url: str
    etag: str
    modified: str
    version: int
    seen: float

    @classmethod
    def of(cls, cached: CachedPage) -> Validators:
        """Return the validators of a page in the ledger."""
        return cls(cached.url, cached.etag, cached.modified, cached.version, cached.seen)


class Order(msgspec.Struct, frozen=True, array_like=True):
    """A page to fetch: the `url` of a choice, which has led to `at` after some redirects.

    Without a `url`, it is a site to be left to another node.
    """

    url: str
    at: str
    hops: int
    depth: int
    is_seed: bool
    purpose: Purpose
    cached: Validators | None = None

    @classmethod
    def to_leave(cls, site: str) -> Order:
        """Return the order to leave a site to another node."""
        return cls("", site, 0, 0, False, Purpose.PAGE)


class FoundContent(msgspec.Struct, frozen=True, array_like=True):
    """The content of a page as a node extracted it, before the trap detector has seen it."""

    packed: PackedContent
    version: Annotated[int, msgspec.Meta(ge=-1, le=(1 << 63) - 1)]
    born: Annotated[float, msgspec.Meta(ge=-(1 << 40), le=1 << 40)]
    noarchive: bool

    @classmethod
    def of(cls, found: Extracted, born: float, compress: Compress) -> FoundContent:
        """Return the content that was extracted, which appeared at a time."""
        links = ParsedLinks.of(found.links)
        packed = PackedContent.of(found.text, links, found.etag, found.modified, compress)
        return cls(packed, found.version, born, found.noarchive)


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of an order, and how long the host is to be left alone after it.

    Without a `status` there is no page yet: the order is to be given again after `wait` seconds,
    to the node `holder` if that has the lease it needs.  With one, `wait` is when a deferred page
    may be requested again, unless that has happened `most` times.  `busy` and `down` count how
    often in a row the host was overloaded, and could not be reached.
    """

    url: str
    hops: int
    pause: float
    status: Status | None = None
    reason: str = ""
    record: str = ""
    wait: float | None = None
    most: int = 0
    holder: int = 0
    found: FoundContent | None = None
    busy: int = 0
    down: int = 0

    def extracted(self, unpack: Unpack = unpacked) -> Extracted:
        """Return the content of the page."""
        status, found = self.status or Status.FAILED, self.found
        if found is None:
            return Extracted(status, self.reason)
        try:
            sent = found.packed.read(unpack)
        except DamagedError as error:
            return Extracted(Status.FAILED, f"cannot be read: {error}")
        return Extracted(
            status, self.reason, sent.words, ParsedLinks.read(sent.hrefs, sent.told),
            found.version, found.born, sent.etag, sent.modified, noarchive=found.noarchive,
            packed=None if found.noarchive else found.packed,
        )  # fmt: skip


pack_order = pack_answer = msgspec.msgpack.Encoder().encode
unpack_order = decoder_of(Order)
unpack_answer = decoder_of(Answer)


class OrderBatch(msgspec.Struct, frozen=True, array_like=True):
    """What a crawl tells the process that fetches for it.

    These are numbered orders, targets of seeds' redirects, and for how many seconds hosts are to be
    left alone, with the number of times in a row they were overloaded.
    """

    orders: list[tuple[int, Order]]
    widened: list[str]
    delays: dict[str, tuple[float, int]] = {}


class AnswerBatch(msgspec.Struct, frozen=True, array_like=True):
    """What that process tells: answers, lines for users, and about the network.

    `down_for` is for how many seconds no host has been reached, 0 if the network is not down, and
    `probe_in` when it is tried again.  `failed` is why it cannot go on.
    """

    answers: list[tuple[int, Answer]]
    notices: list[str]
    down_for: float = 0.0
    probe_in: float = 0.0
    failed: str = ""


pack_orders = pack_answers = pack_order
unpack_orders = decoder_of(OrderBatch)
unpack_answers = decoder_of(AnswerBatch)
