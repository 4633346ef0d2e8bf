"""Which addresses are read, and which are of this machine."""

from __future__ import annotations

import pytest

from dsh_lsp.harness.wire.address import read_address
from dsh_lsp.harness.wire.discover import places, require_named
from dsh_lsp.harness.wire.errors import ForeignAddressError

READ = [
    ("http://127.0.0.1:3080", "http://127.0.0.1:3080", True),
    ("http://127.9.9.9:1/", "http://127.9.9.9:1", True),
    ("http://localhost:3080/?token=x", "http://localhost:3080", True),
    ("http://LocalHost:3080", "http://localhost:3080", True),
    ("http://[::1]:3080/a/b", "http://[::1]:3080", True),
    ("https://box.example:8443", "https://box.example:8443", False),
    ("http://10.0.0.1", "http://10.0.0.1", False),
    ("http://0.0.0.0:3080", "http://0.0.0.0:3080", False),
    ("http://localhost.example:3080", "http://localhost.example:3080", False),
    ("http://127.0.0.1.example:3080", "http://127.0.0.1.example:3080", False),
]


@pytest.mark.parametrize(("url", "address", "is_loopback"), READ)
def test_addresses(url: str, address: str, is_loopback: bool) -> None:
    read = read_address(url)
    assert (read.url, read.is_loopback) == (address, is_loopback)


WRONG = [
    *("", "127.0.0.1:3080", "ftp://127.0.0.1", "http://", "http://:3080", "http://a:0"),
    *("http://a:99999", "http://a:b", "http://user:pw@127.0.0.1:1", "http://[::1", "http://a b"),
    *("http://ex\u00e4mple:1", "http://" + "a" * 400, "http://a\x00b"),
]


@pytest.mark.parametrize("url", WRONG)
def test_what_is_no_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="the address") as error:
        read_address(url)
    assert "pw" not in str(error.value)


def urls(**more: object) -> list[str]:
    known: dict[str, object] = {"named": None, "environment": None, "started": (), "entered": ()}
    return [place.address.url for place in places(**{**known, **more})]  # type: ignore[arg-type]


def test_the_default_port_is_tried_last_and_each_address_once() -> None:
    assert urls() == ["http://127.0.0.1:3080"]
    found = urls(
        started=("http://127.0.0.1:5",), entered=("http://127.0.0.1:6", "http://127.0.0.1:5")
    )
    assert found == ["http://127.0.0.1:5", "http://127.0.0.1:6", "http://127.0.0.1:3080"]


def test_a_named_host_is_the_only_one() -> None:
    assert urls(named="http://box:1", environment="http://127.0.0.1:2") == ["http://box:1"]
    assert urls(environment="http://127.0.0.1:2", started=("http://127.0.0.1:5",)) == [
        "http://127.0.0.1:2"
    ]
    assert urls(environment="") == ["http://127.0.0.1:3080"]


def test_only_a_setting_may_name_another_machine() -> None:
    assert urls(entered=("http://10.0.0.1:1", "nonsense")) == ["http://127.0.0.1:3080"]
    with pytest.raises(ForeignAddressError, match=r"set dsh\.harness\.url"):
        urls(environment="http://10.0.0.1:1")
    with pytest.raises(ForeignAddressError, match="DSH_WEB_URL"):
        urls(environment="nonsense")
    box = read_address("http://10.0.0.1:1")
    require_named(box, "http://10.0.0.1:1")
    require_named(read_address("http://localhost:1"), None)
    for named in (None, "http://10.0.0.1:2", "https://10.0.0.1:1"):
        with pytest.raises(ForeignAddressError, match="not on this machine"):
            require_named(box, named)
