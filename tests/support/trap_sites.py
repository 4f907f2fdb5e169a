"""Traps: each answers any address below its folder, for ever."""

from __future__ import annotations

import re
from datetime import date, timedelta
from hashlib import md5
from itertools import count
from urllib.parse import parse_qsl

from support.simulated import Answer, Site, framed, prose

MONTHS = "January February March April May June July August September October November December"


class Calendar(Site):
    """Months and days without events, in both directions, in the path."""

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed("Welcome " + prose("home", 100)), ["/calendar/2024/05"]
        if found := re.fullmatch(r"/calendar/(\d+)/(\d+)", path):
            year, month = int(found[1]), int(found[2])
            links = [self.month(year, month + step) for step in (-1, 1, -12, 12)]
            links += [f"/calendar/{year}/{month:02}/{day:02}" for day in range(1, 29)]
            days = " ".join(map(str, range(1, 29)))
            name = MONTHS.split()[month - 1]
            return framed(f"Events in {name} {year} Mo Tu We Th Fr Sa Su {days}"), links
        if found := re.fullmatch(r"/calendar/(\d+)/(\d+)/(\d+)", path):
            year = min(max(int(found[1]), 1), 9998)
            day = date(year, int(found[2]), int(found[3]))
            near = [day + timedelta(days=step) for step in (-1, 1, -7, 7)]
            links = [f"/calendar/{d.year}/{d.month:02}/{d.day:02}" for d in near]
            return framed(f"{day:%A %d %B %Y} there are no events on this day"), links
        return None

    @staticmethod
    def month(year: int, month: int) -> str:
        year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
        return f"/calendar/{year}/{month:02}"


class QueryCalendar(Site):
    """A calendar whose date stands in the query."""

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 100)), ["/events.php?month=5&year=2024"]
        if found := re.fullmatch(r"/events\.php\?month=(\d+)&year=(-?\d+)", path):
            month, year = int(found[1]), int(found[2])
            near = [divmod(12 * year + month - 1 + step, 12) for step in (-1, 1, 12, -12)]
            name = MONTHS.split()[month - 1]
            text = framed(f"{name} {year} nothing planned this month")
            return text, [f"/events.php?month={m + 1}&year={y}" for y, m in near]
        return None


class Sessions(Site):
    """Sixty pages, each under ever new addresses; `form` says where the id is."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.numbers = count()

    def link(self, page: int) -> str:
        return self.form.format(page=page, id=md5(str(next(self.numbers)).encode()).hexdigest())

    def answer(self, path: str) -> Answer | None:
        found = re.search(r"topic-?(\d+)", path)
        page = int(found[1]) if found else 0
        links = [self.link((page * 7 + step) % 60) for step in range(1, 9)]
        return framed(prose(f"topic {page}", 120)), links


class Growing(Site):
    """A relative link on a page that answers everywhere."""

    def answer(self, path: str) -> Answer | None:
        folder = path.rpartition("/")[0]
        return framed(prose("loop", 80)), [f"{folder}/about/team/", f"{folder}/about/", "/"]


class Wandering(Site):
    """Folders in any order, which no pattern can tell from sound ones."""

    def answer(self, path: str) -> Answer | None:
        folder = path.rpartition("/")[0]
        names = ("red", "green", "blue", "small", "large", "new", "old")
        return framed(prose("wander", 80)), [f"{folder}/{name}/" for name in names]


class Facets(Site):
    """A list of 120 things under every combination of ten filters of four values each."""

    filters = ("brand", "color", "size", "price", "style", "fabric", "season", "fit", "cut", "age")

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 100)), ["/shop"]
        if found := re.fullmatch(r"/item/(\d+)", path):
            return framed(prose(f"item {found[1]}", 80)), ["/shop"]
        name, _, query = path.partition("?")
        if name != "/shop":
            return None
        chosen = dict(parse_qsl(query))
        items = [
            item
            for item in range(120)
            if all((item >> i) % 2 == int(chosen.get(k, "0")) % 2 for i, k in enumerate(chosen))
        ][:30]
        links = [f"/item/{item}" for item in items]
        for key in self.filters:
            for value in range(4):
                more = sorted({**chosen, key: str(value)}.items())
                links.append("/shop?" + "&".join(f"{k}={v}" for k, v in more))
        titles = " ".join(prose(f"item {item}", 80)[:22] for item in items)
        return framed(titles), links


class Mirrors(Site):
    """Two hundred pages, and the same again under every mirror that they link to."""

    def answer(self, path: str) -> Answer | None:
        prefix, _, name = path.rpartition("/p")
        page = int(name) if name.isdigit() else 0
        links = [f"{prefix}/p{(3 * page + step) % 200}" for step in range(1, 6)]
        links += [f"{prefix}/mirror/p{page}"] if prefix.count("/") < 9 else []
        return framed(prose(f"mirrored {page}", 150)), links


class CopiedHosts(Site):
    """The same hundred pages on every subdomain, of which each names three more."""

    host = "http://"

    def seeds(self) -> list[str]:
        return ["http://a.site.org/p0"]

    def answer(self, path: str) -> Answer | None:
        name = path.rpartition("/p")[2]
        page = int(name) if name.isdigit() else 0
        links = [f"/p{(3 * page + step) % 100}" for step in range(1, 6)]
        self.made = getattr(self, "made", 0) + 1
        links += [f"http://h{self.made}x{i}.site.org/p{page}" for i in range(3)]
        return framed(prose(f"mirrored {page}", 150)), links


class SoftErrors(Site):
    """An error page with status 200, which repeats the address and links on."""

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 100)), ["/missing-one", "/old/missing-two", "/x/y/z"]
        text = f"Sorry the page {path} could not be found Please use the search"
        name = crc(path)
        return framed(text), [f"/archive/{name}", f"/{name}.html", f"/see/{name}/also-{name}"]


class EndlessPages(Site):
    """Fifty pages of a list, and then the same empty page for every number."""

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 100)), ["/list?page=1"]
        if found := re.fullmatch(r"/entry/(\d+)", path):
            return framed(prose(f"entry {found[1]}", 100)), []
        if not (found := re.fullmatch(r"/list\?page=(\d+)", path)):
            return None
        page = int(found[1])
        links = [f"/list?page={page + step}" for step in (1, 2, 10, 100)]
        if page > 50:
            return framed(f"Page {page} There is nothing more to see here"), links
        entries = range(10 * page, 10 * page + 10)
        titles = " ".join(prose(f"entry {entry}", 100)[:30] for entry in entries)
        return framed(f"Page {page} {titles}"), [f"/entry/{e}" for e in entries] + links


class Sorted(Site):
    """Eighty lists, each under every sort order, direction, and number a page."""

    def answer(self, path: str) -> Answer | None:
        name = path.partition("?")[0]
        found = re.fullmatch(r"/list/(\d+)", name)
        number = int(found[1]) if found else 0
        titles = [prose(f"{number} {i}", 6) for i in range(15)]
        if "sort=" in path:
            titles.sort(key=lambda title: crc(title + path))
        links = [f"/list/{(number * 3 + step) % 80}" for step in range(5)]
        links += [
            f"{name}?order={way}&sort={key}"
            for way in ("up", "down")
            for key in ("name", "date", "price", "rank", "size", "views", "votes", "id")
        ]
        return framed(" ".join(titles)), links


class Printed(Site):
    """Five hundred articles, each with a print version at another path."""

    def real(self) -> set[str]:
        return {f"{self.host}/article/{n}" for n in range(500)}

    def answer(self, path: str) -> Answer | None:
        found = re.fullmatch(r"/(article|print)/(\d+)", path)
        number = int(found[2]) if found else 0
        text = prose(f"article {number}", 200)
        links = [f"/article/{(number * 3 + step) % 500}" for step in range(1, 5)]
        if found and found[1] == "print":
            return f"Print version {text}", []
        return framed(text), [*links, f"/print/{number}"]


class LongAddresses(Site):
    """Every page adds to the query of the next."""

    def answer(self, path: str) -> Answer | None:
        mark = "&" if "?" in path else "?"
        return framed(prose(path, 100)), [f"{path}{mark}from={crc(path)}"]


class Tracked(Site):
    """Forty pages whose links carry tracking parameters that never repeat."""

    def answer(self, path: str) -> Answer | None:
        found = re.match(r"/p(\d+)", path)
        page = int(found[1]) if found else 0
        self.made = getattr(self, "made", 0) + 1
        links = [
            f"/p{(3 * page + step) % 40}?utm_source=s{self.made}&gclid=g{self.made}x{step}"
            for step in range(6)
        ]
        return framed(prose(f"tracked {page}", 120)), links


def crc(text: str) -> str:
    return md5(text.encode()).hexdigest()[:7]
