"""`companies`: many small company sites with one page to find in each.

The target is the page that names the company's officers.  It is two to five clicks from the home
page, through pages about the company, its investors, its governance or its people; the path differs
from site to site, and most of a site is products and support.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foragers.core.exact import exp
from foragers.worlds.archive import Archive
from foragers.worlds.generated.build import Origin, members, world
from foragers.worlds.generated.site_trees import Branch, Grower, sizes_of
from foragers.worlds.generated.text.style import Headline, PageKind, Style
from foragers.worlds.generated.text.vocabulary import SUBJECTS, made_up

(
    HOME, ABOUT, INVESTORS, GOVERNANCE, TEAM, OFFICERS, CATALOGUE, SUPPORT, PRESS, CAREERS,
    PRODUCT, ANSWER, RELEASE, JOB,
) = range(14)  # fmt: skip

WWW = "www.{site}.com"

KINDS = (
    PageKind(
        "home", ("Welcome to", "Home of"), ("welcome", "solutions", "customers"), topical=0.25
    ),
    PageKind(
        "about",
        ("About us", "Company", "Corporate information", "Who we are"),
        ("company", "founded", "history", "mission", "employees", "corporate", "offices"),
        Headline.NONE,
        topical=0.1,
        own=0.3,
    ),
    PageKind(
        "investors",
        ("Investor relations", "Investors", "For investors"),
        ("investors", "shareholders", "annual", "report", "earnings", "stock", "sec", "filings"),
        Headline.NONE,
        topical=0.05,
        own=0.3,
    ),
    PageKind(
        "governance",
        ("Corporate governance", "Governance", "Leadership"),
        ("governance", "board", "directors", "committee", "charter", "leadership", "management"),
        Headline.NONE,
        topical=0.05,
        own=0.3,
    ),
    PageKind(
        "team",
        ("Our people", "Team", "People"),
        ("people", "team", "staff", "experience", "joined", "management", "biography"),
        Headline.NONE,
        topical=0.05,
        own=0.3,
    ),
    PageKind(
        "officers",
        ("Executive officers", "Management team", "Officers and directors", "Executive profiles"),
        (
            "officer",
            "chief",
            "executive",
            "president",
            "vice",
            "director",
            "chairman",
            "cfo",
            "ceo",
        ),
        Headline.NONE,
        topical=0.05,
        own=0.4,
    ),
    PageKind(
        "catalogue",
        ("Products", "Products and services", "Solutions"),
        ("products", "solutions", "services", "catalog", "pricing"),
        Headline.NONE,
        topical=0.3,
    ),
    PageKind(
        "support",
        ("Support", "Customer service", "Help"),
        ("support", "download", "faq", "drivers", "manuals", "warranty"),
        Headline.NONE,
        topical=0.2,
    ),
    PageKind(
        "press",
        ("News", "Press room", "Press releases"),
        ("press", "release", "media", "announces", "contact"),
        Headline.NONE,
        topical=0.15,
    ),
    PageKind(
        "careers",
        ("Careers", "Jobs", "Employment"),
        ("jobs", "careers", "benefits", "apply", "resume", "openings"),
        Headline.NONE,
        topical=0.1,
    ),
    PageKind(
        "product",
        ("", "Product:", "Data sheet:"),
        ("features", "price", "order", "specifications", "model", "buy", "warranty"),
        topical=0.35,
        own=0.15,
    ),
    PageKind(
        "answer",
        ("FAQ:", "How to", "Problem with"),
        ("question", "answer", "install", "error", "version", "download", "fix"),
        topical=0.25,
        own=0.2,
        words=130,
    ),
    PageKind(
        "release",
        ("", "Press release:"),
        ("announced", "today", "president", "officer", "said", "company", "quarter", "customers"),
        topical=0.2,
        own=0.2,
        dated=True,
    ),
    PageKind(
        "job",
        ("Opening:", "Position:"),
        ("experience", "required", "salary", "degree", "team", "resume", "skills"),
        topical=0.2,
        own=0.25,
        words=130,
    ),
)

WAYS: tuple[dict[int, int], ...] = (
    {ABOUT: HOME, OFFICERS: ABOUT, INVESTORS: HOME, GOVERNANCE: INVESTORS, TEAM: ABOUT},
    {ABOUT: HOME, TEAM: ABOUT, OFFICERS: TEAM, INVESTORS: HOME, GOVERNANCE: INVESTORS},
    {ABOUT: HOME, INVESTORS: HOME, GOVERNANCE: INVESTORS, OFFICERS: GOVERNANCE, TEAM: ABOUT},
    {ABOUT: HOME, INVESTORS: ABOUT, GOVERNANCE: INVESTORS, OFFICERS: GOVERNANCE, TEAM: ABOUT},
    {ABOUT: HOME, INVESTORS: ABOUT, GOVERNANCE: INVESTORS, TEAM: GOVERNANCE, OFFICERS: TEAM},
)
"""The parent of each page on the path to the officers, which are 2, 3, 3, 4 and 5 clicks away."""

FILES = {
    ABOUT: "company/", INVESTORS: "investors/", GOVERNANCE: "governance.html",
    TEAM: "people.html", OFFICERS: "management.html",
}  # fmt: skip


@dataclass(frozen=True)
class CompaniesParameters:
    """The parameters of a `companies` world.

    `sites` is the number of companies, `spread` the standard deviation of the logarithm of their
    sizes; `back` is the share of pages that link back to the page that lists them.
    """

    sites: int = 26
    spread: float = 0.6
    back: float = 0.3
    fidelity: float = 0.8
    noise: float = 0.4


def plan(way: dict[int, int]) -> tuple[Branch, ...]:
    """Return the plan of a site with one of the paths to its officers."""
    # A page comes after its parent, wherever the path puts it.
    order: list[int] = [HOME]
    while len(order) <= len(way):
        order += [page for page, above in way.items() if above in order and page not in order]
    above = [Branch(page, ((way[page], 1.0),), host=WWW, file=FILES[page]) for page in order[1:]]
    return (
        Branch(HOME, host=WWW),
        *above,
        Branch(CATALOGUE, ((HOME, 1),), host=WWW, file="products/"),
        Branch(SUPPORT, ((HOME, 1),), host="support.{site}.com"),
        Branch(PRESS, ((HOME, 1), (ABOUT, 1)), host=WWW, file="news/"),
        Branch(CAREERS, ((HOME, 1), (ABOUT, 1)), host=WWW, file="careers/"),
        Branch(
            PRODUCT, ((CATALOGUE, 2), (PRODUCT, 3)), 0.4, 0.5, 2.0, (PRODUCT, ANSWER),
            host=WWW, folder="products/", file="{word}{number}.html",
        ),
        Branch(
            ANSWER, ((SUPPORT, 1), (PRODUCT, 1), (ANSWER, 1)), 0.3, 0.3, 1.5, (ANSWER, PRODUCT),
            host="support.{site}.com", folder="faq/", file="{word}{number}.html",
        ),
        Branch(
            RELEASE, ((PRESS, 3), (RELEASE, 2)), 0.2, 0.2, 1.5, (RELEASE, PRODUCT),
            host=WWW, folder="news/", file="{word}{number}.html",
        ),
        Branch(
            JOB, ((CAREERS, 1),), 0.07, 0.0, 0.5, (JOB, CATALOGUE),
            host=WWW, folder="careers/", file="{word}{number}.html",
        ),
    )  # fmt: skip


def companies_world(
    seed: int, pages: int, parameters: CompaniesParameters, origin: Origin
) -> Archive:
    """Make a `companies` world."""
    grower = Grower("companies", seed, 0.7, parameters.back)
    weights = exp(parameters.spread * grower.random.standard_normal(parameters.sites))
    # No site is too small for one page of each kind.
    sizes = sizes_of(np.maximum(weights / weights.sum(), 0.5 / parameters.sites), pages)
    trades = grower.random.integers(len(SUBJECTS), size=parameters.sites)
    ways = grower.random.permutation(np.arange(parameters.sites) % len(WAYS))
    for site, size in enumerate(sizes):
        topics = (trades[site] + np.arange(2)) % len(SUBJECTS) + 1
        name = made_up(600_000 + seed * 100 + site)
        grower.grow(name, plan(WAYS[ways[site]]), size, topics)
    columns = grower.pages(len(SUBJECTS))
    style = Style(seed, tuple(SUBJECTS), KINDS, parameters.fidelity, parameters.noise)
    labels = members("kind", [kind.name for kind in KINDS], columns.kinds)
    labels["target:officers"] = labels["kind:officers"]
    labels |= members("site", [site.name for site in grower.sites], grower.site_numbers())
    return world(
        columns,
        grower.timeline(),
        grower.strands.weave(pages),
        style,
        seeds=grower.firsts,
        labels=labels,
        origin=origin,
    )
