"""Why pages were fetched: a crawl is replayed for it, in a thread, one question after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple

from foragers.errors import UsageError
from foragers.reports.crawl_folder import CrawlFolder
from foragers.reports.explain import Explanation, explain
from foragers.reports.retell import telling_of
from foragers.serve.latest import BEHIND
from foragers.serve.settings import ServeSettings
from foragers.serve.site import BusyError


class Question(NamedTuple):
    """A page that is being explained, with the length of the ledger when it was asked for."""

    answer: Future[Explanation]
    length: int
    asked: float


@dataclass
class Explainer:
    """Explains the pages of a crawl; no request waits for longer than it wants to."""

    reading: Callable[[], AbstractContextManager[CrawlFolder]]
    settings: ServeSettings
    _asked: dict[str, Question] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _working: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, url: str, length: int, wait: float) -> Explanation | None:
        """Return why a page was fetched; None if that is still being worked out."""
        with self._lock:
            question = self._asked.get(url)
            if question is None or self._is_old(question, length):
                question = self._asked[url] = self._begin(url, length)
                self._forget()
        try:
            return question.answer.result(wait)
        except NotYetError:
            return None
        except UsageError:
            with self._lock:
                self._asked.pop(url, None)  # the next one asks anew
            raise

    def _is_old(self, question: Question, length: int) -> bool:
        """Return whether the crawl has gone on since an answer was given."""
        if not question.answer.done() or question.length == length:
            return False
        return time.monotonic() - question.asked > self.settings.fresh

    def _begin(self, url: str, length: int) -> Question:
        waiting = sum(not one.answer.done() for one in self._asked.values())
        if waiting >= self.settings.questions:
            raise BusyError("many pages are being explained already; ask again in a minute")
        question = Question(Future(), length, time.monotonic())
        # A daemon: a server that is stopped does not wait for a replay.
        threading.Thread(
            target=self._answer, args=(url, question), name=f"{BEHIND}-replay", daemon=True
        ).start()
        return question

    def _forget(self) -> None:
        """Keep the latest answers only."""
        done = [url for url, one in self._asked.items() if one.answer.done()]
        for url in done[: max(0, len(self._asked) - self.settings.explained)]:
            del self._asked[url]

    def _answer(self, url: str, question: Question) -> None:
        try:
            with self._working, self.reading() as folder:
                most = self.settings.replayed
                found = explain(folder, url, telling_of(folder, None), most=most)
        except BaseException as error:
            question.answer.set_exception(error)
        else:
            question.answer.set_result(found)
