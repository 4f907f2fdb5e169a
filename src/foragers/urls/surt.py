"""Sort-friendly URLs (SURT), which put the pages of a domain together.

`http://www.Example.com:80/Path/?b=2&a=1` becomes `com,example)/path?a=1&b=2`, as in the indexes of
web archives.  Written by hand, since the `surt` package has had no release since 2019. Unlike it,
session ids are kept, and IP addresses are not reversed.
"""

from __future__ import annotations

import re
from functools import lru_cache

DEFAULT_PORTS = {"http": "80", "https": "443"}
SPACE = re.compile(r"\s")
WWW = re.compile(r"^www\d*\.")
NUMERIC = re.compile(r"^[\d.]+$|^\[")
ADDRESS = re.compile(r"^([a-z]+)://([^/?#]*)([^?#]*)\??([^#]*)")
AUTHORITY = re.compile(r"^(?:[^@]*@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$")


def surt(url: str) -> str:
    """Return the sorting key of a URL."""
    lowered = SPACE.sub("%20", url.lower())
    match = ADDRESS.match(lowered)
    if not match:
        return lowered
    scheme, netloc, path, query = match.groups()
    query = "?" + "&".join(sorted(query.split("&"))) if query else ""
    return f"{turned(netloc, scheme)}){path.rstrip('/') or '/'}{query}"


@lru_cache(maxsize=1024)
def turned(netloc: str, scheme: str) -> str:
    """Return a host with its labels reversed, and its port unless that is the default port."""
    match = AUTHORITY.match(netloc)
    host, port = (match[1], match[2]) if match else (netloc, None)
    host = WWW.sub("", host).strip(".")
    if not NUMERIC.match(host):
        host = ",".join(reversed(host.split(".")))
    return f"{host}:{port}" if port and port != DEFAULT_PORTS.get(scheme) else host
