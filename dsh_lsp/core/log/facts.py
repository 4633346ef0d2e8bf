"""What a log tells about its session beside the conversation (docs/storage.md)."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_lsp.core.javascript import safe_integer
from dsh_lsp.core.log.events import Event


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The latest title, label that a subagent was created with, and context window (tokens)."""

    title: str | None = None
    label: str | None = None
    context_window: int | None = None

    def after(self, event: Event) -> LogFacts:
        """The facts once an event is known; a value of a wrong type changes nothing."""
        data = event.get("data")
        if event["type"] not in FACT_TYPES or not isinstance(data, dict):
            return self
        if event["type"] == "request/context":
            window = safe_integer(data.get("contextWindow"))
            return LogFacts(self.title, self.label, window) if window and window > 0 else self
        text = data.get("title" if event["type"] == "session/title" else "label")
        if not isinstance(text, str):
            return self
        if event["type"] == "session/title":
            return LogFacts(text, self.label, self.context_window)
        return LogFacts(self.title, text, self.context_window)


FACT_TYPES = frozenset({"session/title", "subagent/descriptor", "request/context"})
"""The event types that tell a fact."""
