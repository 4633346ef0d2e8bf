"""Work-done progress: shown when something takes a while, and a way to cancel it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable

from lsprotocol import types

SHOWN_AFTER_SECONDS = 0.3

ProgressToken = int | str


class Progress:
    """The progress of one command, or of work that nobody asked for.

    A token that came with the request is used at once. Without one, and when `create` is given,
    the editor is asked for one after a while, so that quick commands show nothing.
    """

    def __init__(
        self,
        title: str,
        token: ProgressToken | None,
        create: Callable[[ProgressToken], Awaitable[object]] | None,
        notify: Callable[[types.ProgressParams], None],
    ) -> None:
        self.token: ProgressToken = uuid.uuid4().hex if token is None else token
        self._title = title
        self._message: str | None = None
        self._percentage: int | None = None
        self._notify = notify
        self._shown = False
        self._later: asyncio.Task[None] | None = None
        if token is not None:
            self._begin()
        elif create is not None:
            self._later = asyncio.ensure_future(self._begin_later(create))

    async def report(self, message: str) -> None:
        """Tell the next step."""
        self.step(message, None)

    def step(self, message: str, percentage: int | None) -> None:
        """Tell how far it is."""
        self._message, self._percentage = message, percentage
        if self._shown:
            self._tell(
                types.WorkDoneProgressReport(
                    message=message, cancellable=True, percentage=percentage
                )
            )

    def end(self) -> None:
        """The command has ended, whichever way."""
        if self._later is not None:
            self._later.cancel()
        if self._shown:
            self._shown = False
            self._tell(types.WorkDoneProgressEnd())

    async def _begin_later(self, create: Callable[[ProgressToken], Awaitable[object]]) -> None:
        await asyncio.sleep(SHOWN_AFTER_SECONDS)
        try:
            await create(self.token)
        except Exception:
            return  # the editor does not want to show anything
        self._begin()

    def _begin(self) -> None:
        self._shown = True
        self._tell(
            types.WorkDoneProgressBegin(
                self._title, cancellable=True, message=self._message, percentage=self._percentage
            )
        )

    def _tell(
        self,
        value: types.WorkDoneProgressBegin
        | types.WorkDoneProgressReport
        | types.WorkDoneProgressEnd,
    ) -> None:
        self._notify(types.ProgressParams(self.token, value))
