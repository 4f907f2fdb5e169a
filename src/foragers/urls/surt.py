"""Addresses turned round, so that sorting puts the pages of a domain together.

`http://www.Example.com:80/Path/?b=2&a=1` becomes `com,example)/path?a=1&b=2`, as the indexes
of web archives have it.  Written by hand: the `surt` package has had no release since 2019.
Unlike it we keep session ids, and leave numeric addresses the right way round.
"""

from __future__ import annotations

import re

DEFAULT_PORTS = {"http": "80", "https": "443"}
SPACE = re.compile(r"\s")
WWW = re.compile(r"^www\d*\.")
NUMERIC = re.compile(r"^[\d.]+$|^\[")
ADDRESS = re.compile(r"^([a-z]+)://([^/?#]*)([^?#]*)\??([^#]*)")
AUTHORITY = re.compile(r"^(?:[^@]*@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$")


def surt(url: str) -> str:
    """Return the sorting key of an address."""
    lowered = SPACE.sub("%20", url.lower())
    found = ADDRESS.match(lowered)
    if not found:
        return lowered
    scheme, netloc, path, query = found.groups()
    query = "?" + "&".join(sorted(query.split("&"))) if query else ""
    return f"{turned(netloc, scheme)}){path.rstrip('/') or '/'}{query}"


def turned(netloc: str, scheme: str) -> str:
    """Return a host with its last part first, and its port unless it is the usual one."""
    found = AUTHORITY.match(netloc)
    host, port = (found[1], found[2]) if found else (netloc, None)
    host = WWW.sub("", host).strip(".")
    if not NUMERIC.match(host):
        host = ",".join(reversed(host.split(".")))
    return f"{host}:{port}" if port and port != DEFAULT_PORTS.get(scheme) else host
