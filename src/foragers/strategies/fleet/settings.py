"""The settings of a fleet: the papers' numbers, and every choice that the papers leave open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scheme = Literal["selection", "evolution"]
Ordering = Literal["value", "random"]
Looks = Literal["all", "unvisited", "new", "due", "worth"]
Starts = Literal["random", "refresh", "worth"]
Turns = Literal["fixed", "random"]


@dataclass(frozen=True)
class FleetSettings:
    """The settings of the foragers of one kind.

    **What they learn.**  With `weblog_update` a forager selects its starting URLs (Algorithm
    1); without, all foragers share one weblog of the first `start_size` pages visited.  With
    `learns_weights` it learns the value of pages by temporal differences (Algorithm 4);
    without, its weights stay as drawn.

    **Rewards.**  `scheme` "selection" gives `reward` for a relevant page and `penalty` for
    one that is not; "evolution" takes the penalty for every page sent and adds the reward.

    **Population.**  There are at least `least` foragers and at most `most`; `founders` begin, by
    default as many as the least.

    **Choices the papers leave open**, each with what we take to be the papers' way:

    * `weight_scale`: random weights are drawn evenly from -scale to scale.
    * `start_is_step`: the starting page is the first of the `path_steps` steps of a path
      (100 pages a path); if not it comes before them (101, Algorithm 11 to the letter).
    * `td_across_paths`: the first step of a path also corrects the value of the last page
      of the path before.
    * `normalised`: the step of learning is divided by the square of the state's length.
    * `charge_overshoot`: time that a forager works beyond its slice is taken off its next one.
    * `looks`: which of the linked pages are downloaded: "all" (`selection`), those that this
      path has not "unvisited" (`evolution`), those "new" to the fleet, or those that are
      "due": new, or likely to have changed since the fleet saw them (`due_chance`), or those
      never fetched that are "worth" as much as what is fetched otherwise (`Prospects`).
    * `leaves`: a path may step to a page without links; if not, it is only looked at.
    * `starts_with_links`: only pages with links join a weblog, be it selected or fixed.
    * `starts`: a path starts at "random" from the starting list, or by "refresh": where
      most new content is to be expected, by the estimated change rates of the weblog's URLs;
      or at the page that is "worth" most of all that the fleet knows (`Prospects`).

    What counts as news in a recording has choices of its own: `NewsRules`.
    """

    kind: str = "wlrl"
    weblog_update: bool = True
    learns_weights: bool = True
    ordering: Ordering = "value"
    weblog_size: int = 100
    start_size: int = 10
    beta: float = 0.3
    alpha: float = 0.1
    gamma: float = 0.9
    path_steps: int = 100
    scheme: Scheme = "selection"
    reward: float = 100.0
    penalty: float = -1.0
    first_score: float = 100.0
    score_sent: float = 0.05
    score_relevant: float = 1.0
    multiply_at: float = 200.0
    delete_at: float = 0.0
    least: int = 2
    most: int = 16
    founders: int | None = None
    slice_seconds: float = 180.0
    turns: Turns = "fixed"
    new_within: float = 24 * 3600.0
    weight_scale: float = 1.0
    start_is_step: bool = True
    td_across_paths: bool = False
    normalised: bool = False
    charge_overshoot: bool = False
    looks: Looks = "all"
    due_chance: float = 0.5
    leaves: bool = True
    starts_with_links: bool = False
    starts: Starts = "random"

    @property
    def pages_a_path(self) -> int:
        """The largest number of pages of a path, including its starting page."""
        return self.path_steps if self.start_is_step else self.path_steps + 1


@dataclass(frozen=True)
class FleetTuning:
    """Numbers that no parameter of a fleet sets."""

    # The dialogue with a world.
    max_promise: float = 1e300  # written to the ledger; larger values are cut
    max_repeated: int = 256  # choices made again to find the one that a ledger has; guess
    max_saved: float = 1e150  # weights, scores and values of a file; larger ones would overflow
    overtaken: int = 8  # later answers after which an answer counts as lost; guess

    # What foragers know of pages.
    first_rate: float = 1 / 3600.0  # changes per second of a page without checks; guess
    min_start_value: float = 1.0  # of a starting URL, so that all are visited in time; guess
    max_error: float = 1e150  # of temporal differences; with larger ones weights would overflow
    max_hops: int = 10  # redirects of a download, as in `worlds.replay`

    # The promise of pages (`Prospects`).
    prior_changes: float = 0.5  # at the rate of the class, added to the changes of a page; Cho
    prior_tries: float = 3.0  # at the rate of the class, added to those of a page's links; guess
    price_rate: float = 0.05  # by which the price follows the promises of chosen pages; guess
    shortlist: int = 64  # of the most promising pages, compared at each step; CPU
    choices_scored: int = 16  # choices made before these pages are scored again; CPU
    scored_for: float = 60.0  # seconds for which scores hold, since promises grow with time; guess


DEFAULT_TUNING = FleetTuning()

WL = FleetSettings(kind="wl", learns_weights=False)
RL = FleetSettings(kind="rl", weblog_update=False)
WLRL = FleetSettings(kind="wlrl")
NO_LEARNING = FleetSettings(kind="no-learning", weblog_update=False, learns_weights=False)
RANDOM_ORDER = FleetSettings(
    kind="random-order", weblog_update=False, learns_weights=False, ordering="random"
)
WATCH = FleetSettings(
    kind="watch",
    weblog_update=False,
    learns_weights=False,
    path_steps=1,
    start_size=0,
    looks="worth",
    starts="worth",
    least=1,
    most=8,
)
HOME_PAGE = FleetSettings(
    kind="home-page",
    weblog_update=False,
    learns_weights=False,
    path_steps=1,
    start_size=0,
    looks="new",
    most=1,
    least=1,
)
