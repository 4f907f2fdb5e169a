"""URLs made of pieces that crawlers stumble over."""

from hypothesis import strategies as st

HEX = "0123456789abcdef0123456789abcdef"
PIECES = st.sampled_from(
    [
        "/",
        "?",
        "&",
        "=",
        ";",
        "#",
        "a",
        "utm_x",
        "sid",
        "jsessionid",
        "(S(",
        "))",
        HEX,
        "1",
        "é",
        "%",
    ]
)
ADDRESSES = st.lists(PIECES).map("".join).map("http://a.test/{}".format) | st.text()
