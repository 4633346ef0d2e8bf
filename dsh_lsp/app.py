"""The one place that builds the parts for one set of settings and joins them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import platformdirs

from dsh_lsp.app_changes import together
from dsh_lsp.core.budget import DEFAULT_BUDGET
from dsh_lsp.core.limits import Limits
from dsh_lsp.harness.absent import AbsentHarness
from dsh_lsp.harness.files import FilesOnDisk
from dsh_lsp.harness.port import Delivery, Harness
from dsh_lsp.late import late
from dsh_lsp.server.services import Services
from dsh_lsp.sessions.index import DiskIndex, Kind
from dsh_lsp.sessions.live import LiveSessions
from dsh_lsp.sessions.live_or_stored import LiveOrStored
from dsh_lsp.sessions.merged import MergedQuery
from dsh_lsp.sessions.store import SessionStore
from dsh_lsp.sessions.watch import StoreWatch
from dsh_lsp.settings import CacheSettings, HarnessMode, ReferenceSettings, Settings

if TYPE_CHECKING:
    from dsh_lsp.app_host import HostEntrance
    from dsh_lsp.harness.embedded.harness import EmbeddedHarness
    from dsh_lsp.harness.wire.launcher import Launcher

_SWITCHED_OFF = "Sending is switched off (dsh.harness.mode is off)"

_NAMED_PATIENCE = 1.0
_REMOTE_PATIENCE = 3.0
"""Seconds that the first list of sessions waits for a host that the settings name."""

_FAREWELL_SECONDS = 2.0


class ConflictError(ValueError):
    """Settings that are right one by one and cannot hold together; the message names the fix."""


def connect(
    settings: Settings, environ: Mapping[str, str], launcher: Launcher | None = None
) -> Services:
    """The services for settings. Nothing is read, written or started yet.

    What is read of sessions is kept in the user's cache folder, as the settings allow. A `launcher`
    is given by whoever connects again when settings change, so that a harness which it has started
    goes on.

    Only the embedded harness writes sessions, and only under `embedded_root`, beside its outbox;
    logins, hosts that were started and the outbox of hosts are kept in the state folder. Raises
    `ConflictError`.
    """
    used = launcher or new_launcher()
    services = _join(settings, environ, used)
    return replace(services, leave=partial(_leave, used))


def _join(settings: Settings, environ: Mapping[str, str], launcher: Launcher) -> Services:
    root = harness_home(settings, environ) / "sessions"
    store = _store_at(root, settings.cache)
    files = FilesOnDisk(settings.files.exclude)
    if settings.harness.mode is HarnessMode.EMBEDDED:
        return _with_embedded(settings, store, files, root)
    if settings.harness.mode is not HarnessMode.OFF:
        return _with_host(host_entrance(settings, environ, launcher), settings, store, files)
    harness = AbsentHarness(_SWITCHED_OFF)
    return Services(
        query=store,
        harness=harness,
        delivery=_to_host(harness, root),
        files=files,
        store=str(root),
        changes=lambda: together(StoreWatch(store).changes),
        warm=store.warm,
        context_window=store.latest_context_window,
        aclose=store.aclose,
    )


def _store_at(root: Path, cache: CacheSettings) -> SessionStore:
    """The store of a folder; what is read of its logs outlives the process where it may."""
    if not cache.enabled:
        return SessionStore(root)
    kinds = frozenset(Kind) if cache.text else frozenset({Kind.HEADER})
    return SessionStore(root, index=DiskIndex(cache_folder(), root, kinds))


def harness_home(settings: Settings, environ: Mapping[str, str]) -> Path:
    """The folder that holds the user's session store: the setting, `$DSH_HOME`, or `~/.dsh`."""
    named = settings.home or environ.get("DSH_HOME") or "~/.dsh"
    return Path(os.path.abspath(os.path.expanduser(named)))  # noqa: PTH100, PTH111


def embedded_root(settings: Settings) -> Path:
    """The home of the embedded harness: the setting, else a folder of the user's state folder."""
    if settings.embedded.root is not None:
        return Path(settings.embedded.root)
    return state_folder() / "embedded"


def state_folder() -> Path:
    """Where dsh-lsp keeps what must outlive it."""
    return platformdirs.user_state_path("dsh-lsp", appauthor=False)


def cache_folder() -> Path:
    """Where dsh-lsp keeps what it can make again. A folder that cannot be used is no error."""
    return platformdirs.user_cache_path("dsh-lsp", appauthor=False)


def host_entrance(
    settings: Settings, environ: Mapping[str, str], launcher: Launcher | None = None
) -> HostEntrance:
    """The ways to the harness that settings name, if it is one behind HTTP."""
    used = launcher or new_launcher()

    def build() -> HostEntrance:
        from dsh_lsp.app_host import HostEntrance

        state = state_folder()
        return HostEntrance(settings.harness, state, used, home=settings.home, environ=environ)

    return late(build)


def new_launcher() -> Launcher:
    """A launcher whose hosts others can find."""

    def build() -> Launcher:
        from dsh_lsp.app_host import new_launcher

        return new_launcher(state_folder())

    return late(build)


async def _leave(launcher: Launcher) -> None:
    from dsh_lsp.app_host import leave

    await leave(launcher, state_folder())


def _with_host(
    entrance: HostEntrance, settings: Settings, store: SessionStore, files: FilesOnDisk
) -> Services:
    harness = late(lambda: entrance.harness)
    live = LiveSessions(harness)
    query = LiveOrStored(live, store, patience=_patience(settings.harness.url))

    async def close() -> None:
        await live.aclose()
        await entrance.aclose()
        await store.aclose()

    return Services(
        query=query,
        targets=live,
        harness=harness,
        delivery=_to_host(harness, store.root),
        files=files,
        store=str(store.root),
        changes=lambda: together(StoreWatch(store).changes, query.changes),
        warm=store.warm,
        context_window=query.latest_context_window,
        login=lambda link: entrance.login(link),
        start=lambda cwd: entrance.start(cwd),
        aclose=close,
    )


def _patience(named: str | None) -> float:
    """How long the first list waits for a host, whose sessions may not be in the store here."""
    if named is None:
        return 0.0
    from dsh_lsp.harness.wire.address import read_address

    return _NAMED_PATIENCE if read_address(named).is_loopback else _REMOTE_PATIENCE


def _with_embedded(
    settings: Settings, store: SessionStore, files: FilesOnDisk, root: Path
) -> Services:

    from dsh_lsp.harness.embedded.harness import EmbeddedHarness  # only this mode waits for it

    own = embedded_root(settings)
    if _overlap(own / "sessions", root):
        raise ConflictError(
            f"dsh.embedded.root ({own}) and the session store ({root}) overlap; give the embedded "
            "harness another folder, since nothing of ours may be written among your sessions"
        )
    recorded = _store_at(own / "sessions", settings.cache)
    harness = EmbeddedHarness(own, sources=(recorded, store), limits=_limits(settings.references))
    watches = (StoreWatch(recorded), StoreWatch(store))

    async def close() -> None:
        await _close(harness)
        await recorded.aclose()
        await store.aclose()

    return Services(
        query=MergedQuery(harness, recorded, store),
        targets=harness,
        harness=harness,
        delivery=_to_embedded(harness, own),
        files=files,
        store=str(root),
        changes=lambda: together(*(watch.changes for watch in watches)),
        warm=store.warm,  # its own sessions are few
        context_window=store.latest_context_window,
        aclose=close,
    )


def _to_host(harness: Harness, root: Path) -> Delivery:
    def build() -> Delivery:
        from dsh_lsp.app_delivery import to_host

        return to_host(harness, state_folder(), root)

    return late(build)


def _to_embedded(harness: Harness, home: Path) -> Delivery:
    def build() -> Delivery:
        from dsh_lsp.app_delivery import to_embedded

        return to_embedded(harness, home)

    return late(build)


def _overlap(one: Path, other: Path) -> bool:
    one, other = one.resolve(), other.resolve()
    return one.is_relative_to(other) or other.is_relative_to(one)


def _limits(references: ReferenceSettings) -> Limits:
    wanted = references.max_reference_bytes
    size = DEFAULT_BUDGET if wanted == "host" else wanted
    return Limits(references.max_references, size)


async def _close(harness: EmbeddedHarness) -> None:
    """Let turns that are about to end do so; the others end as interrupted."""
    with anyio.move_on_after(_FAREWELL_SECONDS):
        for entry in (await harness.list_sessions()).sessions:
            await harness.idle(entry.header.id)
    await harness.aclose()
