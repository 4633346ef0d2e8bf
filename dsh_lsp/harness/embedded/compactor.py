"""Compacts a live session between two of its turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from dsh_lsp.core.log.events import Event
from dsh_lsp.harness.embedded.ambient import NewId
from dsh_lsp.harness.embedded.compaction import (
    Names,
    abandoned,
    compactable,
    started,
    summarized,
)
from dsh_lsp.harness.embedded.live import LiveSession, LogFailedError
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
            try:
                start_seq = 1 + await session.record(*started(names))
                text = _present(await self._summary(nodes) if summary is None else summary)
            except LogFailedError:
                raise
            except BaseException as error:
                with anyio.CancelScope(shield=True):
                    await session.record(*abandoned(names, _why(error)))
                raise
            await session.record_from(
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
            return len(nodes)

    async def _summary(self, nodes: Sequence[Event]) -> str:
        try:
            return await self.responder.summarize(model_input(nodes))
        except Exception as error:
            raise HarnessError(f"the summary could not be made: {error}") from error


def _why(error: BaseException) -> str:
    if isinstance(error, Exception):
        return str(error) or type(error).__name__
    return "the compaction was cancelled"


def _present(summary: str) -> str:
    if not summary.strip():
        raise HarnessError("there is no summary to compact by; give one, or try again")
    return summary
