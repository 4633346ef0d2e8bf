"""Take the pictures of the documentation: a real Neovim and the real demo, on the demo's sessions.

python tests/pictures.py [FOLDER]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from dsh_lsp.core.mentions import format_mention  # noqa: E402
from dsh_lsp.demo.samples import PRINTING, SAMPLES  # noqa: E402
from dsh_lsp.demo.store import write_store, write_workspace  # noqa: E402
from tests.support.grid import attach, update  # noqa: E402
from tests.support.grid_svg import picture  # noqa: E402
from tests.support.neovim import Editor, neovim  # noqa: E402

COLUMNS = 100
HOME = Path(tempfile.gettempdir()) / "ebb-demo"
"""Stands for a user's home folder. A fixed name, since messages about the store name it."""
ELSEWHERE = Path("/projects")
"""Where the other projects' sessions say that they worked; sessions only name it."""

CONFIGURATION = """
vim.o.background = 'dark'
vim.o.winborder = 'rounded'
vim.o.number, vim.o.numberwidth, vim.o.signcolumn = true, 3, 'yes'
vim.o.laststatus, vim.o.ruler, vim.o.showmode, vim.o.showcmd = 0, false, false, false
vim.o.fillchars = 'eob: '
vim.o.wrap = false
vim.o.cmdheight = 0
vim.g.terminal_color_5 = '#c79bda'
vim.opt.shortmess:append('cFIW')
local function wrapped(diagnostic)
  local lines, line = {}, ''
  for word in diagnostic.message:gmatch('%S+') do
    if #line + #word > 76 then
      table.insert(lines, line)
      line = word
    else
      line = line == '' and word or line .. ' ' .. word
    end
  end
  return table.concat(vim.list_extend(lines, { line }), '\\n')
end
vim.diagnostic.config({ virtual_lines = { format = wrapped }, severity_sort = true })
"""
"""What the pictures' user has set; no plugin but this project's."""

START = "# Year view 年视图\n\n年视图要和月视图一样流畅。Read these discussions first:\n\n"


@dataclass(frozen=True)
class Scene:
    """One picture: `play` brings an editor with the prompt there.

    `about` is read to those who do not see it; `lines` is the height of the screen.
    """

    name: str
    title: str
    about: str
    lines: int
    prompt: str
    play: Callable[[Editor], None]


def completion(ids: Mapping[str, str]) -> Scene:
    """The list behind `@`."""

    def play(editor: Editor) -> None:
        editor.type("GA@")
        editor.until(lambda: len(editor.rows()) > 5)
        editor.type("<Down>" * 8)

    return Scene(
        "completion",
        "ask.dsh.md – Neovim",
        (
            "A prompt in English and Chinese in Neovim. Behind an @ the menu lists folders, files "
            "and past sessions with their ages; a session with a Chinese title is chosen."
        ),
        17,
        f"{START}- {format_mention(ids['rendering'], 'Month view stutters on old phones')}\n"
        "- 夏令时请参考",
        play,
    )


def diagnostics(ids: Mapping[str, str]) -> Scene:
    """What can be wrong with a prompt."""
    constituents = format_mention(ids["constituents"], "Which tidal constituents to keep")
    lines = [
        "---",
        "dsh:",
        f"  session: {ids['time-zones']}",
        "---",
        f"{START}- {format_mention(ids['rendering'], 'Month view')}",
        f"- {format_mention(ids['gauge'], 'Brest gauge, three years month by month')}",
        f"- {format_mention(ids['time-zones'], '潮汐表的时区与夏令时')}",
        f"- {format_mention('session-sample-clock', 'Tide clock')}",
        f"- {constituents[:-1]}=)",
        f"- {format_mention(ids['port-names'], 'port name checker')}",
        "",
        "Begin in @ebb/predct.py.",
    ]

    def play(editor: Editor) -> None:
        editor.until(lambda: len(editor.diagnostics()) > 5)
        editor.type("5G")

    return Scene(
        "diagnostics",
        "ask.dsh.md – Neovim",
        (
            "A prompt in Neovim with a message under each faulty mention: an outdated label, a "
            "shortened snapshot, the session itself, an unknown session, a malformed URI, one "
            "session too many, and a file that does not exist."
        ),
        30,
        "\n".join(lines),
        play,
    )


def hover(ids: Mapping[str, str]) -> Scene:
    """What the model will see of a session."""

    def play(editor: Editor) -> None:
        editor.lua("vim.diagnostic.config({ virtual_lines = false })")
        editor.type("GfB")
        editor.lua("vim.lsp.buf.hover({ max_height = 23, max_width = 92 })")
        editor.until(lambda: len(editor.nvim.windows) > 1)

    return Scene(
        "hover",
        "ask.dsh.md – Neovim",
        (
            "A window over a mention in Neovim: the session, a bar that says 96 % of its budget, "
            "30 of 72 messages kept, and the first messages that the model will see."
        ),
        30,
        f"{START}- {format_mention(ids['gauge'], 'Brest gauge, three years month by month')}",
        play,
    )


def demo(_ids: Mapping[str, str]) -> Scene:
    """The end of the demo, in Neovim's terminal."""

    def play(editor: Editor) -> None:
        editor.lua("vim.o.number, vim.o.signcolumn = false, 'no'")
        editor.nvim.command("terminal dsh-lsp demo")
        editor.until(lambda: any("[Process exited 0]" in line for line in editor.lines()))
        editor.lua("vim.fn.search('^8 ')")
        editor.type("ztGk")

    return Scene(
        "demo",
        "dsh-lsp demo",
        (
            "The end of the demo in a terminal: the prompt is accepted, and the log read back from "
            "disk holds the message and the frozen snapshot of three sessions."
        ),
        30,
        "",
        play,
    )


SCENES = (completion, diagnostics, hover, demo)


@contextmanager
def sample_home() -> Iterator[Mapping[str, str]]:
    """`HOME` with the demo's workspace and sessions, whose ids it gives by their keys."""
    try:
        HOME.mkdir()
    except FileExistsError:
        raise SystemExit(f"{HOME} is there already: remove it") from None
    try:
        write_workspace(HOME / "ebb")
        store, now = HOME / ".dsh" / "sessions", time.time_ns() // 1_000_000
        here = [each for each in SAMPLES if each.folder == "ebb" and each is not PRINTING]
        elsewhere = [each for each in SAMPLES if each.folder != "ebb"]
        ids = write_store(store, HOME, here, now=now)
        yield {**ids, **write_store(store, ELSEWHERE, elsewhere, now=now)}
    finally:
        shutil.rmtree(HOME, ignore_errors=True)


def take(scene: Scene) -> str:
    """The picture of a scene."""
    settings = {"references": {"maxReferenceBytes": 4096}, "cache": {"enabled": False}}
    (HOME / "ebb" / "ask.dsh.md").write_text(scene.prompt, "utf-8")
    with neovim(HOME, {"settings": settings}) as editor:
        grid = attach(editor.nvim, COLUMNS, scene.lines)
        editor.lua(CONFIGURATION)
        editor.nvim.command("cd ebb")
        editor.open(Path("ask.dsh.md"))
        scene.play(editor)
        update(grid, editor.nvim)
        return picture(grid, scene.title, scene.about)


def main() -> None:
    """Write every picture into the folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    with sample_home() as ids:
        for scene in (make(ids) for make in SCENES):
            path = folder / f"{scene.name}.svg"
            path.write_text(take(scene), "utf-8")
            print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
