"""Completion and hover of the front matter, which is read like any settings file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.display import one_line
from dsh_lsp.core.front_matter import KEYS, MODES, NEW_SESSION
from dsh_lsp.core.text import Span
from dsh_lsp.server.actions import session_value
from dsh_lsp.server.scene import Scene
from dsh_lsp.sessions.references import Target

ABOUT: Mapping[str, str] = {
    "session": "The session that this prompt goes to: a session id, a dsh-session: URI, or new for "
    "a session that is created at the first send.",
    "cwd": "The absolute directory of a new session. Without it, that is the workspace folder.",
    "mode": "How the prompt enters the session: queue puts it behind what waits there, steer into "
    "the running turn.",
}
"""What each key means."""

_ABOUT_MODES = {"queue": "behind what waits there", "steer": "into the running turn"}

_KEY = re.compile(r"[ \t]+(?P<typed>[A-Za-z]*)\Z")
_VALUE = re.compile(r"[ \t]+(?P<key>[A-Za-z]+):[ \t]+(?P<typed>[^\s#][^\r\n]*)?\Z")
_REST_OF_VALUE = re.compile(r"[^\r\n#]*")
_PLAIN_PATH = re.compile(r"(?:/|[A-Za-z]:[\\/])[\w./\\+-]*")
_REST_OF_KEY = re.compile(r"[A-Za-z]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One key or value that could stand here: its label, what it writes, and what it means."""

    label: str
    text: str
    about: str | None


@dataclass(frozen=True, slots=True)
class Entries:
    """Everything that could stand at the cursor in place of `replace`; `typed` is up to it."""

    insert: Span
    replace: Span
    entries: tuple[Entry, ...]


async def complete_front_matter(scene: Scene, offset: int) -> Entries | None:
    """The keys or values for a cursor inside the front matter, or None anywhere else."""
    prompt = scene.document.prompt
    header = prompt.front_matter
    if header is None or not header.span.start < offset < header.span.end:
        return None
    text = prompt.text
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[start:offset]
    if (key := _KEY.fullmatch(before)) is not None:
        present = {member.key for member in header.members}
        entries = [Entry(name, f"{name}: ", ABOUT[name]) for name in KEYS if name not in present]
        return _entries(text, offset, key["typed"], _REST_OF_KEY, entries)
    if (value := _VALUE.fullmatch(before)) is not None:
        typed = value["typed"] or ""
        found = await _values(scene, value["key"], typed)
        return _entries(text, offset, typed, _REST_OF_VALUE, found)
    return None


def about_key(scene: Scene, offset: int) -> tuple[str, Span] | None:
    """What the key under the cursor means."""
    header = scene.document.prompt.front_matter
    for member in header.members if header else ():
        if member.key_span.start <= offset < member.key_span.end and member.key in ABOUT:
            return ABOUT[member.key], member.key_span
    return None


def _entries(
    text: str, offset: int, typed: str, rest: re.Pattern[str], entries: list[Entry]
) -> Entries:
    start = offset - len(typed)
    following = rest.match(text, offset)
    end = offset + len(following.group().rstrip()) if following else offset
    wanted = [entry for entry in entries if typed.lower() in entry.label.lower()]
    return Entries(Span(start, offset), Span(start, end), tuple(wanted or entries))


async def _values(scene: Scene, key: str, typed: str) -> list[Entry]:
    if key == "mode":
        return [Entry(mode, mode, _ABOUT_MODES[mode]) for mode in MODES]
    if key == "cwd" and scene.folder is not None and one_line(scene.folder) == scene.folder:
        return [Entry(scene.folder, _yaml(scene.folder), "the workspace folder")]
    if key == "session":
        return [
            Entry(NEW_SESSION, NEW_SESSION, "created at the first send"),
            *await _sessions(scene, typed),
        ]
    return []


def _yaml(path: str) -> str:
    """A path of visible characters as YAML reads it back."""
    return path if _PLAIN_PATH.fullmatch(path) else json.dumps(path, ensure_ascii=False)


async def _sessions(scene: Scene, typed: str) -> Iterator[Entry]:
    limit = scene.settings.references.candidate_limit
    target = Target(None, scene.folder)
    found = await scene.memory.resolver.candidates_at_hand(target, typed, limit)
    return map(_session, found.candidates)


def _session(candidate: Candidate) -> Entry:
    return Entry(candidate.display_title, session_value(candidate.session_id), candidate.cwd)
