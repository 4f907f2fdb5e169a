"""Sound sites of some ten thousand pages, all of which a crawl should reach."""

from __future__ import annotations

import re
from datetime import date, timedelta

from support.simulated import Answer, Site, chosen, framed, prose


class Blog(Site):
    """8,000 posts with dates in their addresses, month and day archives, 20 a list page."""

    posts = 8000
    start = date(2014, 1, 1)

    def day_of(self, post: int) -> date:
        return self.start + timedelta(days=post // 5 * 2)

    def url(self, post: int) -> str:
        return f"/{self.day_of(post):%Y/%m/%d}/{'-'.join(prose(f'post {post}', 150).split()[:5])}"

    def __init__(self) -> None:
        self.at = {self.url(post): post for post in range(self.posts)}
        self.days: dict[str, list[int]] = {}
        self.months: dict[str, list[str]] = {}
        for post in range(self.posts):
            day = f"/{self.day_of(post):%Y/%m/%d}/"
            self.days.setdefault(day, []).append(post)
        for day in self.days:
            self.months.setdefault(day[:9], []).append(day)
        self.lists = (self.posts + 19) // 20

    def real(self) -> set[str]:
        pages = [f"/page/{n}" for n in range(1, self.lists + 1)]
        return {self.host + path for path in [*self.at, *self.days, *self.months, *pages, "/"]}

    def listed(self, posts: list[int]) -> Answer:
        titles = " ".join(" ".join(prose(f"post {post}", 150).split()[:5]) for post in posts)
        return framed(titles), [self.url(post) for post in posts]

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 50)), ["/page/1", *self.months]
        if path in self.at:
            post = self.at[path]
            links = [self.url(p) for p in (post - 1, post + 1) if 0 <= p < self.posts]
            return framed(prose(f"post {post}", 150)), [*links, f"/{self.day_of(post):%Y/%m/%d}/"]
        if path in self.days:
            return self.listed(self.days[path])
        if path in self.months:
            return framed("Archive " + path), self.months[path]
        if found := re.fullmatch(r"/page/(\d+)", path):
            page = int(found[1])
            if 1 <= page <= self.lists:
                text, links = self.listed(list(range((page - 1) * 20, min(page * 20, self.posts))))
                return text, [*links, f"/page/{page + 1}"] if page < self.lists else links
        return None


class Shop(Site):
    """9,000 products with short texts, 300 categories, lists of 30 that are paged."""

    def real(self) -> set[str]:
        products = {f"{self.host}/product/{n}" for n in range(9000)}
        lists = {f"{self.host}/category/{n}?page={p}" for n in range(300) for p in (1, 2, 3)}
        return products | lists

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 80)), [f"/category/{n}?page=1" for n in range(300)]
        if found := re.fullmatch(r"/product/(\d+)", path):
            number = int(found[1])
            if number >= 9000:
                return None
            related = [f"/product/{n}" for n in chosen(path, 4, 9000)]
            text = f"{prose(f'product {number}', 12)} price {number % 90} in stock add to basket"
            return framed(text), [*related, f"/category/{number % 300}?page=1"]
        if found := re.fullmatch(r"/category/(\d+)\?page=(\d+)", path):
            category, page = int(found[1]), int(found[2])
            if category >= 300 or not 1 <= page <= 3:
                return None
            items = [category + 300 * (10 * (page - 1) + i) for i in range(10)]
            names = " ".join(" ".join(prose(f"product {n}", 12).split()[:3]) for n in items)
            return framed(names), [
                *(f"/product/{n}" for n in items),
                f"/category/{category}?page={page + 1}",
            ]
        return None


class Wiki(Site):
    """10,000 titles, a third of them stubs of a sentence, with many links among each other."""

    def __init__(self) -> None:
        # The first words of a text may repeat; the number makes the title its own.
        names = [prose(f"page {n}", 60).split()[:2] for n in range(10_000)]
        self.titles = [f"{a.title()}_{b.title()}_{n}" for n, (a, b) in enumerate(names)]
        self.at = {f"/wiki/{title}": n for n, title in enumerate(self.titles)}

    def real(self) -> set[str]:
        return {self.host + path for path in self.at}

    def answer(self, path: str) -> Answer | None:
        number = 0 if path == "/" else self.at.get(path)
        if number is None:
            return None
        text = prose(f"page {number}", 12 if number % 3 == 0 else 150)
        links = [f"/wiki/{self.titles[n]}" for n in chosen(path, 15, 10_000)]
        return framed(f"{self.titles[number].replace('_', ' ')} {text}"), links


class Forum(Site):
    """4,000 threads of two pages, 200 pages of threads, 1,500 users with little to say."""

    def real(self) -> set[str]:
        threads = {f"{self.host}/viewtopic.php?t={t}" for t in range(4000)}
        second = {f"{self.host}/viewtopic.php?start=20&t={t}" for t in range(4000)}
        index = {f"{self.host}/viewforum.php?start={20 * n}" for n in range(200)}
        return threads | second | index | {f"{self.host}/member/{n}" for n in range(1500)}

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 80)), ["/viewforum.php?start=0"]
        if found := re.fullmatch(r"/viewforum\.php\?start=(\d+)", path):
            start = int(found[1])
            if start >= 4000:
                return None
            threads = range(start, start + 20)
            titles = " ".join(" ".join(prose(f"thread {t}", 90).split()[:6]) for t in threads)
            links = [f"/viewtopic.php?t={t}" for t in threads]
            return framed(titles), [*links, f"/viewforum.php?start={start + 20}"]
        if found := re.fullmatch(r"/viewtopic\.php\?(?:start=(20)&)?t=(\d+)", path):
            thread = int(found[2])
            text = prose(f"thread {thread}" + (" more" if found[1] else ""), 90)
            users = [f"/member/{n}" for n in chosen(path, 5, 1500)]
            return framed(text), [f"/viewtopic.php?start=20&t={thread}", *users]
        if found := re.fullmatch(r"/member/(\d+)", path):
            signature = prose(f"member {found[1]}", 6)
            return framed(f"joined 2019 posts 12 says {signature}"), ["/"]
        return None


class Docs(Site):
    """Four versions of 2,500 pages, of which most are as they were or slightly changed."""

    def real(self) -> set[str]:
        return {f"{self.host}{self.path(v, n)}" for v in range(1, 5) for n in range(2500)}

    @staticmethod
    def path(version: int, number: int) -> str:
        chapter = ("guide", "reference", "tutorial", "internals")[number % 4]
        return f"/docs/v{version}/{chapter}/{prose(f'name {number}', 1)}-{number}.html"

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 80)), [self.path(v, 0) for v in range(1, 5)]
        found = re.fullmatch(r"/docs/v(\d)/\w+/\w+-(\d+)\.html", path)
        if found is None:
            return None
        version, number = int(found[1]), int(found[2])
        changed = max(v for v in range(1, version + 1) if v == 1 or (number * 7 + v) % 10 >= 7)
        text = prose(f"doc {number} {changed}", 200)
        if version > changed and number % 5 == 0:
            text += " since this version " + prose(f"note {number} {version}", 8)
        links = [self.path(version, n % 2500) for n in (number + 1, 2 * number, 3 * number + 1)]
        return framed(text), [*links, self.path(version % 4 + 1, number)]


class News(Site):
    """9,000 articles in ten sections, and a calendar in which every day has some."""

    first = date(2020, 1, 1)
    days = 900

    def real(self) -> set[str]:
        articles = {f"{self.host}/news/{n}.html" for n in range(9000)}
        return articles | {f"{self.host}{self.day(d)}" for d in range(self.days)}

    def day(self, number: int) -> str:
        return f"/calendar/{self.first + timedelta(days=number):%Y-%m-%d}"

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 80)), [self.day(450)]
        if found := re.fullmatch(r"/calendar/(\d{4}-\d\d-\d\d)", path):
            number = (date.fromisoformat(found[1]) - self.first).days
            near = [self.day(number + step) for step in (-1, 1)]
            if not 0 <= number < self.days:
                return framed("No news on this day"), near
            items = range(10 * number, 10 * number + 10)
            titles = " ".join(" ".join(prose(f"news {n}", 120).split()[:7]) for n in items)
            return framed(titles), [*(f"/news/{n}.html" for n in items), *near]
        if found := re.fullmatch(r"/news/(\d+)\.html", path):
            number = int(found[1])
            related = [f"/news/{n}.html" for n in chosen(path, 3, 9000)]
            return framed(prose(f"news {number}", 120)), [*related, self.day(number // 10)]
        return None


class Pagination(Site):
    """Five hundred bare list pages, which say nothing but lead to 9,500 articles."""

    def real(self) -> set[str]:
        lists = {f"{self.host}/latest?page={n}" for n in range(1, 501)}
        return lists | {f"{self.host}/a/{n}" for n in range(19, 9519)}

    def answer(self, path: str) -> Answer | None:
        if path == "/":
            return framed(prose("home", 80)), ["/latest?page=1"]
        if found := re.fullmatch(r"/latest\?page=(\d+)", path):
            page = int(found[1])
            if page > 500:
                return None
            items = [f"/a/{n}" for n in range(19 * page, 19 * page + 19)]
            return framed(f"Page {page} of 500"), [*items, f"/latest?page={page + 1}"]
        if found := re.fullmatch(r"/a/(\d+)", path):
            return framed(prose(f"a {found[1]}", 120)), []
        return None
