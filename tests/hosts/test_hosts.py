"""The fixtures themselves: a host comes up, answers, ends and comes back."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.hosts import Host
from tests.support.hosts_logs import await_turn, entry, eventually, lines_of, log_path, records
from tests.support.hosts_releases import Release, Wire
from tests.support.hosts_wire import HostCaller


def test_a_prompt_is_answered_by_the_mock(host: Host, caller: HostCaller) -> None:
    session = caller.create()
    request = caller.prompt(session, "Good morning")
    assert await_turn(host, session, request) == {"kind": "completed"}
    message = entry(records(host, session), request)
    assert message is not None
    assert message["data"]["content"] == [{"type": "text", "text": "Good morning"}]
    assert "Echo: Good morning" in str(records(host, session))


def test_the_link_lets_in_and_nothing_else_does(host: Host, caller: HostCaller) -> None:
    assert (host.token is None) == (host.wire is Wire.A)
    assert host.link.startswith("http://127.0.0.1:")
    assert isinstance(caller.list_sessions(), dict)


def test_the_log_has_the_format_of_the_release(host: Host, caller: HostCaller) -> None:
    session = caller.create()
    path = eventually(lambda: log_path(host, session), "the log of a new session")
    header, *_ = lines_of(path)
    assert header["version"] == host.release.log_format
    assert header["cwd"] == str(host.cwd)


def test_a_host_ends_and_comes_back_on_its_port(
    release: Release, start_host: Callable[..., Host]
) -> None:
    host = start_host(release)
    caller = HostCaller(host)
    session = caller.create()
    await_turn(host, session, caller.prompt(session, "One"))
    port, token = host.port, host.token
    host.crash()
    host.start()
    assert host.port == port
    assert release.wire is Wire.A or host.token != token
    assert session in caller.list_sessions()
    host.restart()
    await_turn(host, session, caller.prompt(session, "Two"))
    assert host.port == port
