"""The canonical form of a URL: without session ids and tracking parameters.

Only parameters that are known by name are dropped, and names that also mean other things (`sid`,
`s`) only if the value looks like a session id.  Parameters with names of a site's own are found by
their effects (`filters.traps.idle_parameters`).
"""

from __future__ import annotations

import re

_TRACKING = (
    *("gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid"),
    *("ttclid", "li_fat_id", "igshid", "spm", "mc_cid", "mc_eid", "mkt_tok", "_ga", "_gl"),
    *("_hsenc", "_hsmi", "hsctatracking", "oly_anon_id", "oly_enc_id", "vero_id", "vero_conv"),
    *("wickedid", "wt_mc", "wt.mc", "wt_mc_id", "wt.mc_id", "s_kwcid", "ef_id", "_openstat"),
    *("xtor", "rb_clickid", "s_cid", "at_medium", "at_campaign"),
)
_SESSIONS = (
    *("phpsessid", "jsessionid", "asp.net_sessionid", "sessionid", "session_id", "_sessionid"),
    *("sessid", "sess_id", "cfid", "cftoken", "oscsid", "xtcsid", "zenid", "sesid"),
)
_NAMES = frozenset(_TRACKING + _SESSIONS)
_BEGINNINGS = ("utm_", "itm_", "hsa_", "pk_", "mtm_", "piwik_", "matomo_", "aspsessionid")
_AMBIGUOUS = frozenset(("sid", "s", "session", "sess", "token", "ssid"))
# Sixteen or more hexadecimal digits, or twenty letters and digits mixed.
_TOKEN = re.compile(
    r"(?=[a-z]*\d)[0-9a-f]{16,}|(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{20,}", re.IGNORECASE
)
_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*|/\([SXFA]\([^/()]*\)\)", re.I)


def canonical(url: str) -> str:
    """Return a URL without session ids and tracking parameters, otherwise unchanged."""
    if "?" not in url and ";" not in url and "/(" not in url:
        return url
    address, mark, fragment = url.partition("#")
    path, question, query = address.partition("?")
    # Removing one id may create another.
    while (shorter := _IN_PATH.sub("", path)) != path:
        path = shorter
    if question:
        kept = [part for part in query.split("&") if not _is_foreign(part)]
        query = "&".join(kept)
        # An empty query stays if it was empty before.
        question = "?" if kept else ""
    return f"{path}{question}{query}{mark}{fragment}"


def _is_foreign(parameter: str) -> bool:
    """Return whether a parameter is about the visitor and not about the page."""
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in _NAMES or name.startswith(_BEGINNINGS):
        return True
    return name in _AMBIGUOUS and _TOKEN.fullmatch(value) is not None
