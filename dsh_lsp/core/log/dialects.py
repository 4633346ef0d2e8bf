"""How each range of formats writes the surface (docs/storage.md)."""

from __future__ import annotations

from dsh_lsp.core.log.source_seqs import check_covering_sources, check_single_sources
from dsh_lsp.core.log.surface_fold import Dialect
from dsh_lsp.core.log.tool_rewrite import check_tool_rewrite

_MESSAGES = frozenset({"user/message", "assistant/message", "tool/result"})

FORMAT_0_STRICT = Dialect(
    types=_MESSAGES,
    reserved=("surfaceOp", "sourceEventSeqs"),
    start_key="start",
    end_key="end",
    needs_operation=True,
    checks=(check_single_sources, check_tool_rewrite),
)
"""Format 0 exactly as 0.1.0 accepts it."""

FORMAT_0 = Dialect(
    types=_MESSAGES,
    reserved=("surfaceOp", "sourceEventSeqs"),
    start_key="start",
    end_key="end",
    needs_operation=True,
    checks=(check_covering_sources, check_tool_rewrite),
)
"""Format 0 as any of its writers wrote it."""

FORMATS_3_AND_4 = Dialect(
    types=_MESSAGES | {"system/message", "developer/message"},
    reserved=("surfaceOp",),
    start_key="startSeq",
    end_key="endSeq",
    needs_operation=False,
    checks=(),
)
"""Later formats; their writer checks sources, and a fold does not need them."""
