"""Event types that hosts know, and what a reader makes of the others (docs/storage.md)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dsh_lsp.core.log.events import NEWEST_FORMAT

_KNOWN_TO_0_1_0 = frozenset(
    [
        "agent-preset/selected",
        "agent/inbox/spliced",
        "approval/asked",
        "approval/decided",
        "approval/policy",
        "assistant/chunk",
        "assistant/message",
        "command/done",
        "command/run",
        "compaction/end",
        "compaction/prune",
        "compaction/start",
        "compaction/summary",
        "feedback/record",
        "goal/change",
        "hook/invoked",
        "hook/result",
        "llm/retry",
        "llm/retry-started",
        "permission/preset",
        "plan/mode",
        "request/context",
        "request/header",
        "sandbox/mode",
        "schedule/change",
        "session/end-seed",
        "session/title",
        "session/title-llm-request",
        "step/end",
        "step/start",
        "subagent/descriptor",
        "team/member",
        "team/message/delivered",
        "team/message/queued",
        "team/task",
        "todo/write",
        "tool-workflow/agent-end",
        "tool-workflow/agent-start",
        "tool-workflow/run-end",
        "tool-workflow/run-start",
        "tool/call",
        "tool/code-dispatch",
        "tool/code-dispatch-start",
        "tool/result",
        "turn/end",
        "turn/start",
        "user/message",
        "web/deepseek-search-llm-request",
    ]
)
_DROPPED_BY_0_1_5 = frozenset({"assistant/chunk", "tool/code-dispatch", "tool/code-dispatch-start"})
_ADDED_BY_0_1_5 = frozenset(
    [
        "assistant/attempt",
        "deliverables/presented",
        "feedback/message-delete",
        "feedback/message-put",
        "model/selection",
        "session-log-deepseek/delivery-accepted",
        "subagent/catalog",
        "subagent/model-selection-policy",
        "system/message",
        "tool/ptc-dispatch",
        "tool/ptc-dispatch-start",
    ]
)
_ADDED_BY_0_2_1 = frozenset(
    [
        "developer/message",
        "image/offload",
        "job/registered",
        "job/settled",
        "working-directory/change",
        "workspace/changes",
    ]
)


class Unknown(StrEnum):
    """What becomes of an event of an unknown type that could not be on the surface anyway."""

    REFUSE = "refuse"
    WARN = "warn"


@dataclass(frozen=True, slots=True)
class TypeRule:
    """How a reader looks at logs: which types and formats it knows, and what of other types.

    Whatever the rule, an event marked `ignorable` is passed over, and an unknown type with a
    surface operation is refused.
    """

    known: frozenset[str]
    newest_format: int
    unknown: Unknown


KIND = TypeRule(
    known=_KNOWN_TO_0_1_0 | _ADDED_BY_0_1_5 | _ADDED_BY_0_2_1,
    newest_format=NEWEST_FORMAT,
    unknown=Unknown.WARN,
)
"""Reads what can be read, and warns of what a host may refuse."""

STRICT_0_1_0 = TypeRule(known=_KNOWN_TO_0_1_0, newest_format=0, unknown=Unknown.REFUSE)
"""As 0.1.0 to 0.1.2 would have it."""

STRICT_0_1_5 = TypeRule(
    known=(_KNOWN_TO_0_1_0 - _DROPPED_BY_0_1_5) | _ADDED_BY_0_1_5,
    newest_format=3,
    unknown=Unknown.REFUSE,
)
"""As 0.1.5 would have it."""

STRICT_0_2_1 = TypeRule(
    known=STRICT_0_1_5.known | _ADDED_BY_0_2_1,
    newest_format=4,
    unknown=Unknown.REFUSE,
)
"""As 0.2.1 would have it."""
