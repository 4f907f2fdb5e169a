"""Digests, ids and dates of WARC records, in Python and compiled."""

from base64 import b32encode
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha1
from uuid import NAMESPACE_URL, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.storage.warc import exchange

Form = Callable[[bytes], str]
FORMS: list[tuple[Form, Form]] = [(exchange.labelled, exchange.named)]
if exchange.LIBRARY is not None:
    FORMS.append((exchange.LIBRARY.labelled, exchange.LIBRARY.named))


@pytest.mark.parametrize(("labelled", "named"), FORMS)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_digests_are_in_base_32_and_ids_are_uuids_of_version_5(
    labelled: Form, named: Form, text: str
) -> None:
    sha = sha1(text.encode()).digest()
    assert labelled(sha) == f"sha1:{b32encode(sha).decode()}"
    of_text = sha1(NAMESPACE_URL.bytes + text.encode()).digest()
    assert named(of_text) == f"<{uuid5(NAMESPACE_URL, text).urn}>"


@pytest.mark.skipif(exchange.LIBRARY is None, reason="the compiled module was not built")
@pytest.mark.parametrize("wrong", [b"", b"x" * 19, b"x" * 21, "x" * 20, None])
def test_compiled_functions_take_twenty_bytes(wrong: object) -> None:
    assert exchange.LIBRARY is not None
    for function in (exchange.LIBRARY.labelled, exchange.LIBRARY.named):
        with pytest.raises(ValueError, match="twenty bytes"):
            function(wrong)


@given(st.integers(-(10**12), 4 * 10**12))
def test_dates_are_those_of_the_calendar_to_the_millisecond(moment: int) -> None:
    text = exchange.date(moment)
    assert len(text) == len("2024-01-01T00:00:00.000Z")
    parsed = datetime.fromisoformat(text)
    assert round((parsed - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000) == moment
