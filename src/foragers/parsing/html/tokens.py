"""The tags of a page, cut as an HTML parser cuts them.

The rules are those of the standard's tokenizer, and not of well-formed pages: a quote begins a
value only after an equals sign, a vertical tab is no space, end tags have attributes too, and what
begins with `<!`, `<?` or `</` and is no tag ends at the next `>`.  Whoever cuts a page in another
way than the parser can be kept from seeing tags.
"""

from __future__ import annotations

import re

SPACE = rb" \t\n\f\r"
_NAME = rb"[A-Za-z][^%b/>]*+" % SPACE
# A value may have quotes around it, or contain them anywhere but at its beginning.
_VALUE = rb"(?:\"[^\"]*+\"|'[^']*+'|[^%b>\"'][^%b>]*+)" % (SPACE, SPACE)
_ATTRIBUTE = rb"[^%b/>][^%b/>=]*+(?:[%b]*+=[%b]*+%b?+)?+" % (*(SPACE,) * 4, _VALUE)
ATTRIBUTES = rb"(?:[%b/]++|%b)*+" % (SPACE, _ATTRIBUTE)
ATTRIBUTE = re.compile(rb"[%b/]*+%b" % (SPACE, _ATTRIBUTE))
START_TAG = re.compile(rb"<(%b)(%b)>?+" % (_NAME, ATTRIBUTES))
TOKEN = re.compile(
    rb"<(?:(%b)(%b)>?+|/(%b)(%b)>?+|!--(?:-?>|.*?--!?>|.*+)|(!\[CDATA\[)|[!?/][^>]*+>?+)"
    % (_NAME, ATTRIBUTES, _NAME, ATTRIBUTES),
    re.DOTALL,
)
"""A tag or a comment.  Groups: name and attributes of a start tag and of an end tag, and CDATA."""
RAW_TEXT = frozenset(b"script style xmp textarea title iframe noembed noframes".split())
"""Elements with text that is no markup."""
_RAW_ENDS = {
    name: re.compile(rb"</%b(?=[%b/>])" % (name, SPACE), re.IGNORECASE) for name in RAW_TEXT
}
_IN_SCRIPT = re.compile(rb"<!--|-->|<(/?)script(?=[%b/>])" % SPACE, re.IGNORECASE)
_SCRIPT = b"script"


def attribute_count(attributes: bytes) -> int:
    """Count the attributes inside of a tag."""
    return len(ATTRIBUTE.findall(attributes))


def closes_itself(attributes: bytes) -> bool:
    """Return whether a tag ends with a slash that is not part of a value."""
    if not attributes.endswith(b"/"):
        return False
    position = 0
    while found := ATTRIBUTE.match(attributes, position):
        position = found.end()
    return position < len(attributes)


def raw_end(body: bytes, name: bytes, start: int) -> int:
    """Return where raw text ends that begins at `start`."""
    if name == _SCRIPT:
        return _script_end(body, start)
    found = _RAW_ENDS[name].search(body, start)
    return found.start() if found else len(body)


def _script_end(body: bytes, start: int) -> int:
    """Return where a script ends: not in a script inside of a comment in it."""
    in_comment = in_script = False
    while found := _IN_SCRIPT.search(body, start):
        start, text = found.end(), found[0]
        if text == b"<!--":
            if not in_comment:
                in_comment = True
                start -= 2  # Its dashes may end it.
        elif text == b"-->":
            in_comment = in_script = False
        elif found[1]:
            if not in_script:
                return found.start()
            in_script = False
        else:
            in_script = in_comment
    return len(body)
