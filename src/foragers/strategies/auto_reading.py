"""What is written down of the links of a page: groups, words, and likeness to the topic."""

from __future__ import annotations

import numpy as np

from foragers import exact
from foragers.content import hrefs_of
from foragers.strategies.auto_clues import (
    AROUND,
    DEPTH,
    LEAN,
    PARENT,
    PLACE,
    TOLD,
    TOPIC,
    Known,
)
from foragers.strategies.auto_groups import PageGroups
from foragers.strategies.auto_links import address_of, anchor_of
from foragers.strategies.auto_rates import Rates
from foragers.strategies.auto_words import link_words
from foragers.topics.no_topic import NoTopic
from foragers.topics.topic import Topic
from foragers.types import NOWHERE, Status, Visit

KEPT = (Status.OK, Status.UNCHANGED)
ALIKE = 0.5
"""What a page is as a parent that is like what is wanted, but not enough."""
NO_ANCHOR = anchor_of("")
"""In place of the anchors of a page that is not kept: a list has thousands, all different."""


def known_of(visit: Visit, places: list[int], lean: float, topic: Topic, rates: Rates) -> Known:
    """Return what is known of some links of a page, of which it is known where it leans.

    Of a page that is not kept nothing is known as a parent, and its links are known by their
    place, their address and their likeness to the topic alone.
    """
    page, links = visit.page, visit.page.links
    kept = page.status in KEPT
    urls, hosts, outs = links.targets[places], links.hosts[places].tolist(), links.outlinks
    told = np.zeros((len(TOLD), len(places)), np.float32)
    if kept:
        told[PARENT] = 1.0 if visit.relevant else ALIKE * visit.relevance
    told[LEAN], told[DEPTH] = lean, page.choice.depth + 1
    told[PLACE] = exact.log_counts(np.array(places) + 1)
    name = "" if page.final == NOWHERE else links.addresses.href(page.final)
    belonging = PageGroups(rates, name)
    groups, words, spelled = [], [], []
    hrefs = hrefs_of(urls.tolist(), links.addresses)
    for place, host, href in zip(places, hosts, hrefs, strict=True):
        address, anchor = address_of(href), anchor_of(outs.anchors[place]) if kept else NO_ANCHOR
        groups.append(belonging.of(host, href, outs.paths[place], address, anchor))
        words.append(link_words(anchor.words, address.words))
        spelled.append(address.spelled)
    if not isinstance(topic, NoTopic):
        like = topic.likeness
        of_anchors = [like(outs.anchors[place]) for place in places]
        told[TOPIC] = list(map(max, of_anchors, map(like, spelled)))
        told[AROUND] = [like(outs.around(place)) for place in places]
    return Known(urls, np.array(groups, np.int32).T, np.array(words, np.int32).T, told)
