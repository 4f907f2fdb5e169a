"""`news`: a news site over eighteen days, scale-free and a small world.

Its structure is tuned to that of the site in the `selection` paper, over all links of
all versions: most pages link nowhere, a few to very many, and how often a page is linked
follows a power law.  docs/generated-worlds.md has the numbers.  The home page lists a
fifth of the news; the rest is found through sections, desks and reports.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from foragers.worlds.addresses import AddressBook
from foragers.worlds.archive import Archive, Labels
from foragers.worlds.generated.chance import generator
from foragers.worlds.generated.columns import Ground, Marks
from foragers.worlds.generated.editions import Fixed, Items, lay_out, versions
from foragers.worlds.generated.kinds import Headline, Kind
from foragers.worlds.generated.newsroom import HOME, NewsParameters, Newsroom, Numbers
from foragers.worlds.generated.reporting import events
from foragers.worlds.generated.rhythm import days
from foragers.worlds.generated.style import Style
from foragers.worlds.generated.subjects import SUBJECTS
from foragers.worlds.generated.syllables import made_up
from foragers.worlds.generated.texts import GeneratedTexts
from foragers.worlds.generated.weaving import START, members

KINDS = (
    Kind("home", ("The Daily Kestrel",), ("headlines", "today", "latest", "top"), Headline.NONE),
    Kind("section", ("Latest", "All"), ("headlines", "section", "latest", "today", "editor")),
    Kind("front", ("More on", "Topic:"), ("stories", "topic", "archive", "latest", "background")),
    Kind(
        "service",
        ("Terms of use", "Privacy", "Contact us", "Advertise", "Help", "Weather", "Newsletters"),
        ("terms", "privacy", "contact", "subscribe", "help", "service", "account"),
        Headline.NONE,
        topical=0.0,
    ),
    Kind("article", ("",), ("said", "told", "reported", "officials", "yesterday"), dated=True),
    Kind(
        "report",
        ("Live:", "Timeline:", "Special report:"),
        ("live", "updates", "timeline", "coverage", "related", "developing", "follow"),
        own=0.15,
        dated=True,
    ),
)

SECTIONS = ("politics", "markets", "football", "health", "film", "climate", "law", "music")
"""The topics of the first sections; others follow in the order of the subjects."""

HOSTS = ("www", "sport", "money", "life")
HOST_OF_SECTION = {
    "markets": 2, "football": 1, "cycling": 1, "film": 3, "music": 3, "food": 3, "travel": 3,
}
SITE = "dailykestrel.com"


def news_world(
    seed: int, pages: int, parameters: NewsParameters, origin: dict[str, str | int | float]
) -> Archive:
    """Make a `news` world."""
    room = Newsroom(seed, pages, parameters)
    found = events(room, seed)
    random = generator("news", seed, "editions")
    items = Items.of(room, found)
    editions = versions(room, items, random)
    navigation, footer = fixed_links(room, random)
    link_starts, targets, roles = lay_out(room, items, navigation, footer, editions)
    version_starts = np.searchsorted(editions.urls, np.arange(pages + 1))
    book = AddressBook.pack(hrefs(room))
    times = START + editions.times.astype(np.float64)
    names = section_names(room.sections)
    desks = tuple(made_up(900_000 + at) for at in range(room.sections * room.desks))
    style = Style(seed, names + desks, KINDS, parameters.fidelity, parameters.noise)
    topics, seconds = topic_rows(room)
    marks = Marks(
        topics.astype(np.int16),
        seconds.astype(np.int16),
        room.kinds.astype(np.uint8),
        np.minimum(editions.revisions, 65_535).astype(np.uint16),
        roles,
    )
    ground = Ground(book.letters, book.starts, version_starts, times, link_starts, targets)
    labels = members("topic", ("", *names), topics)
    labels |= members("kind", [kind.name for kind in KINDS], room.kinds)
    return Archive(
        book=book,
        version_starts=version_starts,
        times=times,
        codes=np.full(len(times), 200, np.int16),
        redirects=np.full(len(times), -1, np.int32),
        same_as=np.arange(len(times), dtype=np.int32),
        link_starts=link_starts,
        targets=targets,
        texts=GeneratedTexts(style, marks, ground),
        seeds=(HOME,),
        labels=Labels(labels),
        evolving=True,
        start=START,
        end=START + room.end,
        origin=origin,
    )


def fixed_links(room: Newsroom, random: np.random.Generator) -> tuple[Fixed, Fixed]:
    """Return the links for getting about the site, and those to its service pages."""
    sections, fronts = np.arange(1, room.first_front), room.fronts
    above = 1 + room.section[fronts]
    reports = room.reports
    upward = reports[random.random(len(reports)) < room.parameters.upward]
    sources = np.concatenate((np.zeros_like(sections), sections, above, fronts, upward))
    targets = np.concatenate(
        (sections, np.zeros_like(sections), fronts, above, room.front_of(upward))
    )
    services = np.arange(room.first_service, room.first_article)
    wide = np.minimum(5 * (1 - random.random(len(services))) ** (-1 / 1.2), len(reports) / 4 + 1)
    linked = np.repeat(services, wide.astype(np.int64))
    linking = random.choice(np.concatenate((np.arange(room.first_service), reports)), len(linked))
    linking[np.flatnonzero(np.diff(linked, prepend=-1))] = HOME
    pairs = np.unique(linking * room.pages + linked)
    return (
        Fixed.of(sources, targets, room.pages),
        Fixed.of(pairs // room.pages, pairs % room.pages, room.pages),
    )


def topic_rows(room: Newsroom) -> tuple[Numbers, Numbers]:
    """Return the rows of each page's topic, its section's, and of its second one, its desk's."""
    topics = 1 + room.section
    seconds = 1 + room.sections + room.section * room.desks + room.desk
    topics[HOME] = 0
    topics[room.first_service : room.first_article] = 0
    return topics, np.where(room.desk < 0, topics, seconds)


def section_names(count: int) -> tuple[str, ...]:
    """Return the names of so many sections."""
    names = (*SECTIONS, *(name for name in reversed(SUBJECTS) if name not in SECTIONS))
    more = (made_up(800_000 + at) for at in range(count - len(names)))
    return (*names[:count], *more)


def hrefs(room: Newsroom) -> list[str]:
    """Return the addresses of all pages; an article's tells its day and its section."""
    names = section_names(room.sections)
    hosts = [f"http://{HOSTS[HOST_OF_SECTION.get(name, 0)]}.{SITE}" for name in names]
    fixed = [f"http://www.{SITE}/"]
    fixed += [f"{host}/{name}/" for host, name in zip(hosts, names, strict=True)]
    for page in room.fronts.tolist():
        section, desk = int(room.section[page]), int(room.desk[page])
        word = made_up(900_000 + section * room.desks + desk)
        fixed.append(f"{hosts[section]}/{names[section]}/{word}/")
    services = range(room.first_article - room.first_service)
    fixed += [f"http://www.{SITE}/services/{made_up(700_000 + at)}.html" for at in services]
    articles = slice(room.first_article, None)
    dates = dated(days(room.born[articles]))
    written = zip(room.section[articles].tolist(), dates, range(room.first_article, room.pages), strict=True)
    fixed += [
        f"{hosts[section]}/{date}/{names[section]}/{made_up(page * 17)}-{page}.html"
        for section, date, page in written
    ]
    return fixed


def dated(day_numbers: Numbers) -> list[str]:
    """Return days as they stand in addresses."""
    start = datetime.fromtimestamp(START, UTC)
    known = {
        day: f"{start + timedelta(days=day):%Y/%m/%d}" for day in np.unique(day_numbers).tolist()
    }
    return [known[day] for day in day_numbers.tolist()]
