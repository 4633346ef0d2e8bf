from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.javascript import parse, stringify
from dsh_lsp.core.log.chunk_rows import pack_chunks, row_length, unpack_row

numbers = st.integers(0, 2) | st.sampled_from([0.5, True, None])


@st.composite
def chunks(draw: st.DrawFn) -> list[dict[str, object]]:
    """Streamed deltas in order, now and then with something that breaks a run."""
    events: list[dict[str, object]] = []
    for seq in range(draw(st.integers(0, 25))):
        delta = draw(st.sampled_from(["text-delta", "text-delta", "tool-call-delta", "finish"]))
        key = "argumentsDelta" if delta == "tool-call-delta" else "text"
        chunk = {"type": delta, "index": draw(numbers), key: draw(st.text(max_size=3))}
        if delta == "tool-call-delta":
            chunk |= {"id": draw(st.sampled_from("ab"))}
        data = {"turn": 1, "step": draw(st.integers(1, 2)), "chunk": chunk}
        time = draw(st.integers(-5, 5))
        events.append({"type": "assistant/chunk", "seq": seq, "time": time, "data": data})
    return events


@given(chunks())
def test_packing_loses_nothing(events):
    stored = [parse(stringify(record)) for record in pack_chunks(events)]
    assert [event for record in stored for event in unpack_row(record)] == events
    rows = [record for record in stored if "seq0" in record]
    assert all(row_length(row) == len(unpack_row(row)) >= 3 for row in rows)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists))
def test_what_is_no_row_passes_through(record):
    assert unpack_row(record) == [record]
