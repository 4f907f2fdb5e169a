"""What `automata` reports: its topics, its crawlers and its numbers."""

from __future__ import annotations

from collections.abc import Mapping

TOPICS: Mapping[str, str] = {
    "Linux": "linux unix kernel",
    "Robotics": "robot robotics sensor",
    "Java Programming": "java programming applet",
    "Asthma": "asthma inhaler lung",
    "Olympic Games": "olympic games athlete",
}
"""The five topics of Table 1.  The paper does not say which words describe them: these are ours."""

STAND_INS: Mapping[str, tuple[str, str]] = {
    "Linux": ("networks", "network router protocol"),
    "Robotics": ("robotics", "robot sensor actuator"),
    "Java Programming": ("databases", "database query transaction"),
    "Asthma": ("health", "patient hospital vaccine"),
    "Olympic Games": ("football", "football goal league"),
}
"""Which topic of a generated web stands for each of them, and its words."""

LAFC, BPM, HW, LJM = "LAFC", "BPM", "HW", "LJM"
CRAWLERS: Mapping[str, str] = {LAFC: "lafc", BPM: "bpm", HW: "hw", LJM: "hmm"}
"""The paper's crawlers, and our names for them."""

UNTRAINED: Mapping[str, str] = {name: f"{name}, untrained" for name in (BPM, HW, LJM)}
"""The same rivals without the model of another web: they learn on the job."""

OTHERS: Mapping[str, str] = {
    **{told: f"{CRAWLERS[name]}()" for name, told in UNTRAINED.items()},
    "context graph": "context-graph",
    "best-first": "best-first",
    "breadth-first": "breadth-first",
}
"""Crawlers that the paper does not show."""

PAGES, STEP = 10_000, 1_000
"""How many pages a crawl downloads, and after how many precision is shown."""
RATE, CONTROL = 0.09, 0.8
"""The learning rate a and the control threshold C on which the paper settles."""

TABLE_2: Mapping[float, tuple[float, float]] = {
    0.45: (0.1123, 623.109),
    0.50: (0.1227, 670.861),
    0.55: (0.1342, 707.292),
    0.60: (0.1403, 765.312),
    0.65: (0.1512, 810.412),
    0.70: (0.1642, 860.145),
    0.75: (0.1702, 900.214),
    0.80: (0.1861, 955.092),
    0.85: (0.1872, 1207.68),
    0.90: (0.1890, 1415.51),
    0.95: (0.1912, 1891.41),
}
"""Control threshold: precision and running time in minutes, with a = 0.1."""

TABLE_3: Mapping[float, tuple[float, float]] = {
    0.05: (0.2305, 2315.37),
    0.06: (0.2287, 2092.04),
    0.07: (0.2216, 1878.93),
    0.08: (0.2205, 1562.17),
    0.09: (0.2189, 1023.12),
    0.10: (0.1861, 955.092),
    0.20: (0.1675, 870.429),
    0.30: (0.1276, 621.974),
    0.40: (0.1112, 586.236),
    0.50: (0.0732, 432.891),
}
"""Learning rate: precision and running time in minutes, with C = 0.8."""

TABLE_4: Mapping[str, tuple[float, float]] = {
    LAFC: (0.1724, 0.0053),
    BPM: (0.1380, 0.0115),
    HW: (0.1096, 0.0333),
    LJM: (0.0992, 0.0142),
}
"""Precision at 10,000 downloads, mean and deviation."""

TABLE_4_TESTS: Mapping[tuple[str, str], float] = {
    (BPM, LJM): 3.45e-06,
    (BPM, HW): 2.71e-02,
    (BPM, LAFC): 1.15e-06,
    (LJM, HW): 3.82e-01,
    (LJM, LAFC): 6.00e-09,
    (HW, LAFC): 1.91e-04,
}
"""How significant the paper finds each difference."""

TABLE_5: Mapping[str, tuple[float, ...]] = {
    BPM: (0.73, 0.63, 0.62, 0.61, 0.65),
    LJM: (0.56, 0.41, 0.42, 0.48, 0.42),
    HW: (0.61, 0.42, 0.48, 0.54, 0.47),
    LAFC: (0.85, 0.78, 0.76, 0.83, 0.81),
}
"""Recall for each topic, in the order of Table 1."""

TABLE_6: Mapping[str, tuple[float, ...]] = {
    BPM: (1419.31, 1693.11, 1878.34, 1616.53, 1520.12),
    LJM: (1295.15, 1390.28, 1555.56, 1391.98, 1397.95),
    HW: (1382.42, 1503.42, 1690.01, 1493.45, 1432.22),
    LAFC: (934.971, 902.352, 1180.67, 1097.23, 1009.15),
}
"""Running time in minutes for each topic."""
