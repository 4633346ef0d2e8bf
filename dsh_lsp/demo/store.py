"""Writes the sample sessions with the embedded harness's own log writer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path

from dsh_lsp.demo.samples import PRINTING, WORKSPACE, Sample
from dsh_lsp.harness.embedded.answer import Speaker
from dsh_lsp.harness.embedded.draft import Draft
from dsh_lsp.harness.embedded.recorder import Recorder
from dsh_lsp.harness.embedded.sessionlog import SessionLog

SPEAKER = Speaker("sample", "sample-writer")

_MINUTE = 60_000  # milliseconds


def write_workspace(root: Path) -> None:
    """The files that the sample team works on."""
    for name, text in WORKSPACE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def write_store(
    store: Path, projects: Path, samples: Iterable[Sample], *, now: int
) -> Mapping[str, str]:
    """Record every sample, and return each one's session id by its key.

    `projects` holds the folders that the sessions worked in; `now` is Unix milliseconds.
    """
    return {sample.key: _record(store, projects, sample, now) for sample in samples}


def _record(store: Path, projects: Path, sample: Sample, now: int) -> str:
    session_id = f"session-sample-{sample.key}"
    ticks = count(now - sample.age * 1000, _MINUTE)
    names = count(1)
    with Recorder(
        store,
        session_id=session_id,
        cwd=str(projects / sample.folder),
        clock=lambda: next(ticks),
        new_id=lambda: f"{sample.key}-{next(names)}",
        speaker=SPEAKER,
    ) as recorder:
        *earlier, last = sample.exchanges
        for question, answer in earlier:
            recorder.exchange(question, answer)
        if sample.summary is not None:
            recorder.compact(sample.summary)
        recorder.exchange(*last)
        recorder.rename(sample.title)
    if sample.label is not None:
        _add_label(recorder.path.parent, sample.label, now)
    if sample is PRINTING:
        _damage(recorder.path)
    return session_id


def _add_label(folder: Path, label: str, now: int) -> None:
    """The record by which a harness keeps the label that a subagent was created with."""
    log = SessionLog.reopen(folder, lambda: now)
    descriptor = {"version": 3, "mode": "spawn", "provider": "sample", "label": label}
    log.append(lambda _: [Draft("subagent/descriptor", descriptor)])
    log.writer.close()


def _damage(path: Path) -> None:
    """What a failing disk would do: some bytes in the middle read as zeros."""
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 32] = bytes(32)
    path.write_bytes(data)
