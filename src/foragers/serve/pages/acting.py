"""What readers do with a crawl: pause, go on, stop, more seeds, another budget, and what-if.

A running crawl reads its orders itself (`crawling.channel.orders`).  A crawl that has ended goes on
in a process of its own, with the options in its folder, if these run no code and name no file.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse as Redirect
from starlette.responses import Response
from starlette.routing import Route

from foragers.core.options import Target, arguments_of
from foragers.crawling.channel.orders import CrawlOrder, Do, give_order
from foragers.crawling.options import CrawlOptions, options_in_folder
from foragers.errors import UsageError
from foragers.serve.background import LOG, CommandChain, last_line
from foragers.serve.crawl_data import CrawlData
from foragers.serve.pages.compare_pages import result_in, shown_result
from foragers.serve.site import SiteFrame
from foragers.strategies.registry import STRATEGIES, is_safe

WHAT_IF, WORLD, COMPARED = "what-if", "world", "compared"
GO_ON = "go on with it on the command line, as it was started"
MOST_BUDGET = 10_000_000


class Wish(msgspec.Struct, frozen=True):
    """What a what-if asks: the crawl again, with other strategies, another topic or budget."""

    strategies: tuple[str, ...]
    topic: str
    budget: int
    asked: float


class AskedReplay(msgspec.Struct, frozen=True):
    """A what-if and what became of it."""

    number: int
    wish: Wish
    state: str
    problem: str = ""


@dataclass
class ActPages:
    """Where readers act on one crawl; `private` are the networks that crawls may reach."""

    site: SiteFrame
    data: CrawlData
    private: Sequence[str] = ()
    _chains: dict[int, CommandChain] = field(default_factory=dict)

    def routes(self) -> list[Route]:
        """Return the addresses of the pages."""
        guarded = self.site.guarded
        return [
            Route("/act", guarded(self.act), methods=["POST"]),
            Route("/what-if", guarded(self.replays), methods=["GET"]),
            Route("/what-if", guarded(self.ask), methods=["POST"]),
            Route("/what-if/{number:int}", guarded(self.replay)),
        ]

    def close(self) -> None:
        """End the replays that run; the crawls go on."""
        for chain in self._chains.values():
            chain.stop()

    async def act(self, request: Request) -> Response:
        """Tell the crawl what a reader wants."""
        form = await self.site.form(request)
        wish = str(form.get("do", ""))
        said = await run_in_threadpool(
            self._act, wish, str(form.get("budget", "")), str(form.get("seeds", ""))
        )
        base = request.scope.get("root_path", "")
        return Redirect(f"{base}/?told={quote(said)}", 303)

    def _act(self, wish: str, budget: str, seeds: str) -> str:
        """Do what a reader wants, and say it."""
        if wish not in set(Do):
            raise UsageError("the form is not complete")
        do, running = Do(wish), self.data.latest.is_running
        if do is Do.BUDGET:
            order = CrawlOrder(do, budget=whole_number(budget, "budget"))
        elif do is Do.SEEDS:
            order = CrawlOrder(do, seeds=tuple(seeds.split()))
        else:
            order = CrawlOrder(do)
        order.check()
        if running:
            give_order(self.data.path, order)
            return f"The crawl was told: {wish}. It obeys within a second or two."
        if do is Do.SEEDS:
            give_order(self.data.path, order)
            return "The seeds are noted. The crawl fetches them when it goes on."
        if do in (Do.GO_ON, Do.BUDGET):
            self._go_on(order.budget)
            return "The crawl goes on."
        raise UsageError("the crawl is not running")

    def _go_on(self, budget: int) -> None:
        """Start the crawl of the folder again."""
        options = safe_options(self.data.path, self.private)
        if budget:
            options = replace(options, budget=budget)
        if self.data.latest.summary.downloads >= options.budget:
            raise UsageError("the budget is spent; give a larger one")
        command = ["crawl", *options.seeds, *arguments_of(options), f"--out={self.data.path}"]
        CommandChain([command], self.data.path / LOG).start()  # it goes on when the server ends

    async def replays(self, request: Request) -> Response:
        """Show what was asked, and the form for more."""
        record = self.data.latest.record
        found = await run_in_threadpool(self._found)
        return self.site.shown(
            request,
            "what_if.html",
            replays=found,
            strategies=sorted(STRATEGIES),
            own=own_strategy(record.strategy),
            topic=self._topic(),
            budget=self.data.latest.summary.downloads,
            possible=self._archives() != [],
        )

    def _topic(self) -> str:
        options = options_in_folder(self.data.path)
        return (options.aim.topic or "") if options else ""

    def _archives(self) -> list[Path]:
        """Return the WARC files of the crawl."""
        return sorted((self.data.path / "warc").glob("*.warc*"))

    def _found(self) -> list[AskedReplay]:
        """Return all what-ifs, the latest first."""
        folder = self.data.path / WHAT_IF
        numbers = [int(one.name) for one in folder.glob("*") if one.name.isdecimal()]
        found = (self._replay(number) for number in sorted(numbers, reverse=True))
        return [one for one in found if one is not None]

    def _replay(self, number: int) -> AskedReplay | None:
        place = self.data.path / WHAT_IF / str(number)
        try:
            wish = msgspec.json.decode((place / "wish.json").read_bytes(), type=Wish)
        except (OSError, ValueError):
            return None
        chain = self._chains.get(number)
        if (place / COMPARED / "result.json").is_file():
            return AskedReplay(number, wish, "done")
        if chain is not None and chain.is_running:
            return AskedReplay(number, wish, "running", last_line(place / LOG))
        return AskedReplay(number, wish, "failed", last_line(place / LOG) or "it did not finish")

    async def ask(self, request: Request) -> Response:
        """Start a what-if."""
        form = await self.site.form(request)
        wish = Wish(
            tuple(str(one) for one in form.getlist("strategy")),
            str(form.get("topic", "")).strip()[:500],
            whole_number(str(form.get("budget", "")), "budget"),
            time.time(),
        )
        number = await run_in_threadpool(self._ask, wish)
        return Redirect(f"{request.scope.get('root_path', '')}/what-if/{number}", 303)

    def _ask(self, wish: Wish) -> int:
        """Start a replay of the crawl's own record, and return its number."""
        known = {*STRATEGIES, own_strategy(self.data.latest.record.strategy)} - {""}
        settings = self.data.settings
        if not 1 <= len(wish.strategies) <= settings.strategies:
            raise UsageError(f"choose 1 to {settings.strategies} strategies")
        if not known.issuperset(wish.strategies):
            raise UsageError("choose strategies of the list")
        if not 1 <= wish.budget <= MOST_BUDGET:
            raise UsageError(f"budget: give 1 to {MOST_BUDGET:,} downloads")
        archives = self._archives()
        if not archives:
            raise UsageError("the crawl has no WARC files; nothing can be replayed")
        found = self._found()
        if any(one.state == "running" for one in found):
            raise UsageError("another what-if is running; wait for it")
        if len(found) >= settings.replays:
            raise UsageError(
                f"there are {settings.replays} what-ifs; remove some from {WHAT_IF}/ in the folder"
            )
        number = max((one.number for one in found), default=0) + 1
        place = self.data.path / WHAT_IF / str(number)
        place.mkdir(parents=True, exist_ok=True)
        (place / "wish.json").write_bytes(msgspec.json.encode(wish))
        seeds = self.data.latest.record.seeds
        (place / "seeds.txt").write_text("".join(f"{seed}\n" for seed in seeds))
        options = options_in_folder(self.data.path)
        aim = options.aim if options else Target()
        aim = replace(aim, topic=wish.topic or None, judge=None)
        world, out = str(place / WORLD), f"--out={place / COMPARED}"
        said = [f"--seeds={place / 'seeds.txt'}", "--static", "--salvage"]
        how = [f"--strategies={','.join(wish.strategies)}", f"--budget={wish.budget}", "--jobs=1"]
        chain = CommandChain(
            [
                ["world", "import", world, *map(str, archives), *said],
                ["compare", world, *how, *arguments_of(aim), out],
            ],
            place / LOG,
        )
        chain.start()
        self._chains[number] = chain
        return number

    async def replay(self, request: Request) -> Response:
        """Show what came of a what-if."""
        number = request.path_params["number"]
        found = await run_in_threadpool(self._replay, min(number, 10**9))
        if found is None:
            message = "There is no such what-if."
            return self.site.shown(request, "error.html", 404, message=message)
        result = None
        if found.state == "done":
            place = self.data.path / WHAT_IF / str(number) / COMPARED
            result = await run_in_threadpool(lambda: shown_result(result_in(place)))
        return self.site.shown(request, "replay.html", replay=found, result=result)


def own_strategy(spec: str) -> str:
    """Return the strategy of a crawl if its name runs no code of others, "" otherwise."""
    return spec if spec and is_safe(spec) and "model=" not in spec else ""


def safe_options(folder: Path, private: Sequence[str]) -> CrawlOptions:
    """Return the options of a crawl that may go on by a click.

    A folder may come from another person, so it must not name code, files or private networks.
    """
    options = options_in_folder(folder)
    if options is None:
        raise UsageError(f"the folder has no crawl.json; {GO_ON}")
    aim = options.aim
    named = {
        "a judge of its own": aim.judge,
        "a strategy of its own": not own_strategy(options.strategy),
        "a file (--examples, --idf, --vectors)": aim.examples or aim.idf or aim.vectors,
        "--learned": options.learned,
        "--chromium": options.chromium,
        "a database": options.ledger,
        "private addresses": set(options.allow_private) - set(private),
    }
    for what, given in named.items():
        if given:
            raise UsageError(f"the crawl has {what}; {GO_ON}")
    return replace(options, seeds_file=None)


def whole_number(text: str, name: str) -> int:
    """Return a number that a reader typed."""
    digits = text.replace(",", "").replace("_", "").strip()
    if not digits.isdecimal() or len(digits) > 12:
        raise UsageError(f"{name}: give a whole number")
    return int(digits)
