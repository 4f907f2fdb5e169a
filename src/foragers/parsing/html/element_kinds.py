"""What HTML elements are to a parser: which ones it closes, keeps open, or reads in another way."""

from __future__ import annotations

from foragers.parsing.html.tokens import RAW_TEXT


class ElementKind:
    """What an element is to a parser, in bits; `_nesting.c` has the same ones."""

    VOID = 1 << 0
    ONCE = 1 << 1
    RAW = 1 << 2
    FORMATTING = 1 << 3
    HEADING = 1 << 4
    CLOSES_P = 1 << 5
    CELL = 1 << 6
    ROW_GROUP = 1 << 7
    PART = 1 << 8
    IMPLIED = 1 << 9
    DOUBTFUL = 1 << 10
    SCOPE = 1 << 11
    SPECIAL = 1 << 12
    CLEARING = 1 << 13
    MARK = 1 << 14
    BREAKS_OUT = 1 << 15
    HTML_INSIDE = 1 << 16
    DRAWING = 1 << 17
    ALWAYS_UNSURE = 1 << 18
    TABLE = 1 << 19
    BUTTON = 1 << 20
    LIST = 1 << 21
    LI = 1 << 22
    DEFINITION = 1 << 23
    OPTION = 1 << 24
    OPTGROUP = 1 << 25
    ONE_AT_A_TIME = 1 << 26
    RUBY = 1 << 27
    FRAMESET = 1 << 28
    FORM = 1 << 29
    P = 1 << 30
    BR = 1 << 31
    FONT = 1 << 32
    ROW = 1 << 33
    STOPS_ITEM = 1 << 34
    BLOCK = 1 << 35
    MARKUP = 1 << 36


_BLOCKS = (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure"
    " footer header hgroup listing main menu nav ol pre search section summary ul"
)
_HEADINGS = "h1 h2 h3 h4 h5 h6"
_VOID = (
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source"
    " track wbr"
)
_PARTS = "td th tbody thead tfoot caption colgroup col tr"
_DOUBTFUL = "svg math select frameset template"
_SCOPES = f"applet caption table td th marquee object {_DOUBTFUL}"
_OTHERS = "button dd dt form li noscript p plaintext desc foreignobject mi mo mn ms mtext"
_RAW = b" ".join(sorted(RAW_TEXT)).decode()
_SPECIAL = (
    f"{_VOID} html head body {_HEADINGS} {_BLOCKS} {_PARTS} {_SCOPES} {_RAW} {_OTHERS}"
    " annotation-xml"
)
_NAMES = {
    ElementKind.VOID: _VOID,
    ElementKind.ONCE: "html head body",
    ElementKind.RAW: _RAW,
    ElementKind.FORMATTING: "a b big code em font i nobr s small strike strong tt u",
    ElementKind.HEADING: _HEADINGS,
    ElementKind.BLOCK: _BLOCKS,
    ElementKind.CLOSES_P: f"{_BLOCKS} {_HEADINGS} p form li dd dt plaintext hr xmp table",
    ElementKind.CELL: "td th",
    ElementKind.ROW_GROUP: "tbody thead tfoot",
    ElementKind.PART: _PARTS,
    ElementKind.IMPLIED: "dd dt li option optgroup p rb rp rt rtc",
    # What is inside of these is not read as elsewhere.
    ElementKind.DOUBTFUL: _DOUBTFUL,
    # In these, what would be raw text is read as markup.
    ElementKind.MARKUP: "svg math select frameset",
    ElementKind.SCOPE: _SCOPES,
    ElementKind.SPECIAL: _SPECIAL,
    # A list item is not closed by another one if one of these is in between.
    ElementKind.STOPS_ITEM: " ".join(set(_SPECIAL.split()) - {"address", "div", "p"}),
    # Formatting in these is not opened again behind them.
    ElementKind.CLEARING: "td th caption",
    ElementKind.MARK: "applet marquee object",
    # They end a drawing or formula if they begin in it; in the others HTML may stand.
    ElementKind.BREAKS_OUT: "b big blockquote body br center code dd div dl dt em embed head"
    f" {_HEADINGS} hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub"
    " sup table tt u ul var",
    ElementKind.HTML_INSIDE: "foreignobject desc title annotation-xml mi mo mn ms mtext",
    ElementKind.DRAWING: "svg math",
    ElementKind.ALWAYS_UNSURE: "form noscript select template frameset colgroup",
    ElementKind.TABLE: "table",
    ElementKind.BUTTON: "button",
    ElementKind.LIST: "ol ul",
    ElementKind.LI: "li",
    ElementKind.DEFINITION: "dd dt",
    ElementKind.OPTION: "option",
    ElementKind.OPTGROUP: "optgroup",
    ElementKind.ONE_AT_A_TIME: "a nobr",
    ElementKind.RUBY: "rb rp rt rtc",
    ElementKind.FRAMESET: "frameset",
    ElementKind.FORM: "form",
    ElementKind.P: "p",
    ElementKind.BR: "br",
    ElementKind.FONT: "font",
    ElementKind.ROW: "tr",
}
HIDDEN = b""
"""The name of an element that is known only to be possible."""


def _flags() -> dict[bytes, int]:
    """Return the kinds of all elements that are of any."""
    found = {
        HIDDEN: ElementKind.DOUBTFUL
        | ElementKind.SCOPE
        | ElementKind.SPECIAL
        | ElementKind.STOPS_ITEM
        | ElementKind.MARKUP
    }
    for kind, names in _NAMES.items():
        for name in names.encode().split():
            found[name] = found.get(name, 0) | kind
    return found


FLAGS = _flags()
FORMATTING = frozenset(_NAMES[ElementKind.FORMATTING].encode().split())
