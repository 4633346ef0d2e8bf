"""Which folder a document belongs to, with any number of them."""

from __future__ import annotations

import pytest

from dsh_lsp.server.folders import Folders

SEVERAL = Folders(("/w", "/w/inner", "/other"))


@pytest.mark.parametrize(
    ("folders", "uri", "home"),
    [
        (SEVERAL, "file:///w/a.md", "/w"),
        (SEVERAL, "file:///w/inner/deep/a.md", "/w/inner"),
        (SEVERAL, "file:///w/inner2/a.md", "/w"),
        (SEVERAL, "file:///other/a%20b.md", "/other"),
        (SEVERAL, "file:///elsewhere/a.md", "/w"),
        (SEVERAL, "untitled:Untitled-1", "/w"),
        (Folders(), "file:///home/me/a.md", "/home/me"),
        (Folders(), "untitled:Untitled-1", None),
        (Folders(), "not a uri", None),
        (Folders(), "file://[::1/a.md", None),
        (SEVERAL, "vscode-remote://[bad/a.md", "/w"),
    ],
)
def test_the_folder_of_a_document(folders: Folders, uri: str, home: str | None) -> None:
    assert folders.home_of(uri) == home


def test_folders_come_and_go() -> None:
    folders = SEVERAL.changed(["file:///new%20one", "file:///w", "untitled:x"], ["file:///other"])
    assert folders.paths == ("/w", "/w/inner", "/new one")
    assert folders.changed(["file://[::1"], ["http://["]) == folders
