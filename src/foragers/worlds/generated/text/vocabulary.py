"""The vocabularies of generated pages: rows of words, each with Zipf's law.

Row 0 is the background that all pages share.  The topics follow, each with the real words of its
subject first and generated ones as its tail; then the vocabularies of the kinds of pages; and last
the names of people.  A row is a table of word numbers in which a word stands in proportion to its
probability, so that drawing one is a look-up.

Generated words can be pronounced, and are different for every number.  Neighbours in the list of
named topics are related: pages link to them more than to others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact

_ONSETS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "st")
_VOWELS = ("a", "e", "i", "o", "u")
_ENDS = ("", "n", "r", "l", "s")
_SYLLABLES = len(_ONSETS) * len(_VOWELS)
WORDS = _SYLLABLES**2 * _SYLLABLES * len(_ENDS)
"""The number of different words."""

_STEP = 1_618_033
"""Has no factor in common with the number of words, so all words come before one repeats."""


def made_up(index: int) -> str:
    """Return the word of a number, unlike the words of neighbouring numbers."""
    rest, end = divmod(index * _STEP % WORDS, len(_ENDS))
    word = _ENDS[end]
    for _ in range(3):
        rest, syllable = divmod(rest, _SYLLABLES)
        onset, vowel = divmod(syllable, len(_VOWELS))
        word = _ONSETS[onset] + _VOWELS[vowel] + word
    return word


_KEYWORDS = {
    "robotics": """robot robots actuator sensor gripper manipulator kinematics locomotion servo
        humanoid navigation lidar odometry torque autonomous drone mapping grasping joint""",
    "vision": """image camera pixel segmentation stereo texture edge detection recognition video
        optical contour photometric scene tracking convolution feature shape calibration""",
    "learning": """learning neural network training classifier regression bayesian kernel gradient
        supervised clustering reinforcement reward dataset overfitting inference boosting loss""",
    "language": """corpus parser grammar translation syntax semantic lexicon speech sentence
        discourse tokens morphology dialogue annotation linguistics phoneme vocabulary text""",
    "databases": """database query transaction index relational schema join sql storage tuple
        optimizer concurrency recovery warehouse normalization view locking replication""",
    "networks": """network router protocol packet bandwidth latency routing wireless congestion
        multicast ethernet throughput topology gateway switch tcp traffic firewall""",
    "security": """encryption password attack cipher authentication malware vulnerability privacy
        certificate signature exploit threat key intrusion forensics audit cryptography""",
    "markets": """market shares stock investors dividend earnings inflation currency bond trading
        analyst quarter profit revenue bank merger exchange rates economy""",
    "politics": """election parliament minister senate vote candidate campaign coalition policy
        president government treaty reform congress opposition ballot diplomat legislation""",
    "law": """court judge lawsuit attorney verdict trial statute appeal plaintiff contract
        prosecution sentence liability testimony jury defendant justice tribunal""",
    "health": """patient hospital vaccine disease doctor treatment clinical symptoms therapy
        infection diabetes surgery nutrition medicine cancer nurse diagnosis epidemic""",
    "biology": """cell protein gene species genome enzyme bacteria evolution organism membrane
        dna mutation plant habitat receptor molecular tissue ecology""",
    "climate": """climate carbon emissions temperature glacier drought renewable solar wind rainfall
        atmosphere greenhouse warming flood forest ocean storm energy""",
    "space": """telescope planet orbit satellite galaxy rocket astronaut spacecraft lunar asteroid
        comet nebula gravity launch mars mission star astronomy""",
    "physics": """quantum particle laser photon electron magnetic plasma collider neutron
        superconductor relativity optics thermodynamics spin boson lattice accelerator""",
    "football": """football goal league coach striker penalty stadium championship midfielder
        referee transfer defender tournament cup match kickoff goalkeeper team""",
    "cycling": """bicycle race cyclist sprint stage peloton gears mountain climb saddle tour rider
        pedal wheel podium velodrome helmet marathon""",
    "travel": """travel hotel flight beach tourist island passport itinerary museum airline luggage
        resort cruise guide destination visa train hiking""",
    "food": """recipe cooking flour butter garlic oven sauce restaurant chef cheese vegetable
        dessert flavor kitchen baking wine spice dinner""",
    "music": """album guitar concert orchestra singer melody rhythm piano band festival composer
        opera jazz lyrics violin chorus recording symphony""",
    "film": """film director actor cinema screenplay premiere documentary audience scene comedy
        studio festival camera drama actress sequel trailer award""",
    "gardening": """garden soil seeds pruning compost roses flower greenhouse lawn mulch
        perennial watering shrub bulbs harvest weeds blossom planting""",
}

_BACKGROUND = """the of and to in a is for on that with as by it at from this are be was an or
    which have has not but their its more also one all other were can we they been may these new
    time will about would there who some first into than only out over no up two such people when
    what most made after many he his she her our you your us them then any where how page site here
    information year work use part well between years place day way number back general each
    under world long during important good both same another different used being while since
    found small large three through list great week without following set could often however
    several early known state given case later system group area point view form order name
    please contact date updated welcome read next last online copyright available"""

SUBJECTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: tuple(words.split()) for name, words in _KEYWORDS.items()}
)
"""The keywords of every named topic."""

BACKGROUND = tuple(_BACKGROUND.split())
"""Words that say nothing about a page."""


def names_of_topics(count: int) -> tuple[str, ...]:
    """Return the names of topics: the named ones first, then generated ones."""
    named = tuple(SUBJECTS)[:count]
    return named + tuple(made_up(WORDS - 1 - index) for index in range(count - len(named)))


WIDTH = 2048
"""The size of a row's table; words rarer than one in this many do not occur."""

TAIL = 40
"""The number of generated words of a topic besides its real ones."""

BACKGROUND_TAIL = 900
PEOPLE = 600


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of a world, and the frequencies of each row."""

    words: NDArray[np.object_]
    tables: NDArray[np.int32]
    topics: int

    @property
    def names_row(self) -> int:
        """The row of people's names."""
        return len(self.tables) - 1

    def kind_row(self, kind: int) -> int:
        """Return the row of a kind of page."""
        return 1 + self.topics + kind


def vocabulary(topics: Sequence[str], kinds: Iterable[Sequence[str]]) -> Vocabulary:
    """Make the vocabularies of topics and of kinds of pages."""
    fresh = unused_words()
    rows: list[tuple[Sequence[str], float]] = [((*BACKGROUND, *take(fresh, BACKGROUND_TAIL)), 1.0)]
    rows += [((name, *SUBJECTS.get(name, ()), *take(fresh, TAIL)), 1.0) for name in topics]
    rows += [(words or BACKGROUND, 0.6) for words in kinds]
    rows.append((take(fresh, PEOPLE), 0.3))
    numbers: dict[str, int] = {}
    tables = [
        table([numbers.setdefault(word, len(numbers)) for word in words], power)
        for words, power in rows
    ]
    return Vocabulary(np.array(list(numbers), np.object_), np.array(tables), len(topics))


def table(numbers: Sequence[int], power: float) -> NDArray[np.int32]:
    """Return a table in which the n-th number stands in proportion to 1 / (n + 2)^power."""
    likely = exact.power(np.arange(len(numbers)) + 2.0, -power)
    edges = np.cumsum(likely) / likely.sum()
    quantiles = (np.arange(WIDTH) + 0.5) / WIDTH
    return np.array(numbers, np.int32)[np.searchsorted(edges, quantiles)]


def unused_words() -> Iterator[str]:
    """Generate words that are not among the real ones."""
    real = {*BACKGROUND, *(word for words in SUBJECTS.values() for word in words)}
    index = 1
    while True:
        if (word := made_up(index)) not in real:
            yield word
        index += 1


def take(words: Iterator[str], count: int) -> list[str]:
    """Return the next words."""
    return [next(words) for _ in range(count)]
