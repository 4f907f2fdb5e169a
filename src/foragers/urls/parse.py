"""URLs: resolved as browsers resolve them, and normalised to deduplicate them.

`resolve` gives the exact serialisation of the URL standard, which is fetched and shown. `normalise`
goes further and gives a key that is the same for all spellings of one URL.  Both are called for
every link of every page, so each has a fast path: a regular expression that recognises URLs that
need no change.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ada_url import join_url, normalize_url

if TYPE_CHECKING:
    import tldextract

# The last label begins with a letter, so that the host cannot be an IP address as a number;
# punycode is left to the slow path, which checks it.
_NAME = r"(?!(?:[^/:]*\.)?xn--)(?:[a-z0-9_-]+\.)*[a-z][a-z0-9-]*"
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PORT = r"(?::(?!80/|443/)(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}))?"
_IS_NUMBER = re.compile(rf"(?:{_OCTET}\.){{3}}{_OCTET}(?::[0-9]+)?")
_ORIGIN = rf"https?://(?:{_NAME}|(?:{_OCTET}\.){{3}}{_OCTET}){_PORT}"

_LETTERS = r"A-Za-z0-9_~!$&()*+,;=@"
# No segment is empty, and none begins with a dot or an escape, which might be a dot segment.
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
# An escape, or a character that must be escaped, such as a stray per cent sign.
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~!$&'()*+,;=:@/?-]")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")


def resolve(href: str, base: str | None = None) -> str:
    """Return the absolute URL of a link as the URL standard serialises it."""
    if base is not None:
        return Origin.of(base).resolve(href)
    if _WHOLE.fullmatch(href):
        return href
    return str(normalize_url(_well_formed(href)))


class Origin(NamedTuple):
    """The base of relative links: a URL, its origin, and its directories, the innermost first."""

    address: str
    origin: str
    folders: tuple[str, ...]

    @staticmethod
    @lru_cache(maxsize=256)
    def of(address: str) -> Origin:
        """Split a base URL; raise a ValueError if it is invalid."""
        address = _well_formed(address)
        match = _BASE.match(normalize_url(address))
        if match is None:
            return Origin(address, "", ("",))
        names = match[2].split("/")[:-1]
        folders = tuple("/".join([match[1], *names[1:end], ""]) for end in range(len(names), 0, -1))
        return Origin(address, match[1], folders)

    def resolve(self, href: str) -> str:
        """Return the absolute URL of a link on this base."""
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
    """Return whether the standard leaves a path with its query unchanged."""
    return (
        _PLAIN.fullmatch(path) is not None
        # Empty segments, dot segments, and escapes that may spell dot segments.
        and "//" not in path
        and "/." not in path
        and "/%" not in path
    )


def _well_formed(text: str) -> str:
    """Replace lone surrogates, which no URL can contain."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def normalise(url: str) -> str:
    """Return the key of a URL, the same for all its spellings; a ValueError if it is no URL.

    Fragment, credentials, default port, final dots of the host, dot segments, repeated slashes, and
    parameters without a name are dropped; parameters are sorted by name; escapes are in upper case,
    and only where they are needed.
    """
    if _NORMAL.fullmatch(url):
        return url
    href = absolute(url)
    match = _HTTP.match(href)
    if match is None:
        return href.partition("#")[0].rstrip()
    scheme, host, path, query = match.groups()
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    name = name or port
    if name.endswith("."):
        if not name.strip("."):
            raise ValueError(f"a host of dots only: {url!r}")
        # Without its dots the host may be an IP address as a number: start again.
        return normalise(f"{scheme}{name.rstrip('.')}{colon and ':' + port}{href[match.end(2) :]}")
    key = scheme + host + _ESCAPE.sub(_tidy, _SLASHES.sub("/", path))
    tail = _sorted_query(query) if query else ""
    return f"{key}?{tail}" if tail else key


def absolute(url: str) -> str:
    """Resolve a URL that may lack its scheme, as people type it."""
    try:
        return resolve(url)
    except ValueError:
        if _WITHOUT_SCHEME.match(url):
            return resolve("http://" + url)
        raise


def _sorted_query(query: str) -> str:
    """Sort parameters by name, and keep the order of those with the same name."""
    parameters = []
    for parameter in _ESCAPE.sub(_tidy, query).split("&"):
        name, _, value = parameter.partition("=")
        if name:
            parameters.append((name, parameter if value else name))
    parameters.sort(key=lambda pair: pair[0])
    return "&".join(text for _, text in parameters)


def _tidy(match: re.Match[str]) -> str:
    """Decode an escape that is not needed, or escape a character that must be."""
    if match[1] is None:
        return "".join(f"%{byte:02X}" for byte in match[0].encode())
    character = chr(int(match[1], 16))
    return character if _UNRESERVED.match(character) else match[0].upper()


@lru_cache(maxsize=1024)
def host_of(url: str) -> str:
    """Return the host of a URL, with its port unless that is the default port.

    A download asks for it again and again.
    """
    return normalise(url).split("/", 3)[2]


def site_of(host: str) -> str:
    """Return the registrable domain of a host, or the host itself if there is none."""
    return _site(host.lower())


@lru_cache(maxsize=65536)
def _site(host: str) -> str:
    if _IS_NUMBER.fullmatch(host):
        return host  # without reading the suffix list, which takes time
    extracted = _suffixes()(host)
    return extracted.top_domain_under_public_suffix or extracted.fqdn or host


@lru_cache(maxsize=1)
def _suffixes() -> tldextract.TLDExtract:
    """Read the suffix list that comes with tldextract, never the one on the network."""
    import tldextract  # imported here, since it takes a tenth of a second and few commands need it

    return tldextract.TLDExtract(
        cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True
    )


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL."""
    return "/".join(url.split("/", 3)[:3])


def without_credentials(url: str) -> str:
    """Return a URL without credentials before its host."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + host.rpartition("@")[2] + slash + path


def is_address(url: str) -> bool:
    """Return whether a URL has a valid host."""
    try:
        return bool(host_of(url))
    except (ValueError, IndexError):
        return False
