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
    `home` is the harness home that the user has set, if any. `launcher` outlives settings that
    change, and so does a host that it has started. Nothing is touched before a call.
    """

    def __init__(
        self,
        settings: HarnessSettings,
        state: Path,
        launcher: Launcher,
        *,
        home: str | None,
        environ: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._home = home
        self._environ = environ
        self._cookies = _cookies(state)
        self._started = _started(state)
        self._launcher = launcher
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
        running = await self._running()
        if running is not None:
            raise HarnessError(f"a harness runs already, and dsh-lsp uses it: {running}")
        link = await self._launcher.start(
            self._settings.command, home=self._home, cwd=cwd, environ=self._environ
        )
        try:
            return await self.login(link)
        except BaseException:
            await self._launcher.stop()
            raise

    async def aclose(self) -> None:
        """Let go of the host."""
        await self.harness.aclose()

    async def _running(self) -> str | None:
        try:
            wire = await self._connection.wire()
        except HarnessError:
            return None
        return f"dsh web {wire.version} at {wire.address.url}"

    def _places(self) -> Sequence[Place]:
        if self._settings.mode is HarnessMode.HTTP and self._settings.url is None:
            raise UnreachableError(f"dsh.harness.mode is http, and {SETTING} is not set")
        return places(
            named=self._settings.url,
            environment=self._environ.get(VARIABLE),
            started=[host.url for host in self._started.running()],
            entered=self._cookies.addresses(),
        )


def new_launcher(state: Path) -> Launcher:
    """A launcher whose hosts others can find."""
    return Launcher(_started(state), state / "started")


async def leave(launcher: Launcher, state: Path) -> None:
    """The end of dsh-lsp: a host that it started ends too, unless it still has work to do."""
    if launcher.url is None or not await _has_work(launcher.url, _cookies(state)):
        await launcher.stop()


async def _has_work(url: str, cookies: CookieStore) -> bool:
    from dsh_lsp.harness.wire.entrance import is_busy  # loads httpx

    try:
        return await is_busy(url, cookies)
    except HarnessError:
        return False


def _cookies(state: Path) -> CookieStore:
    return CookieStore(state / "logins")


def _started(state: Path) -> StartedHosts:
    return StartedHosts(state / "started", _cookies(state))
