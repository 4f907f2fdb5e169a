"""The address without what does not belong to it: session ids and tracking parameters.

Only what is known by name is dropped, and names that also mean other things (`sid`, `s`)
only where the value looks like a session id.  What a site calls by a name of its
own is found by its effects, in `idle`.
"""

from __future__ import annotations

import re

_ALWAYS = (
    r"utm_\w+|itm_\w+|hsa_\w+|pk_\w+|mtm_\w+|piwik_\w+|matomo_\w+|at_(?:medium|campaign)"
    r"|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid"
    r"|mc_[ce]id|mkt_tok|_ga|_gl|_hsenc|_hsmi|hsctatracking|oly_(?:anon|enc)_id|vero_(?:id|conv)"
    r"|wickedid|wt[._]mc(?:_id)?|s_kwcid|ef_id|_openstat|xtor|rb_clickid|s_cid|spm"
    r"|phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|session_?id|sess_?id"
    r"|cfid|cftoken|oscsid|xtcsid|zenid|sesid|_sessionid"
)
# Sixteen or more hexadecimal digits, or twenty letters and digits mixed.
_TOKEN = r"(?:(?=[a-z]*\d)[0-9a-f]{16,}|(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{20,})"
_DROPPED = re.compile(
    rf"(?:{_ALWAYS})(?:=.*)?|(?:sid|s|session|sess|token|ssid)={_TOKEN}", re.IGNORECASE
)
_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*|/\([SXFA]\([^/()]*\)\)", re.I)


def canonical(url: str) -> str:
    """Return an address without session ids and tracking parameters, as it is otherwise."""
    if "?" not in url and ";" not in url and "/(" not in url:
        return url
    address, mark, fragment = url.partition("#")
    path, question, query = address.partition("?")
    # What is left when one id is taken out may spell another.
    while (shorter := _IN_PATH.sub("", path)) != path:
        path = shorter
    if question:
        kept = [part for part in query.split("&") if not _DROPPED.fullmatch(part)]
        query = "&".join(kept)
        # An empty query stays if it was empty before.
        question = "?" if kept else ""
    return f"{path}{question}{query}{mark}{fragment}"
