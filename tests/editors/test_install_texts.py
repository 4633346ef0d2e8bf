"""What the editors' texts say about getting the server."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = [
    *(ROOT / "docs" / "editors").glob("*.md"),
    *(ROOT / "editors" / "neovim").rglob("*.*"),
    *(ROOT / "editors" / "vscode" / "src").rglob("*.ts"),
    ROOT / "editors" / "vscode" / "README.md",
    ROOT / "editors" / "vscode" / "package.json",
]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_sends_people_to_a_package_index(path: Path) -> None:
    """The package is not published: that name would give an error, or a stranger's program."""
    text = path.read_text(encoding="utf-8")
    assert "pip install dsh-lsp" not in text
    assert "pipx install dsh-lsp" not in text


@pytest.mark.parametrize("name", ["neovim.md", "vscode.md", "others.md"])
def test_each_guide_tells_how_it_is_installed(name: str) -> None:
    text = (ROOT / "docs" / "editors" / name).read_text(encoding="utf-8")
    assert "pipx install /path/to/dsh-lsp" in text
    assert "bin/pip install /path/to/dsh-lsp" in text


def test_the_first_page_installs_where_pip_may_not_write() -> None:
    """Debian and Ubuntu refuse `pip install` outside a virtual environment (PEP 668)."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert "pipx install ." in lines
    assert "python3 -m venv ~/.local/share/dsh-lsp" in lines
    assert not [line for line in lines if line.startswith(("pip install", "pip3 install"))]
