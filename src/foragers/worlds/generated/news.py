"""`news`: a news site over eighteen days, scale-free and a small world.

Its structure is fitted to that of the site in the `selection` paper, over all links of all
versions: most pages have no links, a few have very many, and the number of links to a page follows
a power law.  docs/generated-worlds.md has the numbers.  The home page lists a tenth of the news;
the rest is found through sections, desks and reports.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from foragers.core.exact import power
from foragers.worlds.archive import Archive
from foragers.worlds.generated.build import START, Numbers, Origin, Pages, members, world
from foragers.worlds.generated.news_links import events, with_related
from foragers.worlds.generated.news_pages import HOME, NewsParameters, Newsroom, days
from foragers.worlds.generated.page_versions import Fixed, Items, lay_out, versions
from foragers.worlds.generated.text.seeded import generator
from foragers.worlds.generated.text.style import Headline, PageKind, Style
from foragers.worlds.generated.text.vocabulary import SUBJECTS, made_up

KINDS = (
    PageKind(
        "home", ("The Daily Kestrel",), ("headlines", "today", "latest", "top"), Headline.NONE
    ),
    PageKind("section", ("Latest", "All"), ("headlines", "section", "latest", "today", "editor")),
    PageKind(
        "front", ("More on", "Topic:"), ("stories", "topic", "archive", "latest", "background")
    ),
    PageKind(
        "service",
        ("Terms of use", "Privacy", "Contact us", "Advertise", "Help", "Weather", "Newsletters"),
        ("terms", "privacy", "contact", "subscribe", "help", "service", "account"),
        Headline.NONE,
        topical=0.0,
    ),
    PageKind("article", ("",), ("said", "told", "reported", "officials", "yesterday"), dated=True),
    PageKind(
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
    "markets": 2,
    "football": 1,
    "cycling": 1,
    "film": 3,
    "music": 3,
    "food": 3,
    "travel": 3,
}
SITE = "dailykestrel.com"

SECTION_WORDS, DESK_WORDS, SERVICE_WORDS = 800_000, 900_000, 700_000
"""First word numbers of the generated names of sections, desks and service pages."""


def news_world(seed: int, pages: int, parameters: NewsParameters, origin: Origin) -> Archive:
    """Make a `news` world."""
    room = Newsroom(seed, pages, parameters)
    random = generator("news", seed, "editions")
    gathered = events(room, seed)
    # Related links are there from the start, so they make no version of their own.
    editions = versions(room, Items.of(room, gathered), random)
    items = Items.of(room, with_related(room, gathered, seed))
    navigation, footer = fixed_links(room, random)
    weave = lay_out(room, items, with_navigation(room, navigation, seed), footer, editions)
    topics, seconds = topic_rows(room)
    names = section_names(room.sections)
    desks = tuple(made_up(DESK_WORDS + at) for at in range(room.sections * room.desks))
    labels = members("topic", ("", *names), topics)
    labels |= members("kind", [kind.name for kind in KINDS], room.kinds)
    return world(
        Pages(hrefs(room), topics, seconds, room.kinds),
        editions.timeline(pages),
        weave,
        Style(seed, names + desks, KINDS, parameters.fidelity, parameters.noise),
        seeds=(HOME,),
        labels=labels,
        origin=origin,
        end=START + room.end,
    )


def fixed_links(room: Newsroom, random: np.random.Generator) -> tuple[Fixed, Fixed]:
    """Return the navigation links, and those to service pages."""
    sections, fronts = np.arange(1, room.first_front), room.fronts
    above = 1 + room.section[fronts]
    reports = room.reports
    upward = reports[random.random(len(reports)) < room.parameters.upward]
    sources = np.concatenate((np.zeros_like(sections), sections, above, fronts, upward))
    targets = np.concatenate(
        (sections, np.zeros_like(sections), fronts, above, room.front_of(upward))
    )
    services = np.arange(room.first_service, room.first_article)
    wide = 5 * power(1 - random.random(len(services)), -1 / 1.2)
    wide = np.minimum(wide, len(reports) / 4 + 1)
    linked = np.repeat(services, wide.astype(np.int64))
    linking = random.choice(np.concatenate((np.arange(room.first_service), reports)), len(linked))
    linking[np.flatnonzero(np.diff(linked, prepend=-1))] = HOME
    pairs = np.unique(linking * room.pages + linked)
    return (
        Fixed.of(sources, targets, room.pages),
        Fixed.of(pairs // room.pages, pairs % room.pages, room.pages),
    )


def with_navigation(room: Newsroom, fixed: Fixed, seed: int) -> Fixed:
    """Add links from pages to the home page, the sections and, for articles, their desk."""
    share = room.parameters.navigation
    if not share:
        return fixed
    random = generator("news", seed, "navigation")
    pages = np.arange(1, room.pages)
    pages = pages[random.random(len(pages)) < share]
    articles = pages[pages >= room.first_article]
    top = np.arange(room.first_front)
    known = np.repeat(np.arange(room.pages), fixed.counts())
    sources = np.concatenate((known, np.repeat(pages, len(top)), articles))
    targets = np.concatenate((fixed.targets, np.tile(top, len(pages)), room.front_of(articles)))
    linked = sources != targets
    pairs = np.unique(sources[linked] * room.pages + targets[linked])
    return Fixed.of(pairs // room.pages, pairs % room.pages, room.pages)


def topic_rows(room: Newsroom) -> tuple[Numbers, Numbers]:
    """Return the vocabulary rows of each page's topic (its section) and second topic (its desk)."""
    topics = 1 + room.section
    seconds = 1 + room.sections + room.section * room.desks + room.desk
    topics[HOME] = 0
    topics[room.first_service : room.first_article] = 0
    return topics, np.where(room.desk < 0, topics, seconds)


def section_names(count: int) -> tuple[str, ...]:
    """Return the names of sections."""
    names = (*SECTIONS, *(name for name in reversed(tuple(SUBJECTS)) if name not in SECTIONS))
    more = (made_up(SECTION_WORDS + at) for at in range(count - len(names)))
    return (*names[:count], *more)


def hrefs(room: Newsroom) -> list[str]:
    """Return the URLs of all pages; an article's URL has its day and its section."""
    names = section_names(room.sections)
    hosts = [f"http://{HOSTS[HOST_OF_SECTION.get(name, 0)]}.{SITE}" for name in names]
    fixed = [f"http://www.{SITE}/"]
    fixed += [f"{host}/{name}/" for host, name in zip(hosts, names, strict=True)]
    for page in room.fronts.tolist():
        section, desk = int(room.section[page]), int(room.desk[page])
        word = made_up(DESK_WORDS + section * room.desks + desk)
        fixed.append(f"{hosts[section]}/{names[section]}/{word}/")
    services = range(room.first_article - room.first_service)
    fixed += [f"http://www.{SITE}/services/{made_up(SERVICE_WORDS + at)}.html" for at in services]
    articles = slice(room.first_article, None)
    dates = dated(days(room.born[articles]))
    written = zip(
        room.section[articles].tolist(), dates, range(room.first_article, room.pages), strict=True
    )
    fixed += [
        f"{hosts[section]}/{date}/{names[section]}/{made_up(page * 17)}-{page}.html"
        for section, date, page in written
    ]
    return fixed


def dated(day_numbers: Numbers) -> list[str]:
    """Return days as they stand in URLs."""
    start = datetime.fromtimestamp(START, UTC)
    texts = {
        day: f"{start + timedelta(days=day):%Y/%m/%d}" for day in np.unique(day_numbers).tolist()
    }
    return [texts[day] for day in day_numbers.tolist()]
