"""A surface that no model could see is refused by name of its bound; what was compacted is not."""

from __future__ import annotations

import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log import bounds
from dsh_lsp.core.log.dialects import FORMATS_3_AND_4
from dsh_lsp.core.log.keep import conversation_only
from dsh_lsp.core.log.surface_fold import SurfaceFold


def message(seq: int, text: str, operation: object = "append") -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    data = {"role": "user", "content": content, "source": {"kind": "user"}}
    return {
        "type": "user/message",
        "seq": seq,
        "time": seq,
        "data": data,
        "surfaceOp": operation,
        "sourceEventSeqs": [*range(seq)],
    }


def fold() -> SurfaceFold:
    return SurfaceFold(FORMATS_3_AND_4, conversation_only)


def everything_before(seq: int, first: int) -> dict[str, object]:
    return {"op": "replace", "startSeq": first, "endSeq": seq - 1}


@pytest.mark.parametrize(
    ("name", "bound", "told"),
    [("MOST_NODES", 10, "larger than 10 messages"), ("MOST_TEXT", 50, "larger than 50 characters")],
)
def test_a_surface_that_is_too_large(monkeypatch, name, bound, told):
    monkeypatch.setattr(bounds, name, bound)
    surface = fold()
    for seq in range(10):
        surface.apply(message(seq, "words"), seq)
    for twin in (surface, surface.copy()):
        with pytest.raises(ReadFailedError, match=told) as refusal:
            twin.apply(message(10, "words"), 10)
        assert refusal.value.reason is ReadFault.TOO_LARGE
    restored = fold()
    restored.put_back(surface.nodes()[:10])
    with pytest.raises(ReadFailedError, match=told):
        restored.apply(message(11, "words"), 11)


def test_a_long_log_whose_surface_stays_small_is_read(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_NODES", 10)
    monkeypatch.setattr(bounds, "MOST_TEXT", 60)
    surface, first = fold(), 0
    for seq in range(100):
        if seq % 9 == 8:
            surface.apply(message(seq, "sum", everything_before(seq, first)), seq)
            first = seq
        else:
            surface.apply(message(seq, "words"), seq)
    assert len(surface.nodes()) < 10
