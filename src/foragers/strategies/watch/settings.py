"""The numbers that tune `watch`, each with its source.

*Tried* means that other values were measured on the evolving webs of docs/watching.md.  *Memory*
and *CPU* mean that a value bounds a cost.  *Guess* means that nobody has measured another value.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ArticleSettings:
    """What each sign of an article weighs (`articles`); see docs/strategies/watch.md."""

    dated: float = 2.0  # the page gives its date; tried
    headline: float = 1.5  # the link has words like a title, or stands in a feed; tried
    headline_words: int = 4  # of the text of such a link; guess
    title_url: float = 1.5  # the URL ends with a title; tried
    number_url: float = 1.0  # the URL has an id or a date; tried
    folder_url: float = 0.5  # the URL is that of a folder; tried
    list_url: float = 2.0  # the URL is that of a tag, an author or a further page; tried
    long_text: int = 150  # words outside of links; guess
    long: float = 1.5  # so many words; tried
    short_text: int = 20  # words outside of links; guess
    short: float = 1.0  # not so many; tried
    few_links: float = 1.5  # fewer than a hub has; tried
    sparse: float = 0.15  # share of words that are link texts; guess
    text: float = 1.0  # fewer link texts than that; tried
    dense: float = 0.5  # share of words that are link texts; guess
    links: float = 1.0  # as many link texts as a hub; tried
    dense_links: float = 2.0  # more than that; tried
    teasers: float = 1.5  # a text of titles that are links, with a few words after each; tried
    least_teasers: int = 5  # titles of such a text; guess
    teaser_words: int = 50  # words of its own for each title, at most; guess


@dataclass(frozen=True)
class WatchSettings:
    """How a watch spends its requests."""

    hour: float = 3600.0  # seconds
    day: float = 86400.0  # seconds
    within: float = 3600.0  # seconds: the delay that is promised; the user's hour

    # How often new pages are found through a page (`sources`).
    list_rate: float = 1 / 600.0  # new pages a second of a feed or sitemap, at first; guess
    seed_rate: float = 1 / 600.0  # of a seed, at first; guess
    hub_rate: float = 1 / 14400.0  # of a page that consists of links, at first; guess
    page_rate: float = 1 / 3456000.0  # of any other page, at first; guess
    ages: tuple[float, ...] = (10800.0, 86400.0, 345600.0)  # seconds: 3 h, 1 d, 4 d; guess
    sure_group: float = 1.0  # new pages that the rate of the wider group counts; guess
    sure_page: float = 1.0  # new pages that the rate of its group counts for a page at first; guess
    sure_spread: float = 1.0  # squared new pages that this counts, until it is learned; guess
    least_even: float = 0.03  # new pages that the rate of its group counts, at least; guess
    most_even: float = 3.0  # the same, at most; guess
    change_rate: float = 1 / 864000.0  # changes of a page a second, at first; guess
    sure_change: float = 0.5  # changes that the rate of its group counts for a page; guess
    most_aged: float = 7776000.0  # seconds without a change before a watch, at most; guess
    memory: float = 1209600.0  # seconds after which an observation counts 1/e; guess
    most_groups: int = 20_000  # memory

    # Which pages are hubs.
    hub_links: int = 10  # fewest links of a hub; guess
    hub_density: float = 0.28  # share of the words of a hub that are link texts; tried
    article: ArticleSettings = ArticleSettings()

    # When pages are looked at (`sites`).
    explore: float = 0.15  # share of the requests for pages not yet seen and for sweeps; tried
    first_burst: float = 0.1  # share of a day's requests that may be spent at once; guess
    first_looks: float = 0.4  # share of these that is left for looks in the first minutes; guess
    probe: float = 900.0  # seconds for which seeds are looked at as often as is allowed; guess
    probe_lists: float = 2.0  # allowed times between two looks at a feed or sitemap then; guess
    reserve: float = 0.3  # share of the requests saved up that looks leave for new pages; guess
    full: float = 0.9  # share of the requests saved up from which more is explored; guess
    changes: float = 0.3  # share of the requests for articles that may have changed; guess
    ahead: float = 0.95  # of the hour, between two looks at a page: time to fetch what it shows
    sooner: float = 0.03  # rates above the price by its inverse get more than a look an hour; tried
    least_gain: float = 0.00001  # new pages a look must promise; politeness, guess
    least_looks: float = 0.3  # share of the requests that is always left for looks; guess
    most_planned: int = 2000  # sources whose intervals are planned together; CPU
    halvings: int = 24  # steps in search of the price; CPU
    plan_every: float = 900.0  # seconds between two plans; CPU
    most_doublings: int = 8  # of the time to the next look at a page that is not there; guess
    most_refusals: int = 5  # in a row, until a site is left alone for a while; guess
    clock_back: float = 60.0  # seconds by which the clock must lie back to be taken for set; guess
    longest: float = 86400.0  # seconds between two looks at a source, at most; guess
    most_hours: int = 672  # hours whose watching is counted, four weeks; CPU
    sure_hours: float = 20.0  # new pages that an even profile of hours counts; guess

    # What is promised (`forecast`).
    all_fetched: float = 0.95  # share of new pages; if fewer can be fetched, it is said
    enough_steps: float = 1.1  # between two numbers of requests that are tried; CPU
    interval: float = 1.64  # normal deviate of nine cases in ten
    very_late: float = 21600.0  # seconds after its date: such a page is taken for a sign of others
    # that are never found; tried
    delay_memory: float = 86400.0  # seconds after which a delay counts 1/e: a watch learns; tried
    most_delays: float = 500.0  # articles whose delays count; guess
    lost_times: float = 1.0  # pages never found for each found very late; tried
    most_lost: float = 0.6  # share of pages never found, at most; tried
    model_error: float = 0.1  # share by which the estimate may be too high; tried
    learning: float = 0.5  # share of what lies above the interval that a watch may gain; tried
    least_rest: float = 0.001  # share of new pages that no number of requests shows; guess
    undated_error: float = 0.3  # share by which it may be too high if pages give no dates; guess

    # Hubs (`hearing`).
    most_trust: float = 0.9  # share of a feed's rate for which it is not polled, at most; guess

    # New links.
    every: float = 60.0  # seconds until a new hub is planned; CPU
    dated: float = 120.0  # seconds: a younger page has no date, it may be a slow response; guess
    first_retry: float = 600.0  # seconds before a missing page is tried again, at most; guess
    likely: float = 0.5  # chance of a link that is counted as a new page that waits; guess
    sure_news: float = 0.7  # chance of a link to lead to a new article that is told unseen; guess
    least_tried: int = 3  # links with titles that are fetched until these tell articles; guess
    most_came: float = 100.0  # links that came into a box that count; older ones fade; guess
    most_shown: int = 2000  # links of a page that are compared with those of the next look; memory
    longest_title: int = 300  # characters of the text of a link; memory
    least_room: int = 5  # new links that a page can show, at least; guess
    room_looks: float = (
        0.6  # share of the looks for pages that would lose new links, at most; guess
    )
    overlap: float = 1.25  # looks at a page for each time that all of its news may change; guess
    least_chance: float = 0.1  # of a new link to be fetched at once; guess
    least_retry: float = 0.05  # of a missing new page to turn up at the next try; guess
    doubt_fades: float = 0.02  # share of what speaks against a try each waived one takes; guess
    most_shapes: int = 5000  # shapes of new links, of one site; memory
    most_tries: int = 9  # then it is given up; the waits double; guess
    most_fresh: int = 20_000  # new links that wait, of one site; memory
    most_lists: int = 20  # feeds and sitemaps of one site; guess
    most_unseen: int = 20_000  # other links that wait, of one site; memory
    all_unseen: int = 100_000  # such links of all sites together; memory
    least_unseen: int = 200  # such links of one of many sites; memory
    near_share: float = 0.25  # of the links of new pages that must be new to be followed at once
    most_folders: int = 200_000  # folders of URLs that are known, of all sites; memory
    tries: int = 64  # links examined in search of one on an open host; CPU
    looks_between: int = 3  # new links fetched before a look that is due goes first; guess

    # Pages seen before.
    most_pages: int = 5000  # articles of one site that are looked at again; memory
    first_gap: float = 3600.0  # seconds to the first look for changes, at most; guess
    gap_looks: float = 20.0  # the same, in the times between two looks that are allowed; guess
    gap_age: float = 0.02  # the least gap, as a share of the age of an article; guess
    gap_grows: float = 2.0  # the next gap after a look without a change, and its inverse; guess
    longest_gap: float = 2592000.0  # seconds; guess
    retry_looks: float = 10.0  # allowed times until a known page that is missing is tried; guess
    change_turns: int = 3  # of so many requests to explore, all but one are for changes; guess
    gone_after: int = 2  # looks in a row without the page, after which it is removed; guess
    lost: float = 21600.0  # seconds after which a request without an answer may be made again


DEFAULT_WATCH = WatchSettings()
