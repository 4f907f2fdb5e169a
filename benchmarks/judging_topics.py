"""What users might type who look for the pages with a label."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.recordings import SHARED
from benchmarks.standings_worlds import words_of

WEBS = ("departments", "washington", "organisations", "openoffice", "university-news", "wiki")
FEWEST = 5
"""The fewest pages that a label must have to be tried."""
BY_PEOPLE = {
    "class:student": "student, graduate student, phd student, advisor, resume, hobbies, home page",
    "class:faculty": "faculty, professor, associate professor, assistant professor,"
    " research interests, publications",
    "class:course": "course, lecture, homework, syllabus, assignments, exam, office hours",
    "class:project": "project, research project, research group, members, overview, funding",
    "class:staff": "staff, system administrator, secretary, administrative assistant, programmer",
    "class:department": "department, computer science department, graduate program,"
    " undergraduate program, admissions",
    "target:people": "people, team, committers, board members, who we are, contributors",
}
"""The labels that people gave, with words written down before any page was looked at."""
IRREGULAR = {"people": "person", "topos": "toposes"}
FORMS = ("name", "other number", "words", "list")


class Typed(NamedTuple):
    """A label of a web, and one of the ways to ask for it."""

    web: str
    label: str
    form: str
    topic: str

    @property
    def by_people(self) -> bool:
        """Whether people gave the label; a rule gave the others."""
        return self.label in BY_PEOPLE


def typed(web: str, labels: dict[str, int]) -> Iterator[Typed]:
    """Return the ways to ask for every label that enough pages of a web have."""
    known = json.loads((SHARED / "worlds" / "topics.json").read_text("utf-8"))
    (rules,) = (some for webs, some in known.items() if web in webs.split(", "))
    for label, pages in sorted(labels.items()):
        kind, _, name = label.partition(":")
        if pages < FEWEST or (kind != "topic" and label not in BY_PEOPLE):
            continue
        listed = ", ".join(rules[name]) if kind == "topic" else BY_PEOPLE[label]
        said = words_of(label)
        ways = (said, other_number(said), listed.replace(",", ""), listed)
        for form, topic in zip(FORMS, ways, strict=True):
            yield Typed(web, label, form, topic)


def other_number(name: str) -> str:
    """Return a name with its last word in the plural if it was in the singular, or the reverse."""
    before, space, last = name.rpartition(" ")
    if last in IRREGULAR:
        last = IRREGULAR[last]
    elif last.endswith("ies"):
        last = f"{last[:-3]}y"
    elif last.endswith("s"):
        last = last[:-1]
    else:
        last = f"{last[:-1]}ies" if last.endswith("y") else f"{last}s"
    return f"{before}{space}{last}"
