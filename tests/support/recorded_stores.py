"""Checks a recorded session store against what the real host answered from it.

The checks use the recording reader's own rule, so a session that it refused must be refused.
Where several answers are right, the rule is told beside the check.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.envelope import CLOSING_TAG, OPENING_TAG
from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.javascript import equal, join_surrogates
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.event_types import STRICT_0_1_0, STRICT_0_1_5, STRICT_0_2_1, TypeRule
from dsh_lsp.core.mentions import Reference, parse
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from dsh_lsp.sessions.store import SessionStore

Json = dict[str, Any]

RULES = {"0.1.0": STRICT_0_1_0, "0.1.1": STRICT_0_1_0, "0.1.2": STRICT_0_1_0}
RULES |= {"0.1.5": STRICT_0_1_5, "0.2.1": STRICT_0_2_1}

OLD_BUDGET = 65_536
"""What hosts of format 0 use."""

NEW_BUDGET = 800_000
"""What later hosts use, with the context window that they were recorded with."""

OUTSIDE = {"self"}
"""Combined prompts that cite sessions outside the store."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one check: `fault` is None when it passed."""

    place: str
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """A store's folder of sessions beside what one host made of it."""

    place: str
    sessions: Path
    expected: Json
    rule: TypeRule
    budget: int
    cached_titles: bool  # the host shows an id where its cache lacks the title

    def store(self) -> SessionStore:
        return SessionStore(self.sessions, rule=self.rule)


def find(folder: Path) -> Iterator[Path | Verdict]:
    """The recorded stores in and below a folder; a verdict for each folder that is none."""
    if not folder.is_dir():
        yield Verdict(str(folder), "is not a folder")
        return
    if (folder / "expected.json").is_file():
        yield folder
        return
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    if not inside or (folder / "sessions").is_dir():
        yield Verdict(str(folder), "is no recorded store: it has no expected.json")
        return
    for path in inside:
        yield from find(path)


async def check_store(folder: Path) -> AsyncIterator[Verdict]:
    """All verdicts on one recorded store."""
    if not (folder / "sessions").is_dir():
        yield Verdict(str(folder), "is no recorded store: it has no sessions folder")
        return
    for recording in _recordings(folder):
        if isinstance(recording, Verdict):
            yield recording
            continue
        async for verdict in check_recording(recording):
            yield verdict
    if (folder / "torn").is_dir():
        async for verdict in check_torn(folder):
            yield verdict


async def check_recording(recording: Recording) -> AsyncIterator[Verdict]:
    """Listing, surfaces, prompts and candidates of one host over one store."""
    known = 0
    for name, value in recording.expected.items():
        checks = None
        if name in ("sessionList", "session_list"):
            checks = _listing(recording, value)
        elif re.fullmatch(r"surfaces(_\d+|_bareUri)?", name):
            checks = _surfaces(recording, name, value)
        elif name in ("combos", "three"):
            checks = _combos(recording, value) if name == "combos" else _three(recording, value)
        elif name in ("candidates", "candidates_fresh_target", "candidates_noProjectionCache"):
            checks = _candidates(recording, name, value)
        if checks is None:
            continue
        known += 1
        async for verdict in checks:
            yield Verdict(f"{recording.place} {name} {verdict.place}", verdict.fault)
    if not known:
        yield Verdict(recording.place, "holds nothing that can be checked")


async def check_torn(folder: Path) -> AsyncIterator[Verdict]:
    """Damaged logs, each in place of the whole one, in a copy of the store."""
    file = folder / "torn" / "expected.json"
    recording = _recording(folder, folder / "expected.json")
    if isinstance(recording, Verdict) or not file.is_file():
        yield Verdict(str(file), "there is nothing to compare torn logs with")
        return
    expected: Json = json.loads(file.read_bytes())
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "sessions"
        shutil.copytree(recording.sessions, root)
        for case in expected.values():
            session, _, name = case["file"].partition(".")
            whole = next(root.glob(f"*/{session}/{name}"))
            whole.write_bytes((folder / "torn" / case["file"]).read_bytes())
        store = SessionStore(root, rule=recording.rule)
        listed = {entry.header.id for entry in (await store.list_sessions()).sessions}
        for name, case in expected.items():
            place = f"{folder.name}/torn {name} ({case['damage']})"
            session = case["file"].partition(".")[0]
            is_listed = session in listed
            yield Verdict(
                f"{place}: listing", None if is_listed == case["listed"] else f"listed: {is_listed}"
            )
            yield await _surface(store, f"{place}: surface", session, case, recording.budget)


def _recordings(folder: Path) -> list[Recording | Verdict]:
    """What each host that read the store made of it."""
    return [_recording(folder, file) for file in sorted(folder.glob("expected*.json"))]


def _recording(folder: Path, file: Path) -> Recording | Verdict:
    place = f"{folder.parent.name}/{folder.name}/{file.name}"
    try:
        expected = json.loads(file.read_bytes())
    except ValueError as error:
        return Verdict(place, f"is not JSON: {error}")
    reader = expected.get("readBy") or expected.get("read_by") or expected.get("version")
    family = re.match(r"\d+\.\d+\.\d+", str(reader))
    rule = RULES.get(family.group()) if family else None
    if family is None or rule is None:
        return Verdict(place, f"was read by an unknown host ({reader})")
    budget = OLD_BUDGET if rule is STRICT_0_1_0 else NEW_BUDGET
    # 0.1.0 and 0.1.1 fold titles from the logs; later hosts ask their cache.
    cached = family.group() not in ("0.1.0", "0.1.1")
    return Recording(place, folder / "sessions", expected, rule, budget, cached)


async def _listing(recording: Recording, rows: list[Json]) -> AsyncIterator[Verdict]:
    listed = {entry.header.id for entry in (await recording.store().list_sessions()).sessions}
    expected = {row["sessionId"] for row in rows}
    yield Verdict("ids", _difference(listed, expected))


async def _surfaces(
    recording: Recording, name: str, cases: dict[str, Json]
) -> AsyncIterator[Verdict]:
    number = re.search(r"\d+$", name)
    budget = int(number.group()) if number else recording.budget
    store = recording.store()
    for session_id, case in cases.items():
        yield await _surface(store, session_id, session_id, case, budget)


async def _surface(
    store: SessionStore, place: str, session_id: str, case: Json, budget: int
) -> Verdict:
    """One source in one prompt. Without `json` the host refused it, and so must we."""
    label = case["stats"]["label"] if "stats" in case else session_id
    reference = Reference(session_id, label)
    expected = case.get("json"), [case["stats"]] if "stats" in case else None
    return Verdict(place, await _prepared(store, [reference], budget, *expected))


async def _combos(recording: Recording, cases: dict[str, Json]) -> AsyncIterator[Verdict]:
    store = recording.store()
    for name, case in cases.items():
        if name in OUTSIDE:
            continue
        refused = case["turnEnd"]["kind"] == "error"
        try:
            text, references = parse(case["text"])
        except SessionReferenceError as error:
            yield Verdict(name, None if refused else f"refused: {error}")
            continue
        fault = None
        if not refused and text != case["directText"]:
            fault = f"the prompt became {text!r}"
        if references:
            stats = case.get("stats")
            records = [stats] if isinstance(stats, dict) else stats
            fault = fault or await _prepared(
                store, list(references), recording.budget, case.get("json"), records
            )
        elif refused:
            fault = "was not refused"
        yield Verdict(name, fault)


async def _three(recording: Recording, messages: list[Json]) -> AsyncIterator[Verdict]:
    """A prompt with three sources: its reference message, from what that message records."""
    stats = messages[1]["source"]["references"]
    references = [Reference(record["sessionId"], record["label"]) for record in stats]
    text = messages[1]["content"][0]["text"]
    fault = await _prepared(
        recording.store(), references, recording.budget, _between_tags(text), stats
    )
    yield Verdict("message", fault)


async def _prepared(
    store: SessionStore,
    references: list[Reference],
    budget: int,
    expected: str | None,
    stats: list[Json] | None,
) -> str | None:
    """What is wrong with the preparation of these sources, or None."""
    resolver = SessionReferenceResolver(store, limits=Limits(max_reference_bytes=budget))
    try:
        prepared = await resolver.prepare(Target(None, None), "", references)
    except SessionReferenceError as error:
        return f"refused: {error}" if expected is not None else None
    if expected is None:
        return "was not refused"
    assert prepared.context is not None
    actual = _between_tags(prepared.context.text)
    if actual != expected:
        return f"the sources differ: {_first_difference(actual, expected)}"
    assert stats is not None
    for record, wanted in zip(prepared.context.source["references"], stats, strict=True):
        # Hosts of format 0 do not record the format.
        same = {key: value for key, value in record.items() if key in wanted}
        if not equal(same, wanted):
            return f"the record differs: {record} instead of {wanted}"
    return None


async def _candidates(recording: Recording, name: str, by_target: Json) -> AsyncIterator[Verdict]:
    """Ids and order for each target and query, and the names shown.

    Our names come from the logs. Where the host showed an id for want of its cache, ours shows
    the title; where a subagent has a label, ours shows the label, and a host before 0.2.1 the
    title. A query can therefore match more sessions here: exactly those whose name the host did
    not show and which holds the query. Which those are is worked out from the host's own answer
    to the empty query, which names all sessions in order, and from our names, which are
    themselves checked against every name that the host did show.
    """
    without_cache = recording.cached_titles
    resolver = SessionReferenceResolver(recording.store(), limits=Limits())
    cwds = {e.header.id: e.header.cwd for e in (await recording.store().list_sessions()).sessions}
    for target_name, by_query in by_target.items():
        target = (
            Target(None, target_name)
            if target_name not in cwds
            else Target(target_name, cwds[target_name])
        )
        queries = by_query if isinstance(by_query, dict) else {"": by_query}
        answers = {query: _rows(answer) for query, answer in queries.items()}
        everything = answers.get("")
        if everything is None:
            continue  # the host refused the target itself, which has no say in ours
        ours = {c.session_id: c for c in await resolver.list_candidates(target, "")}
        for row in everything:
            known = ours.get(row["sessionId"])
            yield Verdict(
                f"{target_name} name of {row['sessionId']}", _name_fault(row, known, without_cache)
            )
        for query, rows in answers.items():
            if rows is None:
                continue
            found = [c.session_id for c in await resolver.list_candidates(target, query)]
            shown = {row["sessionId"] for row in rows}
            expected = [
                row["sessionId"]
                for row in everything
                if row["sessionId"] in shown or _matches_unseen(row, ours, query)
            ]
            fault = None if found == expected else f"gave {found} instead of {expected}"
            yield Verdict(f"{target_name} {query!r}", fault)


def _rows(answer: Any) -> list[Json] | None:
    if isinstance(answer, list):
        return answer
    value = answer.get("value") if answer.get("ok") else None
    return value if isinstance(value, list) else None


def _shown(row: Json) -> str:
    return str(row.get("displayTitle", row["label"]))


def _name_fault(row: Json, ours: Candidate | None, without_cache: bool) -> str | None:
    if ours is None:
        return "is not among ours"
    if (ours.cwd, ours.created_at) != (row.get("cwd"), row["createdAt"]):
        return f"cwd and time are {ours.cwd!r} and {ours.created_at}"
    shown = _shown(row)
    right = {ours.title if ours.title is not None else ours.session_id}
    right |= {ours.label} if "displayTitle" in row and ours.label is not None else set()
    right |= {ours.session_id} if without_cache else set()
    return None if shown in right else f"the host showed {shown!r}, ours are {right}"


def _matches_unseen(row: Json, ours: dict[str, Candidate], query: str) -> bool:
    candidate = ours.get(row["sessionId"])
    names = {candidate.title, candidate.label} if candidate else set()
    unseen = (name for name in names - {_shown(row)} if name is not None)
    return any(query.lower() in name.lower() for name in unseen)


def _between_tags(text: str) -> str:
    start = text.index(f"{OPENING_TAG}\n") + len(OPENING_TAG) + 1
    return text[start : text.rindex(f"\n{CLOSING_TAG}")]


def _difference(actual: set[str], expected: set[str]) -> str | None:
    if actual == expected:
        return None
    return f"missing {sorted(expected - actual)}, unexpected {sorted(actual - expected)}"


def _first_difference(actual: str, expected: str) -> str:
    actual, expected = join_surrogates(actual), join_surrogates(expected)
    pairs = enumerate(zip(actual, expected, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(actual), len(expected)))
    return f"at {at}: {actual[at - 20 : at + 60]!r} instead of {expected[at - 20 : at + 60]!r}"
