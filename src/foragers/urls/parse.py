"""Addresses: resolved as browsers resolve them and told apart as crawlers must.

`resolve` gives the exact serialisation of the URL standard; that is what is fetched
and shown.  `normalise` goes further and gives the key under which two spellings of
one address are one address.  Both are called for every link of every page, so each
has a fast path: a regular expression that recognises what needs nothing done to it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ada_url import join_url, normalize_url

if TYPE_CHECKING:
    import tldextract

# The last label begins with a letter, so that the host cannot be a number in disguise;
# punycode is left to the slow path, which checks it.
_NAME = r"(?!(?:[^/:]*\.)?xn--)(?:[a-z0-9_-]+\.)*[a-z][a-z0-9-]*"
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PORT = r"(?::(?!80/|443/)(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}))?"
_IS_NUMBER = re.compile(rf"(?:{_OCTET}\.){{3}}{_OCTET}(?::[0-9]+)?")
_ORIGIN = rf"https?://(?:{_NAME}|(?:{_OCTET}\.){{3}}{_OCTET}){_PORT}"

_LETTERS = r"A-Za-z0-9_~!$&()*+,;=@"
# No segment is empty, and none begins with a dot or an escape: it might be a dot segment.
_SEGMENTS = rf"(?:/[{_LETTERS}:'-][{_LETTERS}:'.-]*)*/?"
_PARAMETER = r"[A-Za-z0-9._~!$()*+,;:@/?-]+"

_NORMAL = re.compile(rf"{_ORIGIN}(?=/){_SEGMENTS}(?:\?{_PARAMETER}(?:={_PARAMETER})?)?")
_WHOLE = re.compile(rf"{_ORIGIN}(?=/){_SEGMENTS}(?:\?[{_LETTERS}:.%/?-]*)?")
_PLAIN = re.compile(rf"[{_LETTERS}:.%/?-]*")
_LEAF = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9_~.-]*(?:[/?]|$)")
_BASE = re.compile(r"(https?://[^/?#]+)(/(?:[^?#]*/)?)")
_HTTP = re.compile(r"(https?://)(?:[^/?#@]*@)?([^/?#]+)(/[^?#]*)(?:\?([^#]*))?")
_WITHOUT_SCHEME = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)")
_SLASHES = re.compile(r"//+")
# An escape, or a character that has to be one; a stray per cent sign is the latter.
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~!$&'()*+,;=:@/?-]")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")


def resolve(href: str, base: str | None = None) -> str:
    """Return the absolute address of a link as the URL standard serialises it."""
    if base is not None:
        return Origin.of(base).resolve(href)
    if _WHOLE.fullmatch(href):
        return href
    return str(normalize_url(_well_formed(href)))


class Origin(NamedTuple):
    """What relative links are relative to: an address, its origin, and its folders inside out."""

    address: str
    origin: str
    folders: tuple[str, ...]

    @staticmethod
    @lru_cache(maxsize=256)
    def of(address: str) -> Origin:
        """Take a base apart; a ValueError if it cannot be one."""
        address = _well_formed(address)
        found = _BASE.match(normalize_url(address))
        if found is None:
            return Origin(address, "", ("",))
        names = found[2].split("/")[:-1]
        folders = tuple("/".join([found[1], *names[1:end], ""]) for end in range(len(names), 0, -1))
        return Origin(address, found[1], folders)

    def resolve(self, href: str) -> str:
        """Return the absolute address of a link on this base."""
        origin = self.origin
        if origin:
            if href.startswith("/"):
                if _is_plain(href):
                    return origin + href
            elif href.startswith(origin):
                if href.startswith("/", len(origin)) and _is_plain(href[len(origin) :]):
                    return href
            elif href.startswith("../"):
                ups = (len(href) - len(href.lstrip("./"))) // 3
                rest = href[3 * ups :]
                if href.startswith("../" * ups) and _LEAF.match(rest) and _is_plain(rest):
                    return self.folders[min(ups, len(self.folders) - 1)] + rest
            elif _LEAF.match(href) and _is_plain(href):
                return self.folders[0] + href
            elif _WHOLE.fullmatch(href):
                return href
        return join_url(self.address, _well_formed(href))


def _is_plain(path: str) -> bool:
    """Say whether the standard leaves a path, with its query, as it is."""
    return (
        _PLAIN.fullmatch(path) is not None
        # Empty segments, dot segments, and escapes that may spell dot segments.
        and "//" not in path
        and "/." not in path
        and "/%" not in path
    )


def _well_formed(text: str) -> str:
    """Replace lone surrogates, which no URL can carry."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def normalise(url: str) -> str:
    """Return the key of an address: the same for all spellings of it; a ValueError if it is none.

    Dropped are fragment, credentials, default port, final dots of the host, dot
    segments, repeated slashes, and parameters without a name; parameters are sorted
    by name; escapes are in upper case, and only where they are needed.
    """
    if _NORMAL.fullmatch(url):
        return url
    href = absolute(url)
    found = _HTTP.match(href)
    if found is None:
        return href.partition("#")[0].rstrip()
    scheme, host, path, query = found.groups()
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    name = name or port
    if name.endswith("."):
        if not name.strip("."):
            raise ValueError(f"a host of dots only: {url!r}")
        # Without its dots the host may turn out to be a number: start again.
        return normalise(f"{scheme}{name.rstrip('.')}{colon and ':' + port}{href[found.end(2) :]}")
    key = scheme + host + _ESCAPE.sub(_tidy, _SLASHES.sub("/", path))
    tail = _sorted_query(query) if query else ""
    return f"{key}?{tail}" if tail else key


def absolute(url: str) -> str:
    """Resolve an address that may lack its scheme, as people type them."""
    try:
        return resolve(url)
    except ValueError:
        if _WITHOUT_SCHEME.match(url):
            return resolve("http://" + url)
        raise


def _sorted_query(query: str) -> str:
    """Sort parameters by name, keeping the order of those with the same name."""
    parameters = []
    for parameter in _ESCAPE.sub(_tidy, query).split("&"):
        name, _, value = parameter.partition("=")
        if name:
            parameters.append((name, parameter if value else name))
    parameters.sort(key=lambda pair: pair[0])
    return "&".join(text for _, text in parameters)


def _tidy(found: re.Match[str]) -> str:
    """Decode an escape that is not needed; escape what should be."""
    if found[1] is None:
        return "".join(f"%{byte:02X}" for byte in found[0].encode())
    character = chr(int(found[1], 16))
    return character if _UNRESERVED.match(character) else found[0].upper()


def host_of(url: str) -> str:
    """Return the host of an address, with its port unless that is the scheme's own."""
    return normalise(url).split("/", 3)[2]


def site_of(host: str) -> str:
    """Return the registrable domain of a host; the host itself where there is none."""
    return _site(host.lower())


@lru_cache(maxsize=65536)
def _site(host: str) -> str:
    if _IS_NUMBER.fullmatch(host):
        return host  # without reading the list of suffixes, which takes a while
    extracted = _suffixes()(host)
    return extracted.top_domain_under_public_suffix or extracted.fqdn or host


@lru_cache(maxsize=1)
def _suffixes() -> tldextract.TLDExtract:
    """Read the suffix list that comes with tldextract, never the network's."""
    import tldextract  # here, since it takes a tenth of a second and few commands need it

    return tldextract.TLDExtract(
        cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True
    )


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address."""
    return "/".join(url.split("/", 3)[:3])


def without_credentials(url: str) -> str:
    """Return an address without the name and password that may stand before its host."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + host.rpartition("@")[2] + slash + path


def is_address(url: str) -> bool:
    """Say whether an address has a host that can be asked."""
    try:
        return bool(host_of(url))
    except (ValueError, IndexError):
        return False
