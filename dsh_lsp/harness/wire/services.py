"""The services of a host that both wires call in the same words: mentions and files."""

from __future__ import annotations

from collections.abc import Sequence

from dsh_lsp.harness.port import FoundFile, HostCandidate
from dsh_lsp.harness.wire import shapes
from dsh_lsp.harness.wire.envelope import LARGE, QUICK, Caller

CANDIDATES = "sessionReferenceResolver/candidates"
"""Only the service that resolves mentions has it; a host can be run without that."""

FILES = "fileReferences/list"


class HostServices:
    """A part of a `Wire`; the wires add what they say in words of their own."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.address = caller.address

    async def candidates(self, session_id: str, query: str) -> Sequence[HostCandidate]:
        """The sessions that a prompt to `session_id` may mention."""
        payload = {"args": {"agentId": session_id, "query": query}}
        reply = await self._caller.call(CANDIDATES, payload, LARGE)
        return shapes.read_candidates(reply, CANDIDATES)

    async def resolves_references(self) -> bool:
        """Whether the host has the service that resolves mentions."""
        return await self._caller.has(CANDIDATES)

    async def files(self, session_id: str, query: str) -> Sequence[FoundFile]:
        """Files below the session's cwd."""
        payload = {"args": {"agentId": session_id, "query": query}}
        return shapes.read_files(await self._caller.call(FILES, payload, QUICK), FILES)

    async def aclose(self) -> None:
        """Close what is open."""
        await self._caller.aclose()
