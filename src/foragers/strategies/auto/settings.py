"""The numbers that tune `auto`, each with its source.

*Tried* means that other values were measured; docs/strategies/auto.md and docs/revisits.md have the
results.  *Memory* and *CPU* mean that a value bounds a cost and changes little else.  *Guess* means
that nobody has measured another value.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class RevisitSettings:
    """How pages are chosen to be fetched again, where news is wanted."""

    # How often pages change (`change_rates`).
    first_rate: float = 1 / 86400.0  # changes a second before any page was watched; guess
    first_changes: float = 0.05  # what that counts, in changes; tried with `alike`
    alike: float = 1.0  # what the rate of the parent group counts, in changes; tried: half, twice
    sure: float = 2.0  # what the share of the parent group counts, in cases; guess
    first_shares: tuple[float, float, float] = (0.5, 0.3, 0.3)  # news, through, links; guess
    most_groups: int = 20_000  # memory

    # What a visit is worth (`page_history`).
    fades: float = 0.95  # weight of older observations of a page, at each further visit; guess
    sure_visits: float = 5.0  # news that the trust of the parent group counts as; tried: no trust
    given_up: int = 3  # failures after which a URL that never answered is dropped; guess
    most_changes: float = 3.0  # most changes counted between two visits, so rates cannot run away

    # Links that were not there before (`new_links`).
    most_new_links: int = 20_000  # memory
    new_link_tries: int = 64  # links examined in search of one on an open host; CPU

    # Which of the three goes first (`revisit`).
    first_price: float = 0.1  # news per download at first; guess
    price_step: float = 1 / 200  # what the latest download counts in the price; guess
    trust_memory: float = 0.98  # weight of older promises; guess.  Without any trust: tried, worse
    first_promises: float = 5.0  # promises that seem kept at first; guess
    least_promises: float = 0.1  # keeps the share of kept promises from 0; guess
    rescore_share: int = 50  # pages are scored again after 1/50 more downloads; CPU
    nearest: int = 64  # best pages compared at every `ask`; CPU
    nearest_hosts: int = 1024  # and the best page of so many hosts; CPU
    lost: int = 512  # a request counts as lost after so many responses to others; guess
    seed_due: float = 1 / 4  # part of the age limit for news after which a seed is due; guess
    seed_rest: int = 10  # downloads between two such visits; guess
    most_seeds: int = 100  # seeds visited so; guess
    link_rest: int = 4  # downloads between two links of seeds; tried: 8 finds less
    most_seed_links: int = 40  # links of seeds followed whatever their promise; guess


@dataclass(frozen=True)
class GroupNames:
    """How much of a link is in the names of its groups.

    Files of earlier crawls know groups by these names, so other numbers forget what was learned.
    """

    directories: int = 4  # of a URL; guess
    anchor_words: int = 8  # guess
    url_words: int = 6  # guess
    shape_chars: int = 40  # of the shape of a URL; guess
    ending_chars: int = 5  # of the ending of a file name; guess


@dataclass(frozen=True)
class WordSizes:
    """The size of the table of words, and how many words are read."""

    buckets: int = 1 << 17  # words are hashed into; memory
    link_words: int = 12  # of a link; CPU
    page_chars: int = 3000  # of a page; CPU
    small_counts: int = 4096  # counts whose logarithms are in a table; CPU


@dataclass(frozen=True)
class ExplainSettings:
    """How much an explanation tells."""

    most_reasons: int = 2  # reasons in the sentence; the table has all of them
    least_share: float = 0.25  # part of the strongest reason that another must have; guess
    most_words: int = 3  # words quoted
    most_characters: int = 60  # of a link text
    least_spread: float = 0.05  # log-odds by which a feature sets links apart to be told; guess
    slight: float = 0.2  # log-odds below which a feature counts slightly; guess
    strong: float = 0.5  # log-odds from which a feature counts strongly; guess


@dataclass(frozen=True)
class AutoSettings:
    """How links are scored, and how auto learns."""

    # Success rates of groups (`group_rates`).
    shrinkage: float = 3.0  # links that the rate of the parent group counts as; guess
    least_chance: float = 1e-7  # keeps rates from 0; tried: at 1e-4 all groups look alike early
    first_worth: float = 0.02  # success rate of all links at first; guess
    first_answer: float = 0.9  # share of links that lead to a page at first; guess
    first_weight: float = 3.0  # links that these two count as; guess
    few_answers: int = 3  # responses of a group that its parent counts; guess
    most_groups: int = 300_000  # memory: some 55 bytes each
    seed_shrinkage: float = 3.0  # seeds that the rate of all links counts as, for seeds; guess
    recent_names: int = 8192  # names of groups known without their digests; CPU

    # Words (`word_weights`).
    word_rate: float = 0.3  # step size of Adagrad; guess
    first_square: float = 0.1  # sum of squared slopes at first; guess
    word_prior: float = 0.3  # pages added to those found and expected with a word; tried: 0.1
    leading_words: int = 15  # words of a page that decide how it leans; guess
    most_weight: float = 5.0  # bound of the feature "link words"; guess
    word_shrinkage: float = 2.0  # links that the rate of all links counts as, for a word; tried
    most_word_rate: float = 5.0  # bound of the feature "best word rate"; guess
    most_lean: float = 4.0  # bound of the feature "words of relevant pages"; guess

    # Features and pending links (`features`, `pending_links`).
    most_trained: float = 3.0  # bound of the feature "trained model"; guess
    near_parent: float = 0.5  # weight of a parent's relevance below the threshold; guess
    most_in_links: int = 3  # links to a page that are kept; guess
    most_pending: int = 250_000  # memory: some 100 bytes each
    first_room: int = 1024  # memory
    block: int = 2048  # links scored at a time, so that they fit into the processor's cache; CPU

    # Weights of the features (`combiner`); their priors and penalties are in `FEATURES`.
    remembered: int = 2000  # followed links to which the weights are fitted; CPU
    most_steps: int = 20  # Newton steps of a fit; CPU
    most_halvings: int = 12  # halvings of a step that overshoots; CPU
    least_gain: float = 1e-3  # a fit ends when a step gains less; CPU

    # Rewards (`reward`).
    hub: float = 0.7  # worth of a page that leads to very many relevant ones; tried: 0.5 is worse
    farther: float = 0.5  # share of a reward passed on by each link back; guess
    most_links_back: int = 3  # links back; guess
    most_followed: int = 20_000  # memory: some 200 bytes each
    doublings: int = (
        3  # similar pages count by their rarity to the power 2**3; tried: 2**1 is worse
    )

    likeness_steps: int = 256  # steps of relevance in which such pages are counted; guess

    # The order of work (`strategy`).
    early_depth: float = 0.5  # log-odds lost per link from a seed before the first find; tried
    untried_host: float = 1.5  # log-odds gained by hosts of seeds that were hardly tried; tried
    first_seeds: int = 20  # of many seeds, those fetched in turn whatever their promise; tried
    few_seeds: int = 5  # so few seeds have no turns; tried: turns cost a little there
    rescore_share: int = 50  # links are scored again after 1/50 more downloads; CPU
    refit_share: int = 20  # weights are fitted again after 1/20 more downloads; CPU
    drop_below: float = 0.9  # columns are compacted if no more than this part is pending; CPU

    # What earlier crawls count (`saved`).
    saved_links: int = 10  # most links of a group; guess
    saved_pages: int = 200  # most pages in all; guess
    known_seeds: float = 0.5  # least share of seeds on known hosts; tried: other hosts mislead
    largest_count: int = 1 << 31  # larger counts in a file are damage
    loudest: float = 20.0  # bound of stored weights; guess
    pretrained_bins: int = 4  # of a spider's model, as the spider has them by default

    revisits: RevisitSettings = field(default_factory=RevisitSettings)
    explain: ExplainSettings = field(default_factory=ExplainSettings)


REVISIT_DEFAULTS = RevisitSettings()
DEFAULTS = AutoSettings(revisits=REVISIT_DEFAULTS)
NAMES = GroupNames()
WORD_TABLE = WordSizes()
