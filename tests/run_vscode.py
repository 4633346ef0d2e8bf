"""Run the VS Code extension in a real VS Code. Needs `chromium` and a C++ compiler (Debian).

python tests/run_vscode.py
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support import node_project  # noqa: E402
from tests.support.desk import Desk  # noqa: E402

EXTENSION = ROOT / "editors" / "vscode"
HOST = ROOT / "tests" / "editors" / "vscode_host"
VSCODE = HOST / "node_modules" / "code-server" / "lib" / "vscode"
NO_GALLERY = json.dumps({"serviceUrl": "", "itemUrl": "", "resourceUrlTemplate": ""})
PATIENCE = 60.0
"""Seconds until VS Code's server must answer."""


def install() -> None:
    """Everything from npm: the extension's tools, VS Code's server with its native modules."""
    node_project.install(EXTENSION)
    node_project.install(HOST)
    if (VSCODE / "node_modules" / ".built").exists():
        return
    npm = str(node_project.NPM_CLI)
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund")
    headers = {"npm_config_nodedir": str(node_project.NODE_HOME)}
    node_project.run(VSCODE, npm, "install", "--omit=dev", *quiet)
    node_project.run(
        VSCODE, npm, "rebuild", "@vscode/spdlog", "@vscode/native-watchdog", environment=headers
    )
    node_project.run(VSCODE / "extensions", npm, "install", "--omit=dev", *quiet)
    (VSCODE / "node_modules" / ".built").touch()


@contextmanager
def vscode(data: Path, environment: dict[str, str]) -> Iterator[str]:
    """VS Code's server with all its state below `data`; gives its origin."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        *(str(node_project.NODE), str(VSCODE / "out" / "server-main.js")),
        *("--host", "127.0.0.1", "--port", str(port), "--without-connection-token"),
        *("--accept-server-license-terms", "--telemetry-level", "off"),
        *("--server-data-dir", str(data), "--user-data-dir", str(data / "data")),
        *("--extensions-dir", str(data / "ext"), "--enable-smoke-test-driver"),
    ]
    with (data / "server.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        origin = f"http://127.0.0.1:{port}"
        _await(origin, data / "server.log")
        yield origin
    finally:
        server.terminate()
        server.wait(30)


def _await(origin: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"{origin}/version", timeout=5):
                return
        except OSError:
            if time.monotonic() > deadline:
                sys.exit(f"VS Code's server does not answer:\n{log.read_text()}")
            time.sleep(0.2)


def flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Settings as VS Code keeps them: one key with dots for each."""
    if not isinstance(value, dict):
        yield path, value
        return
    for key, inner in value.items():
        yield from flat(f"{path}.{key}", inner)


def run(folder: Path, chromium: str) -> dict[str, str | None]:
    """The outcome of each test: None, or what failed."""
    desk = Desk(folder / "project", folder / "home", folder / "embedded")
    desk.project.mkdir()
    for name in ("ask.dsh.md", "notes.md"):
        (desk.project / name).touch()
    uri = desk.remember(
        "session-login", "Fix the login", "Why does the login fail?", "The cookie is dropped."
    )
    data = folder / "vscode"
    settings = {
        "security.workspace.trust.enabled": False,
        "remote.autoForwardPorts": False,
        "dsh.server.command": str(Path(sys.executable).with_name("dsh-lsp")),
        **dict(flat("dsh", desk.settings)),
    }
    for place in ("User", "Machine"):
        (data / "data" / place).mkdir(parents=True)
        (data / "data" / place / "settings.json").write_text(json.dumps(settings))
    results = folder / "results.json"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "EXTENSIONS_GALLERY": NO_GALLERY,
        "DSH_RESULTS": str(results),
        "DSH_MENTION": f"@[Fix the login]({uri})",
        "DSH_EMBEDDED": str(desk.embedded),
    }
    with vscode(data, environment) as origin:
        driver = [
            *(str(node_project.NODE), "driver.mjs", chromium, origin, str(desk.project)),
            *(str(EXTENSION), str(EXTENSION / "test" / "suite.cjs")),
        ]
        said = subprocess.run(driver, cwd=HOST, check=False, timeout=300)
        if not results.exists():
            sys.exit(f"the tests did not run; the driver ended with {said.returncode}")
    outcome: dict[str, str | None] = json.loads(results.read_text())
    return outcome


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is missing: apt-get install chromium")
    install()
    node_project.script(EXTENSION, "bundle")
    with tempfile.TemporaryDirectory(prefix="dsh-vscode-") as folder:
        outcome = run(Path(folder), chromium)
    failed = {name: reason for name, reason in outcome.items() if reason}
    for name, reason in failed.items():
        print(f"{name}\n{reason}\n")
    print(f"{len(outcome) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed or not outcome else 0)


if __name__ == "__main__":
    main()
