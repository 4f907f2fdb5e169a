"""Which pages need their scripts, made up after the common frameworks and in recorded webs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.rendering.detection import is_shell
from foragers.storage.warc.reader import WarcReader

BESIDE = Path(__file__).resolve().parents[3] / "shared"
SHARED = Path(os.environ.get("FORAGERS_SHARED", BESIDE))
WORDS = "A heat pump takes warmth from the air outside and brings it into the house. " * 8
MENU = "".join(f'<li><a href="/{n}">Part {n}</a></li>' for n in range(12))

SHELLS = {
    "create-react-app": """<!doctype html><html lang="en"><head><title>React App</title>
        <script defer src="/static/js/main.3f.js"></script></head><body><noscript>You need to enable
        JavaScript to run this app.</noscript><div id="root"></div></body></html>""",
    "vite": """<!doctype html><title>Vite</title><script type="module" src="/assets/index-1.js">
        </script><body><div id="app"></div></body>""",
    "vue-cli": """<title>shop</title><body><noscript><strong>We're sorry but shop doesn't work
        properly without JavaScript enabled. Please enable it to continue.</strong></noscript>
        <div id=app></div><script src=/js/vendors.js></script><script src=/js/app.js></script>""",
    "angular": """<title>Admin</title><body><app-root>Loading...</app-root>
        <script src="runtime.js" type="module"></script><script src="main.js"></script>""",
    "angularjs": """<body ng-app="shop"><div ng-view></div><h1>{{ product.title }}</h1>
        <p ng-repeat="p in products">{{ p.name }} costs {{ p.price }}</p>
        <script src="angular.js"></script>""",
    "next, rendered in the browser": """<title>Blog</title><body><div id="__next"></div>
        <script id="__NEXT_DATA__" type="application/json">{"props":{}}</script>
        <script src="/_next/static/chunks/main.js"></script>""",
    "nuxt with a spinner": """<title>Site</title><body><div id="__nuxt"><div class="spinner">
        <p>Please wait</p></div></div><script src="/_nuxt/app.js"></script>""",
    "header and footer around an empty root": """<title>Docs</title><body><header><a href="/">Docs
        </a></header><div id="root"><div class="skeleton"></div></div><footer>© 2024 Some Company,
        all rights reserved. <a href="/us">Imprint</a></footer><script src="/a.js"></script>""",
    "written by an inline script": "<title>x</title><body><script>document.write(f())</script>",
    "docsify": """<title>Document</title><body><div id="app">Please wait...</div>
        <script>window.$docsify = {}</script><script src="//cdn.test/docsify.min.js"></script>""",
    "flutter": """<title>app</title><body><script src="flutter_bootstrap.js" async></script>""",
}  # fmt: skip
SOUND = {
    "an article": f"<title>Pumps</title><p>{WORDS}</p><script src=/count.js></script>",
    "next, rendered by the server": f"""<title>Blog</title><div id="__next"><main><h1>Pumps</h1>
        <p>{WORDS}</p></main></div><script src="/_next/static/chunks/main.js"></script>""",
    "a short page with an empty root for comments": f"""<p>{WORDS}</p><div id="app"></div>
        <script src="/comments.js"></script>""",
    "a page of links": f"""<title>Parts</title><ul>{MENU}</ul><div id="app"></div>
        <script src="/a.js"></script>""",
    "a short page without scripts": "<title>Gone</title><div id=root></div><p>Nothing here yet.",
    "a short page with a counter": """<title>About</title><h1>About me</h1><p>I live by the sea and
        repair boats. Write to me, or come by and have a look.</p><script>count()</script>""",
    "a page whose only script is data": """<title>x</title><div id="root"></div>
        <script type="application/ld+json">{"@type": "Article"}</script>""",
    "frames": """<script>top</script><frameset cols="1,2"><frame src="/a"><frame src="/b">
        </frameset>""",
    "a refresh": """<meta http-equiv="Refresh" content="0; url=/new"><script>location='/new'
        </script>""",
    "nothing at all": "",
}  # fmt: skip


@pytest.mark.parametrize("name", SHELLS)
def test_empty_shells_need_their_scripts(name: str) -> None:
    assert is_shell(SHELLS[name].encode())


@pytest.mark.parametrize("name", SOUND)
def test_pages_that_say_something_do_not(name: str) -> None:
    assert not is_shell(SOUND[name].encode())


@given(st.binary(max_size=300))
def test_any_bytes_are_judged(noise: bytes) -> None:
    assert is_shell(b"<script>" + noise) in (True, False)


@pytest.mark.parametrize("world", ["organisations", "departments"])
def test_hardly_a_page_of_a_web_before_such_applications_is_taken_for_a_shell(
    world: str,
) -> None:
    file = SHARED / "worlds" / f"{world}.warc.gz"
    if not file.exists():
        pytest.skip(f"no {file.name}")
    pages = shells = 0
    for capture in WarcReader(file):
        if capture.code == 200 and "html" in capture.content_type and capture.body:
            pages += 1
            shells += is_shell(capture.body)
            if pages == 1000:
                break
    assert pages == 1000
    assert shells < 0.01 * pages
