"""The publication date of a page, in POSIX seconds."""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Iterable
from datetime import date
from email.utils import mktime_tz, parsedate_tz

# Names of meta elements, lower case, in the order of trust.
PUBLISHED_NAMES = (
    "article:published_time",
    "datepublished",
    "og:published_time",
    "article.published",
    "citation_publication_date",
    "citation_date",
    "parsely-pub-date",
    "sailthru.date",
    "dcterms.issued",
    "dc.date.issued",
    "dcterms.created",
    "dc.date.created",
    "dcterms.date",
    "dc.date",
    "publish-date",
    "publish_date",
    "pubdate",
    "date",
)
_EARLIEST_YEAR, _LATEST_YEAR = 1990, 2099
_JSON_LD = re.compile(r'"datePublished"\s*:\s*"([^"]{4,40})"')
_ISO = re.compile(
    r"\s*(\d{4})([-/.]?)(\d{2})(?:\2(\d{2}))?"
    r"(?:[T\s]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?"
    r"\s*(?:(Z|UTC|GMT)|([+-])(\d{2}):?(\d{2})?)?",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_IN_WORDS = re.compile(
    r"\s*(?:[A-Za-z]{3,9},?\s+)?(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([A-Za-z]{3})[a-z.]*\s+"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})\b(?!.*\d:\d)"
)


def json_ld_date(script: str) -> str:
    """Return the first publication date in a JSON-LD script, unparsed."""
    match = _JSON_LD.search(script)
    return match[1] if match else ""


def first_date(candidates: Iterable[str]) -> float | None:
    """Return the first of several dates that can be parsed and is plausible."""
    for candidate in candidates:
        seconds = read_date(candidate)
        if seconds is not None:
            return seconds
    return None


def read_date(text: str) -> float | None:
    """Parse a date in ISO 8601, in the mail format, or in English; without a zone it is UTC."""
    text = text[:64]
    match = _ISO.match(text)
    try:
        return _iso_seconds(match) if match else _mail_seconds(text) or _in_words(text)
    except (ValueError, OverflowError):
        return None


def _iso_seconds(match: re.Match[str]) -> float | None:
    year, _, month, day, hour, minute, second, _, sign, ahead, ahead_minutes = match.groups()
    if not _EARLIEST_YEAR <= int(year) <= _LATEST_YEAR:
        return None
    date(int(year), int(month), int(day or 1))
    clock = (int(hour or 0), int(minute or 0), int(second or 0))
    if clock > (24, 0, 0) or clock[1] > 59 or clock[2] > 60:
        return None
    seconds = timegm((int(year), int(month), int(day or 1), *clock))
    offset = int(ahead or 0) * 3600 + int(ahead_minutes or 0) * 60
    return float(seconds + offset if sign == "-" else seconds - offset)


def _mail_seconds(text: str) -> float | None:
    parsed = parsedate_tz(text)
    if parsed is None or not _EARLIEST_YEAR <= parsed[0] <= _LATEST_YEAR:
        return None
    date(*parsed[:3])
    return float(mktime_tz(parsed) if parsed[9] is not None else timegm(parsed[:6]))


def _in_words(text: str) -> float | None:
    match = _IN_WORDS.match(text)
    if match is None or match[2].lower() not in _MONTHS:
        return None
    day, year = match[1] or match[3] or "1", int(match[4])
    if not _EARLIEST_YEAR <= year <= _LATEST_YEAR:
        return None
    moment = date(year, 1 + _MONTHS.index(match[2].lower()), int(day))
    return float(timegm(moment.timetuple()))
