"""`departments`: a few university departments with many research papers to find.

Papers, the targets, are below publication lists, people and projects; most of a site is something
else: lecture notes, personal pages, manuals, announcements.  So a link to a person or a project
promises papers a step or two later, and one to a course does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foragers.worlds.archive import Archive
from foragers.worlds.generated.build import Numbers, Origin, members, world
from foragers.worlds.generated.site_trees import Branch, Grower, sizes_of
from foragers.worlds.generated.text.seeded import generator
from foragers.worlds.generated.text.style import Headline, PageKind, Role, Style
from foragers.worlds.generated.text.vocabulary import made_up

(
    HOME, PEOPLE, RESEARCH, TEACHING, OFFICE, PERSON, PROJECT, COURSE, LIST, PAPER, LECTURE,
    PRIVATE, MANUAL, EVENT,
) = range(14)  # fmt: skip

KINDS = (
    PageKind(
        "home",
        ("Department of Computer Science",),
        ("department", "university", "students", "admissions", "faculty", "campus"),
        Headline.NONE,
        topical=0.05,
    ),
    PageKind(
        "people",
        ("People", "Faculty and staff", "Faculty directory"),
        ("faculty", "staff", "students", "professor", "office", "phone"),
        Headline.NONE,
        topical=0.05,
    ),
    PageKind(
        "research",
        ("Research", "Research groups", "Laboratories"),
        ("research", "laboratory", "group", "projects", "areas"),
        Headline.NONE,
        topical=0.2,
    ),
    PageKind(
        "teaching",
        ("Courses", "Course home pages", "Teaching"),
        ("courses", "semester", "undergraduate", "graduate", "catalog"),
        Headline.NONE,
        topical=0.1,
    ),
    PageKind(
        "office",
        ("Announcements", "About the department", "Calendar"),
        ("calendar", "visitors", "deadline", "office", "directions", "parking"),
        Headline.NONE,
        topical=0.0,
    ),
    PageKind(
        "person",
        ("", "Professor", "Home page of"),
        ("professor", "research", "interests", "publications", "office", "email", "phd", "advisor"),
        Headline.NAME,
        topical=0.2,
        own=0.2,
        words=150,
    ),
    PageKind(
        "project",
        ("The project", "Project:", "Laboratory for"),
        ("project", "research", "group", "funded", "goals", "members", "publications", "demo"),
        own=0.15,
    ),
    PageKind(
        "course",
        ("Course:", "Introduction to", "Seminar on"),
        (
            "syllabus",
            "instructor",
            "homework",
            "exam",
            "grading",
            "textbook",
            "lectures",
            "section",
        ),
        topical=0.2,
        own=0.25,
    ),
    PageKind(
        "list",
        ("Publications", "Selected papers", "Papers and technical reports"),
        ("publications", "papers", "proceedings", "journal", "conference", "technical", "report"),
        Headline.NONE,
        topical=0.25,
        own=0.3,
        words=120,
    ),
    PageKind(
        "paper",
        ("",),
        ("abstract", "postscript", "pdf", "proceedings", "references", "results", "we", "propose"),
        topical=0.4,
        own=0.15,
        words=300,
    ),
    PageKind(
        "lecture",
        ("Lecture", "Homework", "Notes on", "Assignment"),
        ("homework", "due", "exercise", "lecture", "slides", "solution", "assignment", "problem"),
        topical=0.2,
        own=0.2,
    ),
    PageKind(
        "private",
        ("My", "Photos of", "Favourite"),
        ("photos", "hobby", "friends", "favourite", "family", "vacation", "fun", "cool"),
        topical=0.05,
        own=0.25,
        words=120,
    ),
    PageKind(
        "manual",
        ("Manual:", "Reference:", "Readme"),
        ("function", "returns", "install", "version", "options", "file", "command", "example"),
        topical=0.15,
        own=0.3,
        words=250,
    ),
    PageKind(
        "event",
        ("Seminar:", "News:", "Talk:"),
        ("seminar", "talk", "speaker", "room", "hosted", "announcement", "visit", "event"),
        topical=0.15,
        own=0.2,
        words=120,
        dated=True,
    ),
)

PLAN = (
    Branch(HOME, host="www.cs.{site}.edu"),
    Branch(PEOPLE, ((HOME, 1),), host="www.cs.{site}.edu", file="people.html"),
    Branch(RESEARCH, ((HOME, 1),), host="www.cs.{site}.edu", file="research.html"),
    Branch(TEACHING, ((HOME, 1),), host="www.cs.{site}.edu", file="courses.html"),
    Branch(OFFICE, ((HOME, 1),), host="www.cs.{site}.edu", file="announcements.html"),
    Branch(
        PERSON, ((PEOPLE, 1),), 0.08, 0.3, 1.0, (PERSON, PROJECT, COURSE, LECTURE),
        host="people.cs.{site}.edu", folder="~{word}/",
    ),
    Branch(
        PROJECT, ((RESEARCH, 3), (PERSON, 2)), 0.025, 1.0, 3.0, (PERSON,),
        host="labs.cs.{site}.edu", folder="projects/{word}/",
    ),
    Branch(
        COURSE, ((TEACHING, 3), (PERSON, 1)), 0.03, 0.5, 2.0, (PERSON, COURSE, LECTURE),
        host="www.cs.{site}.edu", folder="courses/{word}/",
    ),
    Branch(
        LIST, ((PERSON, 3), (PROJECT, 1)), 0.03, 0.3, folder="papers/", file="list{number}.html",
    ),
    Branch(
        PAPER, ((LIST, 6), (PERSON, 2.5), (PROJECT, 1.5)), 0.043, 0.6, 0.5, (PERSON, PAPER),
        file="{word}{number}.html",
    ),
    Branch(
        LECTURE, ((COURSE, 9), (LECTURE, 1)), 0.35, 0.2, 1.5, (LECTURE, COURSE),
        file="{word}{number}.html",
    ),
    Branch(
        PRIVATE, ((PERSON, 4), (PRIVATE, 2)), 0.22, 0.2, 1.5, (PRIVATE, PERSON, MANUAL),
        file="{word}{number}.html",
    ),
    Branch(
        MANUAL, ((PROJECT, 2), (COURSE, 1), (MANUAL, 4)), 0.14, 0.3, 2.0, (MANUAL,),
        file="doc/{word}{number}.html",
    ),
    Branch(
        EVENT, ((OFFICE, 1),), 0.082, 0.0, 0.7, (PERSON, EVENT, PROJECT),
        host="www.cs.{site}.edu", folder="events/", file="{word}{number}.html",
    ),
)  # fmt: skip

TOPICLESS = (HOME, PEOPLE, RESEARCH, TEACHING, OFFICE, PRIVATE)
"""Kinds of pages that have no research area, or all."""

AREAS = ("robotics", "vision", "learning", "language", "databases", "networks", "security")
"""The research areas of the departments."""


@dataclass(frozen=True)
class DepartmentsParameters:
    """The parameters of a `departments` world.

    `sites` is the number of departments; `inherit` the share of pages that have the topic of the
    page that lists them; `back` the share of pages that link back to it.

    `navigation` is the share of pages that link to the home page and its four sections, `siblings`
    the mean number of links from a page to others that the same page lists, and `lists` the share
    of publication lists that the home page links to.  With 1, 3.9 and 0.73, pages have about as
    many links, and papers are about as near, as in the `spider` paper.
    """

    sites: int = 4
    inherit: float = 0.8
    back: float = 0.4
    fidelity: float = 0.75
    noise: float = 0.4
    navigation: float = 0.0
    siblings: float = 0.0
    lists: float = 0.0


def departments_world(
    seed: int,
    pages: int,
    parameters: DepartmentsParameters,
    origin: Origin,
) -> Archive:
    """Make a `departments` world."""
    grower = Grower("departments", seed, parameters.inherit, parameters.back)
    sizes = sizes_of(grower.random.dirichlet(np.full(parameters.sites, 12.0)), pages)
    areas = np.arange(1, len(AREAS) + 1)
    for site, size in enumerate(sizes):
        strong = grower.random.choice(areas, 4, replace=False)
        grower.grow(made_up(500_000 + seed * 100 + site), PLAN, size, strong)
        add_links(grower, parameters, generator("departments", seed, f"links {site}"))
    columns = grower.pages(len(AREAS))
    columns.topics[np.isin(columns.kinds, TOPICLESS)] = 0
    style = Style(seed, AREAS, KINDS, parameters.fidelity, parameters.noise)
    labels = members("kind", [kind.name for kind in KINDS], columns.kinds)
    labels["target:paper"] = labels["kind:paper"]
    labels |= members("site", [site.name for site in grower.sites], grower.site_numbers())
    labels |= members("topic", ("", *AREAS), columns.topics)
    return world(
        columns,
        grower.timeline(),
        grower.strands.weave(pages),
        style,
        seeds=grower.firsts,
        labels=labels,
        origin=origin,
    )


SECTIONS = (HOME, PEOPLE, RESEARCH, TEACHING, OFFICE)
"""The pages of a site's navigation."""


def add_links(
    grower: Grower, parameters: DepartmentsParameters, random: np.random.Generator
) -> None:
    """Add navigation, links to siblings and lists to the site that was grown last."""
    site, first = grower.sites[-1], grower.firsts[-1]
    pages = np.arange(len(site.kinds))
    carrying = pages[random.random(len(pages)) < parameters.navigation]
    tops = np.flatnonzero(np.isin(site.kinds, SECTIONS))
    sources, targets = np.repeat(carrying, len(tops)), np.tile(tops, len(carrying))
    connect(grower, first, sources, targets, Role.NAVIGATION)
    order = np.argsort(site.parents, kind="stable")
    starts = np.searchsorted(site.parents[order], site.parents)
    counts = np.searchsorted(site.parents[order], site.parents, "right") - starts
    sources = np.repeat(pages, random.poisson(parameters.siblings, len(pages)))
    drawn = starts[sources] + (counts[sources] * random.random(len(sources))).astype(np.int64)
    connect(grower, first, sources, order[drawn], Role.CONTENT)
    lists = np.flatnonzero(site.kinds == LIST)
    lists = lists[random.random(len(lists)) < parameters.lists]
    home = np.flatnonzero(site.kinds == HOME)[:1]
    connect(grower, first, np.repeat(home, len(lists)), lists, Role.LISTING)


def connect(grower: Grower, first: int, sources: Numbers, targets: Numbers, role: Role) -> None:
    """Add links between pages of a site, but none of a page to itself, and each pair once."""
    pairs = np.unique(np.column_stack((sources, targets)), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if len(pairs):
        grower.strands.add(first + pairs[:, 0], first + pairs[:, 1], role)
