"""Work on values alone: retention by length of the conversation, scanning by length of the text."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from dsh_lsp.core.checks.diagnosis import Facts, diagnose
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.events import Event
from dsh_lsp.core.measure import Measurements
from dsh_lsp.core.mentions import format_mention, scan
from dsh_lsp.core.projection import project
from dsh_lsp.core.retention import retain
from dsh_lsp.core.text import LineIndex, Unit
from dsh_lsp.server.convert import shown_problems
from dsh_lsp.server.documents import Change, Document, changed
from tests.benchmarks import malformed
from tests.benchmarks.measuring import median, milliseconds, row

MESSAGES = (10, 1_000, 100_000)
PROMPTS = (10_000, 1_000_000)


def run(_folder: Path) -> None:
    """Print the rows."""
    for count in MESSAGES:
        nodes = _nodes(count)
        conversation = project(nodes)
        projected = median(partial(project, nodes))
        row(f"{count:,} messages projected", milliseconds(projected))
        fit = partial(
            retain,
            session_id="s",
            label="S",
            cwd="/w",
            captured_through_seq=count - 1,
            conversation=conversation,
            budget=65_536,
        )
        spent = median(fit)
        met = spent <= 0.3 if count == 100_000 else None
        goal = "<= 300 ms" if count == 100_000 else ""
        row("  retained into 64 KiB", milliseconds(spent), goal, met=met)
    mention = format_mention("session-1", "A session")
    for size in PROMPTS:
        filler = "words and words " * 60
        text = "".join(filler[:900] + mention for _ in range(size // 1_000))
        row(f"prompt of {len(text):,} characters scanned", milliseconds(median(_scan(text))))
    hostile = "@[a](dsh-session:" * (512 * 1024 // 17)
    spent = median(_scan(hostile))
    row("512 KiB of an opening repeated", milliseconds(spent), "<= 50 ms", met=spent <= 0.05)
    _keystrokes()
    malformed.run()


def _keystrokes() -> None:
    """One character typed into a long prompt: its next version, its problems, their positions."""
    lines = ("words and words " * 6 + "\n") * 10
    mentions = [
        format_mention(f"session-{each % 16}", f"Title {each % 16}") for each in range(1_000)
    ]
    long = Document("file:///prompt.md", 1, "".join(lines + mention for mention in mentions))
    facts, measurements = Facts(None, {}, Limits()), Measurements()
    shown_problems(long, diagnose(long.prompt, facts), Unit.UTF16)

    def recheck() -> None:
        document = changed(long, 2, [Change("x", (5_000, 3), (5_000, 3))], Unit.UTF16)
        problems = diagnose(document.prompt, facts, measurements=measurements)
        shown_problems(document, problems, Unit.UTF16)

    spent = median(recheck, 15)
    what = f"keystroke in {len(long.text):,} characters, 1,000 mentions"
    row(what, milliseconds(spent), "<= 10 ms", met=spent <= 0.01)
    huge = Document("file:///prompt.md", 1, "line of text\n" * 1_000_000)
    opened = median(lambda: LineIndex(huge.text), 3)
    row("a million lines indexed", milliseconds(opened))
    assert huge.lines.line_count == 1_000_001
    edit = [Change("x", (500_000, 3), (500_000, 3))]
    spent = median(lambda: changed(huge, 2, edit, Unit.UTF16))
    row("  keystroke in them", milliseconds(spent))


def _scan(text: str):
    return lambda: sum(1 for _ in scan(text))


def _nodes(count: int) -> tuple[Event, ...]:
    return tuple(
        {
            "type": "user/message",
            "data": {
                "content": [{"type": "text", "text": f"message {seq} " + "words " * 40}],
                "source": {"kind": "user"},
            },
        }
        for seq in range(count)
    )
