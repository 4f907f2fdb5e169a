"""Jobs that are redirected, or have too many slashes."""

from __future__ import annotations

from foragers.core.types import Choice
from foragers.fetching.job import FetchJob
from foragers.fetching.redirects import RedirectChain
from foragers.fetching.settings import RetrySettings
from foragers.http.messages import Request, Response


def test_where_a_redirect_leads_is_tried_as_often_as_any_page() -> None:
    job = FetchJob(Choice(1, 0), RedirectChain("http://a.test/"), tries=2)
    job.follow("http://a.test/there")
    assert (job.url, job.hops, job.tries) == ("http://a.test/there", 1, 0)
    assert job.chain.visited == (("http://a.test/", ""),)


def test_an_address_with_slashes_too_many_is_asked_for_once_more_without() -> None:
    job = FetchJob(Choice(1, 0), RedirectChain("http://a.test//x"))
    assert not job.normalise_slashes(500)
    assert job.normalise_slashes(404)
    assert job.url == "http://a.test/x"
    assert not job.normalise_slashes(404)


def test_robots_txt_is_tried_again_where_pages_are_not() -> None:
    once, broken = RetrySettings(tries=1), Response(Request("http://a.test/"), 0.0, 0.1, code=500)
    chain = RedirectChain("http://a.test/")
    page, robots = FetchJob(Choice(1, 0), chain), FetchJob(Choice(1, 0), chain, origin="x")
    assert [job.tries_left(broken, once) for job in (page, robots)] == [0, 2]
