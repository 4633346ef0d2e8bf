"""The session URI: round trips, and what each fault is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.failures import Code, InvalidReferenceError
from dsh_lsp.core.uri import canonical, decode, encode
from tests.support.javascript_text import javascript_strings
from tests.support.mention_model import session_id_of, uri_of


@given(javascript_strings())
def test_any_session_id_round_trips(session_id):
    uri = encode(session_id)
    assert uri == uri_of(session_id)
    assert decode(uri) == session_id
    assert canonical(uri) == uri


@given(javascript_strings(6), st.data())
def test_a_changed_uri_is_another_session_or_refused(session_id, data):
    uri = encode(session_id)
    place = data.draw(st.integers(0, len(uri)))
    changed = uri[:place] + data.draw(st.sampled_from("AQgwI0_-+=\n é")) + uri[place + 1 :]
    expected = session_id_of(changed) if changed.startswith("dsh-session:") else None
    if expected is None:
        with pytest.raises(InvalidReferenceError):
            decode(changed)
    else:
        assert decode(changed) == expected


FAULTS = [
    # URI, what the message must speak of, its canonical form if that is plain
    ("session:ImEi", "starts with `dsh-session:`", None),
    ("DSH-Session:ImEi", "lower case", "dsh-session:ImEi"),
    ("", "starts with `dsh-session:`", None),
    ("dsh-session:", "Nothing follows", None),
    ("dsh-session:ImE=", "padding", None),
    ("dsh-session:InMxIg==", "padding", "dsh-session:InMxIg"),
    ("dsh-session:ImEi=", "padding", "dsh-session:ImEi"),
    ("dsh-session:ImEi===", "padding", None),
    ("dsh-session:Ij8/PyI", "alphabet", "dsh-session:Ij8_PyI"),
    ("dsh-session:ImEi.", "`.` is outside the alphabet", None),
    ("dsh-session:ImEi\n", "` ` is outside the alphabet", None),
    ("dsh-session:ImEi\u202e", r"`\\u202e` is outside the alphabet", None),
    ("dsh-session:ImE", "not JSON", None),
    ("dsh-session:I", "length", None),
    ("dsh-session:aGVsbG8", "not JSON", None),
    ("dsh-session:Iv8i", "not JSON", None),
    ("dsh-session:MQ", "not a string", None),
    ("dsh-session:bnVsbA", "not a string", None),
    ("dsh-session:WyJhIl0", "not a string", None),
    ("dsh-session:ImFiIo", "not canonical", "dsh-session:ImFiIg"),
    ("dsh-session:Ilx1MDA2MSI", "not canonical", "dsh-session:ImEi"),
    ("dsh-session:ICJhIg", "not canonical", "dsh-session:ImEi"),
    ("dsh-session:" + "W1tb" * 30_000, "not JSON", None),
]


@pytest.mark.parametrize(("uri", "message", "meant"), FAULTS)
def test_a_malformed_uri_is_explained(uri, message, meant):
    with pytest.raises(InvalidReferenceError, match=message) as caught:
        decode(uri)
    assert caught.value.code is Code.INVALID_REFERENCE
    assert caught.value.message.isprintable()
    assert canonical(uri) == caught.value.meant == meant
    if meant is not None:
        assert encode(decode(meant)) == meant
