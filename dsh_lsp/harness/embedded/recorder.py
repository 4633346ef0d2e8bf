"""Writes a conversation that already took place, without running anything: samples and tests."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from dsh_lsp.harness.embedded.ambient import Clock, NewId
from dsh_lsp.harness.embedded.answer import Speaker, assistant_message
from dsh_lsp.harness.embedded.compaction import (
    Names,
    compactable,
    started,
    summarized,
)
from dsh_lsp.harness.embedded.draft import COMPLETED, Place, spliced, step_end, title
from dsh_lsp.harness.embedded.message import prompt
from dsh_lsp.harness.embedded.responder import all_text, model_input
from dsh_lsp.harness.embedded.sessionlog import SessionLog
from dsh_lsp.harness.embedded.title import given_title
from dsh_lsp.harness.embedded.turns import closing, entering, opening
from dsh_lsp.harness.port import Mode


class Recorder:
    """Records one session into a store, in the same events as the embedded harness.

    Mentions are recorded as they stand: resolving them takes a harness. Every call blocks.
    """

    def __init__(
        self,
        store: Path,
        *,
        session_id: str,
        cwd: str | None,
        clock: Clock,
        new_id: NewId,
        speaker: Speaker,
    ) -> None:
        """Begin a session; `store` is the folder of all sessions. Raises OSError."""
        self._log = SessionLog.create(store, session_id, cwd, clock)
        self._clock = clock
        self._new_id = new_id
        self._speaker = speaker

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """Where the log lies."""
        return self._log.writer.path

    def ask(self, text: str) -> None:
        """A user says something, and its turn begins; it stays open until `answer`."""
        message = prompt(self._new_id(), text, request_id=self._new_id())
        ledger = self._log.ledger
        self._log.append(lambda _: spliced([ledger.inbox.append(Mode.QUEUE, message)]))
        self._log.append(lambda _: opening(ledger))
        place = Place(ledger.last_turn, 1)
        self._log.append(lambda first: entering(ledger, place, ledger.claimed, first, self._new_id))

    def answer(self, text: str) -> None:
        """The assistant answers, and the turn ends. Raises ValueError when no turn is open."""
        ledger = self._log.ledger
        place = ledger.open_step
        if place is None:
            raise ValueError("there is nothing to answer: ask first")
        said = assistant_message(
            place,
            self._speaker,
            self._new_id(),
            text,
            given=all_text(model_input(self._log.surface().nodes)),
            time=self._clock(),
        )
        self._log.append(lambda _: (said, step_end(place)))
        self._log.append(lambda _: closing(ledger, COMPLETED))

    def exchange(self, question: str, answer: str) -> None:
        """One whole turn."""
        self.ask(question)
        self.answer(answer)

    def rename(self, name: str) -> None:
        """A person names the session."""
        self._log.append(lambda _: [title(given_title(name), message_seqs=(), source="user")])

    def compact(self, summary: str) -> None:
        """A summary replaces everything but the latest answer, if there is something before it."""
        nodes = compactable(self._log.surface().nodes)
        if not nodes:
            return
        names = Names(f"cmd-{self._new_id()}", self._new_id())
        start_seq = self._log.append(lambda _: started(names)) + 1
        message_id = self._new_id()
        self._log.append(
            lambda first: summarized(
                names,
                nodes,
                summary,
                self._speaker,
                message_id=message_id,
                start_seq=start_seq,
                first=first,
            )
        )

    def close(self) -> None:
        """Give the log up; an open turn stays open, as after a crash."""
        self._log.writer.close()
