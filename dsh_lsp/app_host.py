"""A harness behind HTTP, joined with what finds, enters and starts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dsh_lsp.harness.port import Description, HarnessError
from dsh_lsp.harness.wire.connection import Connection
from dsh_lsp.harness.wire.cookies import CookieStore
from dsh_lsp.harness.wire.discover import SETTING, VARIABLE, Place, places
from dsh_lsp.harness.wire.errors import UnreachableError
from dsh_lsp.harness.wire.finder import Finder
from dsh_lsp.harness.wire.host import HostHarness
from dsh_lsp.harness.wire.launcher import Launcher
from dsh_lsp.harness.wire.started import StartedHosts
from dsh_lsp.settings import HarnessMode, HarnessSettings


class HostEntrance:
    """The one host of some settings: the harness itself, and the ways to it.

    `state` is dsh-lsp's folder for what must outlive it: logins, and which hosts it started.
    `home` is the harness home that the user has set, if any. Nothing is touched before a call.
    """

    def __init__(
        self,
        settings: HarnessSettings,
        state: Path,
        *,
        home: str | None,
        environ: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._home = home
        self._environ = environ
        self._cookies = CookieStore(state / "logins")
        self._started = StartedHosts(state / "started")
        self._launcher = Launcher(self._started, state / "started")
        self._connection = Connection(Finder(self._places, self._cookies).find)
        self.harness = HostHarness(self._connection)

    async def login(self, link: str) -> Description:
        """Enter a host with the link that it printed. Raises `HarnessError`."""
        from dsh_lsp.harness.wire.entrance import enter  # loads httpx

        entered = await enter(link, self._cookies, named=self._settings.url)
        self._connection.forget()
        return entered

    async def start(self, cwd: str | None) -> Description:
        """Start a host and enter it. Raises `HarnessError`."""
        for name, value in ((SETTING, self._settings.url), (VARIABLE, self._environ.get(VARIABLE))):
            if value:
                raise HarnessError(f"{name} names the harness to use; unset it to start another")
        if await self._runs_already():
            raise HarnessError("a harness runs already, and dsh-lsp uses it; dsh.status names it")
        link = await self._launcher.start(
            self._settings.command, home=self._home, cwd=cwd, environ=self._environ
        )
        try:
            return await self.login(link)
        except BaseException:
            await self._launcher.stop()
            raise

    async def aclose(self) -> None:
        """Let go of the host. One that was started here ends, unless it still has work to do."""
        url = self._launcher.url
        if url is not None and not await self._has_work(url):
            await self._launcher.stop()
        await self.harness.aclose()

    async def _runs_already(self) -> bool:
        try:
            await self._connection.wire()
        except HarnessError:
            return False
        return True

    async def _has_work(self, url: str) -> bool:
        from dsh_lsp.harness.wire.entrance import is_busy

        try:
            return await is_busy(url, self._cookies)
        except HarnessError:
            return False

    def _places(self) -> Sequence[Place]:
        if self._settings.mode is HarnessMode.HTTP and self._settings.url is None:
            raise UnreachableError(f"dsh.harness.mode is http, and {SETTING} is not set")
        return places(
            named=self._settings.url,
            environment=self._environ.get(VARIABLE),
            started=[host.url for host in self._started.running()],
            entered=self._cookies.addresses(),
        )
