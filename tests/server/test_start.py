"""What a start loads: each import behind the first completion's own would delay it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOADED = """
import sys
from dsh_lsp.cli.parser import build_parser, wanted
build_parser(wanted(["serve"])).parse_args(["serve"])
import dsh_lsp.server.run
answering = set(sys.modules)
import dsh_lsp.server.serving, dsh_lsp.server.requests.completion
from dsh_lsp.app import connect
from dsh_lsp.settings import Settings
connect(Settings(), {})
print(*answering, sep=",")
print(*sys.modules, sep=",")
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], set[str]]:
    """The modules that are there when `initialize` is answered, and for the first completion."""
    home = str(tmp_path_factory.mktemp("home"))
    environ = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home, "XDG_STATE_HOME": home}
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        env=environ,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    answering, completing = (set(line.split(",")) for line in done.stdout.splitlines())
    return answering, completing


def test_initialize_waits_for_none_of_the_slow_imports(loaded: tuple[set[str], set[str]]) -> None:
    answering, _ = loaded
    assert "dsh_lsp.server.capabilities" in answering
    for slow in ("asyncio", "lsprotocol.types", "pygls", "anyio", "orjson", "sqlite3"):
        assert slow not in answering


def test_the_first_completion_waits_for_no_other_feature(
    loaded: tuple[set[str], set[str]],
) -> None:
    _, completing = loaded
    assert "dsh_lsp.sessions.store" in completing
    features = ("checks", "hover", "commands", "preparing", "sending", "actions")
    others = {f"dsh_lsp.server.{name}" for name in features}
    others |= {"dsh_lsp.core.prepare", "dsh_lsp.core.log.replay", "dsh_lsp.app_delivery"}
    others |= {"dsh_lsp.app_host", "dsh_lsp.cli.check", "httpx", "watchfiles", "pathspec", "yaml"}
    assert completing & others == set()
