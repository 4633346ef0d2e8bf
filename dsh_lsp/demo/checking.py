"""The middle of the story: a prompt with every kind of fault, and the server's own corrections."""

from __future__ import annotations

from dsh_lsp.core.mentions import format_mention
from dsh_lsp.demo.buffer import Buffer, Json
from dsh_lsp.demo.editor import edits_of
from dsh_lsp.demo.screen import Mark
from dsh_lsp.demo.stage import Stage, StepFailedError, expect
from dsh_lsp.demo.writing import complete_path

FAULTS = {
    "front-matter",
    "SESSION_REFERENCE_SELF_REFERENCE",
    "SESSION_REFERENCE_INVALID_REFERENCE",
    "SESSION_REFERENCE_READ_FAILED",
    "SESSION_REFERENCE_TOO_MANY",
    "session-truncated",
    "stale-label",
    "duplicate-reference",
    "unclosed-mention",
    "file-not-found",
}
"""The codes that the prompt of this step must draw (docs/diagnostics.md)."""

SEVERITIES = ("error", "warning", "information", "hint")  # LSP's DiagnosticSeverity, from 1

_MOST_FIXES = 30


async def show_faults(stage: Stage, buffer: Buffer, target: str) -> None:
    """Paste a draft that is wrong in every way, and look at the diagnostics."""
    stage.screen.step("4  Diagnostics: everything that is wrong, before anything is sent")
    stage.editor.change(buffer, _faulty(stage, buffer.text, target))
    found = await stage.editor.diagnostics(buffer)
    stage.screen.document(buffer.text, [_mark(buffer, each, stage) for each in found])
    missing = FAULTS - {each["code"] for each in found}
    expect(not missing, f"diagnostics with the codes {', '.join(sorted(missing))}")
    reasons = {each["message"].partition(":")[0] for each in found}
    for reason in ("Corrupt session log", "Session not found"):
        expect(reason in reasons, f"a diagnostic that begins with “{reason}”")


async def correct(stage: Stage, buffer: Buffer) -> None:
    """Apply the server's own fixes until it has no more, and complete the path again."""
    stage.screen.step("5  Quick fixes: the server corrects what it complained about")
    for _ in range(_MOST_FIXES):
        action = await _next_fix(stage, buffer)
        if action is None:
            break
        before = buffer.text
        stage.editor.apply(buffer, edits_of(action, buffer))
        stage.screen.change(action["title"], before, buffer.text)
        expect(buffer.text != before, f"that “{action['title']}” changes the prompt")
    else:
        raise StepFailedError("the fixes do not come to an end")
    await complete_path(stage, buffer, "@ebb/pre", "ebb/predict.py")
    stage.screen.say("The user deletes the empty bullets, and looks again:")
    lines = buffer.text.split("\n")
    stage.editor.change(buffer, "\n".join(line for line in lines if line.strip() != "-"))
    left = await stage.editor.diagnostics(buffer)
    stage.screen.document(buffer.text, [_mark(buffer, each, stage) for each in left])
    codes = [each["code"] for each in left]
    expect(codes == ["session-truncated"], "that only the truncated snapshot is mentioned")


async def _next_fix(stage: Stage, buffer: Buffer) -> Json | None:
    """The first fix of the gravest diagnostic that has one."""
    found = await stage.editor.diagnostics(buffer)
    for diagnostic in sorted(found, key=lambda each: int(each["severity"])):
        fixes = await stage.editor.actions(buffer, diagnostic["range"], [diagnostic])
        for fix in fixes:
            if diagnostic in fix.get("diagnostics", []):
                return fix
    return None


def _faulty(stage: Stage, text: str, target: str) -> str:
    """The prompt so far with a draft behind it; the first mention is the one just completed."""
    ids = stage.ids
    draft = [
        f"- {format_mention(ids['rendering'], 'Month view')}",
        f"- {format_mention(ids['gauge'], 'Brest gauge, three years month by month')}",
        f"- {format_mention(ids['printing'], 'Printed almanac: paper size and bleed')}",
        f"- {format_mention('session-sample-clock', 'Tide clock')}",
        f"- {format_mention(target, 'this session')}",
        f"- {format_mention(ids['constituents'], 'Which tidal constituents to keep')[:-1]}=)",
        f"- {format_mention(ids['rendering'], 'Month view')[:-1]}",
        "Begin in @ebb/predct.py",
    ]
    first, last = text.split("---\n")[1:]
    return f"---\n{first}  mode: queu\n---\n{last}\n" + "\n".join(draft)


def _mark(buffer: Buffer, diagnostic: Json, stage: Stage) -> Mark:
    start, end = buffer.span(diagnostic["range"])
    message = diagnostic["message"].replace(str(stage.folders.root), "…")
    severity = SEVERITIES[diagnostic["severity"] - 1]
    return Mark(start, end, severity, diagnostic["code"], message)
