"""The named topics and their keywords, and the words that every page has.

Neighbours in the list are related topics: pages link to them more than to others.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from foragers.worlds.generated.syllables import WORDS, made_up

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
    """Return the names of so many topics: ours first, then made-up ones."""
    named = tuple(SUBJECTS)[:count]
    return named + tuple(made_up(WORDS - 1 - index) for index in range(count - len(named)))
