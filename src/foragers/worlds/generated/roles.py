"""What a link is for, which decides where on the page it stands and how it is worded."""

from __future__ import annotations

from enum import IntEnum


class Role(IntEnum):
    """The part of a page that a link belongs to, in the order of the page."""

    NAVIGATION = 0
    CONTENT = 1
    LISTING = 2
    FOOTER = 3


PATHS = (
    "html body header nav ul li a",
    "html body main article p a",
    "html body main ul li a",
    "html body footer p a",
)
"""The tags around a link, by role."""
