"""Compacts a live session between two of its turns."""

from __future__ import annotations

from dataclasses import dataclass

import anyio

from dsh_lsp.harness.embedded.ambient import NewId
from dsh_lsp.harness.embedded.compaction import (
    Names,
    abandoned,
    compactable,
    done,
    report,
    started,
    summarized,
)
from dsh_lsp.harness.embedded.live import LiveSession
from dsh_lsp.harness.embedded.responder import Responder, model_input
from dsh_lsp.harness.port import HarnessError


@dataclass(frozen=True, slots=True)
class Compactor:
    """Replaces the older part of a conversation by a summary, which the responder writes."""

    responder: Responder
    new_id: NewId

    async def compact(self, session: LiveSession, summary: str | None = None) -> int:
        """Compact, by the given summary or one of the responder's; how many messages it replaced.

        Waits for a running turn. 0 means that there is nothing to compact yet. Raises
        `HarnessError` when there is no summary; the conversation stays as it was.
        """
        async with session.work:
            nodes = compactable(session.surface.nodes)
            if not nodes:
                return 0
            names = Names(f"cmd-{self.new_id()}", self.new_id())
            start_seq = 1 + await session.record(*started(names))
            try:
                if summary is None:
                    summary = await self.responder.summarize(model_input(nodes))
                text = _present(summary)
            except BaseException as error:
                with anyio.CancelScope(shield=True):
                    await session.record(*abandoned(names, _why(error)))
                if isinstance(error, Exception) and not isinstance(error, HarnessError):
                    raise HarnessError(f"the summary could not be made: {error}") from error
                raise
            summary_seq = await session.record_from(
                lambda first: summarized(
                    names,
                    nodes,
                    text,
                    self.responder.speaker,
                    message_id=self.new_id(),
                    start_seq=start_seq,
                    first=first,
                )
            )
            await session.record(done(names, report(len(nodes)), summary_seq=summary_seq))
            return len(nodes)


def _why(error: BaseException) -> str:
    if isinstance(error, Exception):
        return str(error) or type(error).__name__
    return "the compaction was cancelled"


def _present(summary: str) -> str:
    if not summary.strip():
        raise HarnessError("there is no summary to compact by; give one, or try again")
    return summary
