"""What the spider paper says (Rennie and McCallum 1999), to print beside ours."""

from __future__ import annotations

BREADTH_FIRST, OPTIMAL, IMMEDIATE = "Breadth-First", "Optimal", "RL Immediate"
FULL_PAGE, RELATED = "full-page", "related"


def future(bins: int) -> str:
    """Return the paper's name of a spider with several bins."""
    return f"RL Future ({bins} bins)"


TABLE_1 = {
    OPTIMAL: 3,
    future(4): 13,
    future(3): 22,
    future(5): 27,
    IMMEDIATE: 27,
    BREADTH_FIRST: 38,
}
"""Percentage of links followed before the one wanted page of a company is found."""

AT_75 = {IMMEDIATE: 14, future(3): 14, BREADTH_FIRST: 43}
"""Percentage of links followed before 75 % of the papers are found (full-page)."""

ACCURACY = {2: 85, 3: 77, 4: 59}
MAPPED = {2: 85, 3: 92, 4: 95}
"""Accuracy in percent, and that of telling immediate reward or not (full-page)."""

RECALL = {(FULL_PAGE, 2): 95, (FULL_PAGE, 3): 88, (RELATED, 2): 71}
"""Percentage of the links with immediate reward that were told."""

TABLE_2 = {
    "immediate": "board (url), corpinfo (url), information (url), executive (link), directors"
    " (link), team (link), beckman (url), board (link), anrpt (url), management (link)",
    "two-step": "aboutbb (url), corp (url), bb (link), inc (head), annual (url), annual (head),"
    " about (link), report (head), nbspc (near), inside (url)",
    "three-step": "applications (url), siteindex (url), aerial (head), employment (url), burr"
    " (head), position (head), brown (head), open (head), sales (url), administration (head)",
    "other": "clp (url), and (near), elk (url), region (head), doc (url), to (near), elk (head),"
    " nbspc (near), datasheet (url), sl (url)",
}
"""The most predictive words of four bins on company sites."""
