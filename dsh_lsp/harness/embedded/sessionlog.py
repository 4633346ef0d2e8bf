"""One session's log: events in, each batch on disk before it counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dsh_lsp.core.javascript import stringify
from dsh_lsp.core.log.event_types import KIND
from dsh_lsp.core.log.events import NEWEST_FORMAT, SessionHeader, parse_header, parse_line
from dsh_lsp.core.log.replay import LogReplay
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.harness.embedded.ambient import Clock
from dsh_lsp.harness.embedded.draft import Draft, policies, resumed
from dsh_lsp.harness.embedded.ledger import Ledger
from dsh_lsp.harness.embedded.writer import LogWriter
from dsh_lsp.sessions.layout import session_folder

AGENT_PRESET = "standard"
"""The preset that a harness takes when it goes on with a session of ours."""

Build = Callable[[int], Sequence[Draft]]
"""Makes the events of one batch, given the sequence number of the first."""


class SessionLog:
    """A log that this process owns: the writer, and what its lines add up to."""

    def __init__(
        self, writer: LogWriter, header: SessionHeader, lines: Sequence[bytes], clock: Clock
    ) -> None:
        self.header = header
        self.writer = writer
        self.ledger = Ledger()
        self.next_seq = 0
        """The sequence number that the next event will get."""
        self._clock = clock
        self._replay = LogReplay(header, KIND)
        self.commit(lines)

    @classmethod
    def create(cls, store: Path, session_id: str, cwd: str | None, clock: Clock) -> SessionLog:
        """Begin a session in a store of ours. Raises OSError, and ValueError for an empty cwd."""
        folder = session_folder(store, session_id, cwd)
        header = _header_line(session_id, cwd, clock())
        log = cls(LogWriter.create(folder, header), parse_header(header), [], clock)
        try:
            log.append(lambda _: policies())
        except BaseException:
            log.writer.close()
            raise
        return log

    @classmethod
    def reopen(cls, folder: Path, clock: Clock) -> SessionLog:
        """Go on with a stored session; a turn that was interrupted is closed first.

        Raises OSError, `SessionHeldError`, and for a log that cannot be continued
        `CorruptLogError`, `ReadFailedError` or ValueError.
        """
        writer, (header, *lines) = LogWriter.reopen(folder)
        try:
            log = cls(writer, parse_header(header), lines, clock)
            log.append(lambda _: (*log.closers(), resumed()))
        except BaseException:
            writer.close()
            raise
        return log

    def surface(self) -> Surface:
        """What a model sees now; an open turn stays open."""
        return self._replay.observe()

    def closers(self) -> tuple[Draft, ...]:
        """What ends a turn that was interrupted; nothing when no turn is open."""
        return tuple(
            Draft(event["type"], event["data"], surface_op=event.get("surfaceOp"))
            for event in self._replay.closers()
        )

    def append(self, build: Build) -> int:
        """Record one batch; the sequence number of its first event. Blocks. Raises OSError."""
        first = self.next_seq
        lines = self.draft(build)
        self.writer.append(lines)
        self.commit(lines)
        return first

    def draft(self, build: Build) -> list[bytes]:
        """The lines of one batch that has not been recorded yet."""
        first, now = self.next_seq, self._clock()
        drafts = enumerate(build(first), first)
        return [stringify(draft.record(seq, now)).encode() for seq, draft in drafts]

    def commit(self, lines: Sequence[bytes]) -> None:
        """Take lines that are on disk into account. Raises `ReadFailedError` and ValueError."""
        for line in lines:
            self._replay.feed(line)
            self._replay.settle()
            try:
                self.ledger.apply(parse_line(line))
            except (KeyError, TypeError, AttributeError) as error:
                raise ValueError(f"event {self.next_seq} of the log is malformed") from error
            self.next_seq += 1


def _header_line(session_id: str, cwd: str | None, now: int) -> bytes:
    record = {
        "type": "session",
        "version": NEWEST_FORMAT,
        "id": session_id,
        "createdAt": now,
        **({} if cwd is None else {"cwd": cwd}),
        "isSeeded": False,
        "delegationDepth": 0,
        "agentPreset": AGENT_PRESET,
    }
    return stringify(record).encode()
