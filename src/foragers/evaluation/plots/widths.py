"""Figures at two widths, for wide and for narrow screens."""

from __future__ import annotations

from collections.abc import Callable

ONE_OF_BOTH = """
.on-narrow { display: none; }
@media (max-width: 34rem) { .on-narrow { display: block; } .on-wide { display: none; } }
"""
"""The style that shows one of the two."""

WIDE, PHONE = 920, 400
"""Widths of figures, in pixels: a page, and the screen of a phone."""


def at_both_widths(draw: Callable[[int], str]) -> str:
    """Return a figure for wide and one for narrow screens, of which the style shows one.

    A wide figure on a phone would have characters of four pixels.
    """
    wide, narrow = draw(WIDE), draw(PHONE)
    if not wide:
        return ""
    return f'<div class="on-wide">{wide}</div><div class="on-narrow">{narrow}</div>'
