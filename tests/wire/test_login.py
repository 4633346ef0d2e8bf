"""Entering a host: links, the exchange, and what is kept of it."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from dsh_lsp.harness.port import HarnessError
from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.cookies import CookieStore, Login
from dsh_lsp.harness.wire.entrance import enter
from dsh_lsp.harness.wire.errors import (
    FenceError,
    GarbageError,
    HostError,
    LoginNeededError,
    NotAHostError,
)
from dsh_lsp.harness.wire.http import Transport
from dsh_lsp.harness.wire.login import exchange, read_link
from tests.support.fake_wires import COOKIE, TOKEN, FakeHost
from tests.support.scripted_host import GREETING, Script, response, scripted_host

pytestmark = pytest.mark.anyio


def kept(folder: Path) -> list[str]:
    """What the files of a folder hold."""
    return [file.read_text() for file in folder.iterdir()]


LINKS = [
    ("http://127.0.0.1:3080/?token=abc", "abc"),
    ("http://127.0.0.1:3080?token=a%2Bb", "a+b"),
    ("http://127.0.0.1:3080", None),
    ("http://127.0.0.1:3080/", None),
]


@pytest.mark.parametrize(("link", "token"), LINKS)
def test_links(link: str, token: str | None) -> None:
    address, read = read_link(link)
    assert (address.url, read) == ("http://127.0.0.1:3080", token)


WRONG_LINKS = [
    "http://127.0.0.1:3080/connect?token=secret",
    "http://127.0.0.1:3080/?token=secret&token=secret",
    "http://127.0.0.1:3080/?token=secret&x=1",
    "http://127.0.0.1:3080/?other=secret",
    "http://127.0.0.1:3080/?token=",
    "http://127.0.0.1:3080/?token=" + "secret" * 1000,
    "secret",
    "",
]


@pytest.mark.parametrize("link", WRONG_LINKS)
async def test_wrong_links_are_refused_and_never_repeated(link: str, tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="not the link that `dsh web` printed") as error:
        await enter(link, CookieStore(tmp_path / "logins"), named=None)
    assert "secret" not in str(error.value)
    assert kept(tmp_path) == []


async def exchanged(script: Script) -> Login:
    async with scripted_host(script) as host:
        transport = Transport(read_address(host.url))
        try:
            return await exchange(transport, "secret+/=", clock=lambda: 1000.0)
        finally:
            await transport.aclose()


async def test_the_exchange_takes_the_cookie_and_goes_nowhere() -> None:
    asked = []

    def script(each):
        asked.append(each)
        cookie = "dsh-auth-a_-9=v1.e30.x-_; Max-Age=60; Path=/; HttpOnly; SameSite=Strict"
        return response(303, location="http://elsewhere.example/", set_cookie=cookie)

    assert await exchanged(script) == Login("dsh-auth-a_-9=v1.e30.x-_", 1060.0)
    assert [each.target for each in asked] == ["/?token=secret%2B%2F%3D"]


async def test_the_life_of_a_login_is_bounded() -> None:
    endless = await exchanged(
        lambda _: response(303, set_cookie="dsh-auth-a=b; max-age=999999999999")
    )
    assert endless.expires_at < 1000 + 500 * 24 * 3600
    unsaid = await exchanged(lambda _: response(303, set_cookie="dsh-auth-a=b"))
    assert unsaid.expires_at > 1000


REFUSED = [
    (response(401, GREETING), LoginNeededError, "does not know this link"),
    (response(401, b"no"), NotAHostError, "takes no logins"),
    (response(403), FenceError, "--trusted-host"),
    (response(200, b"<html>"), NotAHostError, "takes no logins"),
    (response(303), GarbageError, "gave no login"),
    (response(303, set_cookie="session=1"), GarbageError, "gave no login"),
    (response(303, set_cookie="dsh-auth-a=b c"), GarbageError, "gave no login"),
    (response(303, set_cookie="dsh-auth-a=" + "b" * 5000), GarbageError, "gave no login"),
]


@pytest.mark.parametrize(("answer", "kind", "words"), REFUSED, ids=range(len(REFUSED)))
async def test_refused_exchanges(answer: bytes, kind: type[HostError], words: str) -> None:
    with pytest.raises(kind, match=words) as error:
        await exchanged(lambda _: answer)
    assert "secret" not in str(error.value)


def test_logins_belong_to_one_spelling_of_an_address(tmp_path: Path) -> None:
    store = CookieStore(tmp_path / "a" / "b", clock=lambda: 100.0)
    numbers, name = read_address("http://127.0.0.1:1"), read_address("http://localhost:1")
    assert store.get(numbers) is None
    store.put(numbers, Login("a=1", 200.0))
    store.put(name, Login("a=2", 300.0))
    store.put(numbers, Login("a=3", 250.0))
    assert (store.get(numbers), store.get(name)) == ("a=3", "a=2")
    assert store.get(read_address("https://127.0.0.1:1")) is None
    assert store.addresses() == ("http://localhost:1", "http://127.0.0.1:1")
    later = CookieStore(tmp_path / "a" / "b", clock=lambda: 260.0)
    assert later.get(numbers) is None
    assert later.addresses() == ("http://localhost:1",)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_reads_logins(tmp_path: Path) -> None:
    folder = tmp_path / "logins"
    CookieStore(folder).put(read_address("http://127.0.0.1:1"), Login("a=1", 1e12))
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


DAMAGED = [b"", b"{", b"[]", b"null", b'{"address": "http://127.0.0.1:1"}', b"[" * 10_000]


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_login_is_none(tmp_path: Path, content: bytes) -> None:
    store, address = CookieStore(tmp_path), read_address("http://127.0.0.1:1")
    store.put(address, Login("a=1", 1e12))
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert store.get(address) is None
    assert store.addresses() == ()


def test_a_login_of_another_address_does_not_count(tmp_path: Path) -> None:
    store, address = CookieStore(tmp_path), read_address("http://127.0.0.1:1")
    store.put(address, Login("a=1", 1e12))
    (file,) = tmp_path.iterdir()
    record = json.loads(file.read_bytes())
    file.write_text(json.dumps({**record, "address": "http://127.0.0.1:2"}))
    assert store.get(address) is None


@pytest.mark.parametrize("version", ["0.1.2", "0.1.5", "0.2.1"])
async def test_entering(tmp_path: Path, version: str) -> None:
    store = CookieStore(tmp_path)
    async with scripted_host(FakeHost(version)) as host:
        entered = await enter(f" {host.url}/?token={TOKEN}\n", store, named=None)
        assert (entered.name, entered.version) == (f"dsh web at {host.url}", version)
        assert store.get(read_address(host.url)) == COOKIE
        assert (await enter(host.url, store, named=None)).version == version
        with pytest.raises(LoginNeededError, match="each start prints another one"):
            await enter(f"{host.url}/?token=wrong", store, named=None)
        assert store.get(read_address(host.url)) == COOKIE  # a wrong link costs no login
    (content,) = kept(tmp_path)
    assert TOKEN not in content


async def test_an_older_host_needs_no_login(tmp_path: Path) -> None:
    store = CookieStore(tmp_path)
    async with scripted_host(FakeHost("0.1.0")) as host:
        assert (await enter(host.url, store, named=None)).version == "0.1.0 or 0.1.1"
    assert kept(tmp_path) == []


async def test_a_link_to_another_machine_is_not_followed(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"set dsh\.harness\.url"):
        await enter("http://192.0.2.1:1/?token=secret", CookieStore(tmp_path), named=None)
