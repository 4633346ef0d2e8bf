"""Building the parts for one set of settings."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path

import pytest

from dsh_lsp.app import ConflictError, cache_folder, connect, embedded_root, harness_home
from dsh_lsp.demo.samples import SAMPLES
from dsh_lsp.demo.store import write_store
from dsh_lsp.harness.port import HarnessError, Mode, NoHarnessError, Outgoing
from dsh_lsp.sessions.index import Kind
from dsh_lsp.sessions.query import TitlesAtHand
from dsh_lsp.settings import Settings, read_settings
from tests.support.no_host import NO_HOST

pytestmark = pytest.mark.anyio

NOW = 1_790_000_000_000


@pytest.fixture
def anyio_backend():
    return "asyncio"


def settings_of(**section: object) -> Settings:
    settings, faults = read_settings(section)
    assert faults == ()
    return settings


HOMES = [
    ({"home": "/a"}, {"DSH_HOME": "/b"}, "/a"),
    ({}, {"DSH_HOME": "/b"}, "/b"),
    ({}, {"DSH_HOME": "~/b"}, "/home/kim/b"),
    ({}, {"DSH_HOME": ""}, "/home/kim/.dsh"),
    ({}, {}, "/home/kim/.dsh"),
]


@pytest.mark.parametrize(("section", "environ", "expected"), HOMES)
def test_the_harness_home(monkeypatch, section, environ, expected):
    monkeypatch.setenv("HOME", "/home/kim")
    assert harness_home(settings_of(**section), environ) == Path(expected)


def test_the_home_of_the_embedded_harness(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert embedded_root(settings_of(embedded={"root": "/x"})) == Path("/x")
    assert embedded_root(settings_of()).parts[-2:] == ("dsh-lsp", "embedded")


@pytest.mark.parametrize(
    ("mode", "reason"),
    [("off", "switched off"), ("auto", "No harness"), ("http", "harness.url is not set")],
)
async def test_modes_without_a_harness_refuse_with_the_reason(tmp_path, mode, reason):
    services = connect(settings_of(home=str(tmp_path), harness={"mode": mode}), NO_HOST)
    outgoing = Outgoing("r", "s", "text", Mode.QUEUE)
    for call in (
        services.harness.describe(),
        services.harness.create_session(None),
        services.harness.send(outgoing),
        services.harness.receipt("s", "r"),
    ):
        with pytest.raises(NoHarnessError, match=reason) as refusal:
            await call
        assert "\n" not in str(refusal.value)
        assert len(str(refusal.value)) < 120
    await services.aclose()


@pytest.mark.parametrize("mode", ["off", "auto", "http", "embedded"])
async def test_reading_creates_nothing(tmp_path, mode):
    settings = settings_of(
        home=str(tmp_path / "home"),
        harness={"mode": mode},
        embedded={"root": str(tmp_path / "embedded")},
    )
    services = connect(settings, NO_HOST)
    assert (await services.query.list_sessions()).sessions == ()
    assert await services.context_window() is None
    await services.aclose()
    assert list(tmp_path.iterdir()) == []


async def test_embedded_sessions_and_stored_ones_are_read_as_one(tmp_path):
    home, root = tmp_path / "home", tmp_path / "embedded"
    ids = write_store(home / "sessions", tmp_path, SAMPLES[:2], now=NOW)
    settings = settings_of(
        home=str(home), harness={"mode": "embedded"}, embedded={"root": str(root)}
    )
    services = connect(settings, {})
    new = await services.harness.create_session(str(tmp_path))
    listed = {entry.header.id for entry in (await services.query.list_sessions()).sessions}
    assert listed == {new, *ids.values()}
    assert await services.harness.has_session(new)
    assert not await services.harness.has_session(ids["rendering"])  # only its own are targets
    await services.aclose()
    with pytest.raises(HarnessError, match="closed"):
        await services.harness.create_session(None)
    reopened = connect(settings, {})
    assert await reopened.harness.has_session(new)
    await reopened.aclose()


async def test_changes_of_both_stores_are_one_stream(tmp_path):
    settings = settings_of(
        home=str(tmp_path / "home"),
        harness={"mode": "embedded"},
        embedded={"root": str(tmp_path / "embedded")},
    )
    services = connect(settings, {})
    assert services.changes is not None
    stream = services.changes()
    first = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.3)
    await services.harness.create_session(None)
    assert await asyncio.wait_for(first, 20)
    second = asyncio.ensure_future(anext(stream))
    write_store(tmp_path / "home" / "sessions", tmp_path, SAMPLES[:1], now=NOW)
    assert await asyncio.wait_for(second, 20)
    await stream.aclose()  # type: ignore[attr-defined]
    await services.aclose()


@pytest.mark.parametrize("root", ["", "sessions", "sessions/deep", "link"])
def test_the_embedded_harness_never_writes_among_the_users_sessions(tmp_path, root):
    (tmp_path / "sessions").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    settings = settings_of(
        home=str(tmp_path),
        harness={"mode": "embedded"},
        embedded={"root": str(tmp_path / root)},
    )
    with pytest.raises(ConflictError, match="another folder"):
        connect(settings, {})


async def read_all_titles(settings: Settings) -> None:
    services = connect(settings, NO_HOST)
    ids = [entry.header.id for entry in (await services.query.list_sessions()).sessions]
    assert len(await services.query.read_titles(ids)) == len(ids) > 0
    await services.aclose()


@pytest.mark.parametrize("mode", ["off", "auto", "embedded"])
@pytest.mark.parametrize(
    ("cache", "kinds"),
    [({}, {Kind.HEADER, Kind.NAMES}), ({"text": False}, {Kind.HEADER}), ({"enabled": False}, None)],
)
async def test_what_was_read_is_kept_in_the_cache_folder(tmp_path, monkeypatch, mode, cache, kinds):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home, root = tmp_path / "home", tmp_path / "embedded"
    write_store(home / "sessions", tmp_path, SAMPLES[:2], now=NOW)
    settings = settings_of(
        home=str(home), harness={"mode": mode}, embedded={"root": str(root)}, cache=cache
    )
    await read_all_titles(settings)
    files = list((tmp_path / "cache").rglob("*.sqlite3"))
    assert len(files) == (0 if kinds is None else 1)
    for file in files:
        assert file.is_relative_to(cache_folder())
        with contextlib.closing(sqlite3.connect(file)) as index:
            assert {kind for (kind,) in index.execute("SELECT kind FROM kept")} == kinds


async def test_a_cache_folder_that_cannot_be_used_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("a file is here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = tmp_path / "home"
    write_store(home / "sessions", tmp_path, SAMPLES[:2], now=NOW)
    await read_all_titles(settings_of(home=str(home), harness={"mode": "off"}))
    assert (tmp_path / "cache").read_text() == "a file is here"


async def test_titles_are_read_ahead(tmp_path):
    home = tmp_path / "home"
    ids = list(write_store(home / "sessions", tmp_path, SAMPLES[:2], now=NOW).values())
    services = connect(settings_of(home=str(home), cache={"enabled": False}), NO_HOST)
    assert isinstance(services.query, TitlesAtHand)
    await services.query.list_sessions()
    assert not (await services.query.known_titles(ids)).complete
    told: list[tuple[int, int]] = []
    await services.warm(lambda *step: told.append(step), cwd=str(tmp_path))
    assert (await services.query.known_titles(ids)).complete
    assert told[-1] == (2, 2)
    await services.aclose()
