"""Which folder of the workspace a document belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from pygls.uris import to_fs_path, uri_scheme


def path_of(uri: str) -> str | None:
    """The path that a `file:` URI names; None for any other scheme, and for what is no URI."""
    try:
        return to_fs_path(uri) if uri_scheme(uri) == "file" else None
    except ValueError:  # such as `//[`, which begins an IPv6 address that never ends
        return None


@dataclass(frozen=True, slots=True)
class Folders:
    """The open folders of an editor, as absolute paths in the editor's order."""

    paths: tuple[str, ...] = ()

    def changed(self, added: Iterable[str], removed: Iterable[str]) -> Folders:
        """The folders after some came and some went; both are URIs."""
        gone = {path_of(uri) for uri in removed}
        kept = [path for path in self.paths if path not in gone]
        new = [path for uri in added if (path := path_of(uri)) and path not in kept]
        return Folders((*kept, *new))

    def home_of(self, uri: str) -> str | None:
        """The deepest folder that holds a document, else the first one, else its own directory.

        None for a document that lies nowhere while no folder is open.
        """
        path = path_of(uri)
        holding = [folder for folder in self.paths if path and _is_below(path, folder)]
        if holding:
            return max(holding, key=len)
        if self.paths:
            return self.paths[0]
        return str(PurePath(path).parent) if path else None


def _is_below(path: str, folder: str) -> bool:
    return PurePath(path).is_relative_to(PurePath(folder))
