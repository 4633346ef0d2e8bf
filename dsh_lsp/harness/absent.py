"""The harness that is not there: every send is refused with the reason."""

from __future__ import annotations

from typing import NoReturn

from dsh_lsp.harness.port import Description, NoHarnessError, Outgoing, Receipt


class AbsentHarness:
    """Stands for a harness that is switched off or cannot be reached; `reason` says which."""

    def __init__(self, reason: str) -> None:
        self._message = reason

    async def describe(self) -> Description:
        """Refused: there is nothing to describe."""
        self._refuse()

    async def create_session(self, cwd: str | None) -> str:  # noqa: ARG002 - the port's signature
        """Refused."""
        self._refuse()

    async def has_session(self, session_id: str) -> bool:  # noqa: ARG002
        """No session can be a target here."""
        return False

    async def resolves_references(self) -> bool | None:
        """There is nobody to tell."""
        return None

    async def send(self, outgoing: Outgoing) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    async def receipt(self, session_id: str, request_id: str) -> Receipt:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NoHarnessError(self._message)
