"""A real Neovim with the plugin of this checkout, driven over RPC."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pynvim  # type: ignore[import-untyped]

from tests.support.no_host import NO_HOST

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "editors" / "neovim"
BIN = Path(sys.executable).parent
PATIENCE = 30.0
"""Seconds after which something awaited counts as missing; a busy machine may be slow."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class Editor:
    """One running Neovim."""

    nvim: pynvim.Nvim

    def lua(self, code: str, *arguments: Any) -> Any:
        """What Lua code returns; `...` are the arguments."""
        return self.nvim.exec_lua(code, *arguments)

    def type(self, keys: str) -> None:
        """Press keys as a user does; `<CR>` and the like name special ones."""
        self.nvim.input(keys)

    def open(self, path: Path) -> None:
        """Edit a file, and wait until the server is attached."""
        self.nvim.command(f"edit {self.nvim.funcs.fnameescape(str(path))}")
        self.attached()

    def attached(self) -> None:
        """Wait until the server is attached to the current buffer."""
        self.until(
            lambda: self.lua(
                "local c = vim.lsp.get_clients({ name = 'dsh', bufnr = 0 })[1]"
                " return c ~= nil and c.initialized"
            )
        )

    def lines(self) -> list[str]:
        """The current buffer."""
        return list(self.nvim.current.buffer[:])

    def rows(self) -> list[str]:
        """What the completion menu shows, empty while there is none."""
        menu = self.nvim.funcs.complete_info(["pum_visible", "items"])
        return [item["abbr"] for item in menu["items"]] if menu["pum_visible"] else []

    def screen(self) -> str:
        """The rendered screen."""
        return self.lua(  # type: ignore[no-any-return]
            "local rows = {}"
            " vim.cmd.redraw()"
            " for row = 1, vim.o.lines do"
            "   local cells = {}"
            "   for column = 1, vim.o.columns do"
            "     table.insert(cells, vim.fn.screenstring(row, column))"
            "   end"
            "   table.insert(rows, table.concat(cells))"
            " end"
            " return table.concat(rows, '\\n')"
        )

    def diagnostics(self) -> list[dict[str, Any]]:
        """What is marked in the current buffer."""
        return list(self.lua("return vim.diagnostic.get(0)"))

    def notices(self) -> list[str]:
        """What the plugin has told the user so far."""
        return list(self.lua("return _G.notices"))

    def noticed(self, part: str) -> str:
        """Wait for a notice that holds `part`."""
        return self.until(
            lambda: next((notice for notice in self.notices() if part in notice), None),
            lambda: f"notices: {self.notices()}",
        )

    def until(
        self, look: Callable[[], Found | None], about: Callable[[], str] = lambda: ""
    ) -> Found:
        """The first truthy thing that `look` finds; fails when there is none for long."""
        deadline = time.monotonic() + PATIENCE
        while not (found := look()):
            assert time.monotonic() < deadline, f"{about()}\n{self.screen()}"
            time.sleep(0.03)
        return found


@contextmanager
def neovim(folder: Path, options: Mapping[str, Any] | None, **variables: str) -> Iterator[Editor]:
    """A Neovim in `folder` with `vim.g.dsh` set to `options`, and nothing else of the user's.

    Without `options`, `vim.g.dsh` is not set.
    """
    config = folder / "init.lua"
    config.write_text(
        f"vim.opt.runtimepath:append({json.dumps(str(PLUGIN))})\n"
        f"{_setting(options)}"
        "vim.o.columns, vim.o.lines = 110, 40\n"
        "_G.notices = {}\n"
        "vim.notify = function(message) table.insert(_G.notices, message) end\n"
    )
    environment = {
        **NO_HOST,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
    }
    environment |= {
        f"XDG_{name}_HOME": str(folder) for name in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    command = [
        "env",
        "-i",
        *(f"{name}={value}" for name, value in (environment | variables).items()),
    ]
    command += [str(BIN / "nvim"), "--embed", "--headless", "--clean", "-n", "-u", str(config)]
    nvim = pynvim.attach("child", argv=command)
    try:
        nvim.command(f"cd {folder}")
        yield Editor(nvim)
    finally:
        with suppress(OSError, EOFError):
            nvim.command("qall!")
        nvim.close()


def _setting(options: Mapping[str, Any] | None) -> str:
    if options is None:
        return ""
    return f"vim.g.dsh = vim.json.decode({json.dumps(json.dumps(options))})\n"
