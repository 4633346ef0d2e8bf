"""A session as a prompt would carry it: facts, budget, and the conversation in a bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsh_lsp.core.budget import Budget
from dsh_lsp.core.display import age, byte_size, fenced, visible
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.projection import ConversationItem
from dsh_lsp.core.retention import Snapshot
from dsh_lsp.server.markdown import brief, code, escaped

MAX_CONVERSATION = 48 * 1024
"""UTF-8 bytes of conversation shown; with everything around it a preview stays below 64 KiB."""

_BAR_CELLS = 20


@dataclass(frozen=True, slots=True)
class Preview:
    """One session to be shown. `now` is Unix milliseconds."""

    surface: Surface
    snapshot: Snapshot
    budget: Budget
    now: int


def as_markdown(shown: Preview) -> str:
    """Markdown in which no content of the session is live."""
    facts = [f"- {name}: {code(value)}" for name, value in _facts(shown)]
    warnings = [f"- {escaped(brief(warning))}" for warning in shown.surface.warnings]
    parts = [
        f"**{code(brief(shown.surface.display_title))}**",
        "\n".join(facts + warnings),
        "  \n".join(
            (
                budget_line(shown.snapshot),
                code(_bar(shown.snapshot)),
                f"budget: {shown.budget.rule}",
            )
        ),
        "---",
    ]
    for heading, text in _conversation(shown):
        parts.append(heading)
        if text is not None:
            parts.append(fenced(text))
    return "\n\n".join(parts)


def as_plain_text(shown: Preview) -> str:
    """The same without any markup."""
    parts = [
        brief(shown.surface.display_title),
        "\n".join(f"{name}: {value}" for name, value in _facts(shown)),
        *(brief(warning) for warning in shown.surface.warnings),
        f"{budget_line(shown.snapshot)}\n{_bar(shown.snapshot)}\nbudget: {shown.budget.rule}",
        *(f"{heading}\n{text or ''}".rstrip("\n") for heading, text in _conversation(shown)),
    ]
    return "\n\n".join(parts)


def budget_line(snapshot: Snapshot) -> str:
    """Such as `41.2 KiB of 64.0 KiB · 12 of 30 messages · omits 18 messages, 93,120 bytes`."""
    line = (
        f"{byte_size(snapshot.size)} of {byte_size(snapshot.budget)} · "
        f"{snapshot.retained_messages:,} of {snapshot.original_messages:,} messages"
    )
    if not snapshot.truncated:
        return line
    omitted = f"{snapshot.omitted_messages:,} messages, {snapshot.omitted_bytes:,} bytes"
    return f"{line} · omits {omitted}"


def _bar(snapshot: Snapshot) -> str:
    filled = min(_BAR_CELLS, round(_BAR_CELLS * snapshot.size / snapshot.budget))
    percent = min(100, round(100 * snapshot.size / snapshot.budget))
    return f"{'█' * filled}{'░' * (_BAR_CELLS - filled)} {percent} %"


def _facts(shown: Preview) -> Iterator[tuple[str, str]]:
    header = shown.surface.header
    captured = shown.surface.captured_through_seq
    yield "session", brief(header.id)
    yield "directory", "none" if header.cwd is None else brief(header.cwd)
    yield "created", age(header.created_at, shown.now)
    records = _records(captured)
    yield "log", f"{records}, format {header.format_version}"
    yield "compacted", "yes" if shown.snapshot.compacted else "no"


def _records(last: int | None) -> str:
    count = 0 if last is None else last + 1
    return f"{count:,} record{'s' * (count != 1)}"


def _conversation(shown: Preview) -> list[tuple[str, str | None]]:
    """Headings and texts in order; the newest are kept, and a note tells what is not shown."""
    kept: list[tuple[str, str | None]] = []
    left = MAX_CONVERSATION
    items = shown.snapshot.conversation
    for index in range(len(items) - 1, -1, -1):
        text = visible(items[index].text)
        size = len(text.encode())
        if size > left:
            kept.append((f"{_heading(items[index])}, only its end shown here", _tail(text, left)))
            if index:
                kept.append((f"{index:,} earlier messages are sent but not shown here", None))
            break
        left -= size
        kept.append((_heading(items[index]), text))
    return kept[::-1]


def _heading(item: ConversationItem) -> str:
    return f"{item.role}, checkpoint" if item.checkpoint else item.role


def _tail(text: str, size: int) -> str:
    """The last `size` bytes of a visible text, on a character's boundary."""
    cut = text.encode()[-size:] if size > 0 else b""
    return cut.decode("utf-8", "ignore")
