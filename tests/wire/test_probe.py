"""Which wire a host speaks is found out by asking, and what is no host is told from one."""

from __future__ import annotations

import pytest

from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.api_proxy import ApiProxy
from dsh_lsp.harness.wire.envelope import Caller
from dsh_lsp.harness.wire.errors import FenceError, LoginNeededError, NotAHostError
from dsh_lsp.harness.wire.http import Transport
from dsh_lsp.harness.wire.probe import probe
from dsh_lsp.harness.wire.remote import Remote
from dsh_lsp.harness.wire.wire import Wire
from tests.support.fake_wires import COOKIE, FakeHost
from tests.support.scripted_host import (
    GREETING,
    Asked,
    Script,
    refused,
    response,
    scripted_host,
    value,
)

pytestmark = pytest.mark.anyio


async def probed(script: Script, cookie: str | None = COOKIE) -> tuple[Wire, list[str]]:
    async with scripted_host(script) as host:
        caller = Caller(Transport(read_address(host.url)), cookie)
        try:
            return await probe(caller), host.names
        finally:
            await caller.aclose()


VERSIONS = [
    ("0.1.0", None, ApiProxy, "0.1.0 or 0.1.1", 0),
    ("0.1.2", None, Remote, "0.1.2", 0),
    ("0.1.5", None, Remote, "0.1.5", 3),
    ("0.2.1", None, Remote, "0.2.1", 4),
    ("0.2.1", "0.2.0-rc.4", Remote, "0.2.0-rc.4", 4),
    ("0.2.1", "0.2.1-rc.2", Remote, "0.2.1-rc.2", 4),
    ("0.2.1", "0.2.1", Remote, "0.2.1", 4),
    ("0.2.1", "0.2.2", Remote, "0.2.2 (newer than 0.2.1", 4),
    ("0.2.1", "0.10.0-rc.1", Remote, "0.10.0-rc.1 (newer than 0.2.1", 4),
    ("0.2.1", "1.0.0", Remote, "1.0.0 (newer than 0.2.1", 4),
]


@pytest.mark.parametrize(("version", "release", "kind", "shown", "log_format"), VERSIONS)
async def test_versions(
    version: str, release: str | None, kind: type, shown: str, log_format: int
) -> None:
    wire, names = await probed(FakeHost(version, release=release))
    assert type(wire) is kind
    assert wire.version.startswith(shown)
    assert wire.log_format == log_format
    assert not {"session/create", "session.create", "session/list"} & set(names)


async def test_a_newer_host_that_refuses_the_question_is_recognised_too() -> None:
    host = FakeHost("0.2.1")
    host.answers["session/projections"] = lambda asked: refused(asked, "gateway/input-invalid")
    wire, _ = await probed(host)
    assert wire.log_format == 4


async def test_a_stranger_is_told_to_log_in() -> None:
    with pytest.raises(LoginNeededError, match="wants a login"):
        await probed(FakeHost("0.2.1"), None)
    with pytest.raises(LoginNeededError, match="no longer accepts"):
        await probed(FakeHost("0.2.1"), "dsh-auth-old=x")


async def test_the_fence_is_explained() -> None:
    with pytest.raises(FenceError, match="--trusted-host"):
        await probed(lambda _: response(403, b"forbidden"))


OTHERS = [
    pytest.param(lambda _: response(401, b"who are you?"), id="another login"),
    pytest.param(lambda _: response(404, b"<html>"), id="nothing there"),
    pytest.param(lambda _: response(200, b"<html>"), id="always a page"),
    pytest.param(lambda _: response(200, b"{}"), id="always an object"),
    pytest.param(lambda _: response(302, location="/login"), id="always a redirect"),
    pytest.param(lambda asked: value(asked, {}), id="an envelope without a description"),
    pytest.param(lambda asked: value(asked, None), id="an envelope without anything"),
]


@pytest.mark.parametrize("script", OTHERS)
async def test_other_programs_are_no_hosts(script: Script) -> None:
    with pytest.raises(NotAHostError, match="is not a DeepSeek Harness"):
        await probed(script)


async def test_a_page_that_shows_markup_as_version_is_shown_escaped() -> None:
    wire, _ = await probed(FakeHost("0.2.1", release="9.9.9\x1b[31m"))
    assert "\x1b" not in wire.version


async def test_the_greeting_is_only_trusted_with_its_status() -> None:
    def script(asked: Asked) -> bytes:
        return response(401, b"unauthorized") if asked.method == "POST" else response(401, GREETING)

    with pytest.raises(LoginNeededError):
        await probed(script)
