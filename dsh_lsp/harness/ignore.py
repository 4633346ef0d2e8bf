"""Which files of a folder ignore files leave out, as git applies them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".ignore")
"""Read in every folder; a rule of the later one wins."""

MAX_IGNORE_BYTES = 1 << 20
"""Bytes read of one ignore file; a larger one is no ignore file that somebody wrote."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that hold in one folder: its own, then those of the folders above it.

    `prefix` is the path, with a final `/`, from the folder that brought `spec` to the folder that
    these rules are asked about.
    """

    spec: GitIgnoreSpec
    prefix: str = ""
    above: Rules | None = None

    def ignores(self, path: str) -> bool:
        """Whether a path below the folder is left out; a directory's ends in `/`."""
        verdict = self.spec.check_file(self.prefix + path).include
        if verdict is not None:
            return verdict
        return self.above is not None and self.above.ignores(path)


@dataclass(frozen=True, slots=True)
class Ignore:
    """Everything that leaves files out in one folder: settings first, then the ignore files."""

    excluded: GitIgnoreSpec
    rules: Rules | None
    place: str = ""  # path from the root of the search, empty or with a final `/`

    def ignores(self, name: str) -> bool:
        """Whether an entry of this folder is left out; a directory's name ends in `/`."""
        if self.excluded.match_file(self.place + name):
            return True
        return self.rules is not None and self.rules.ignores(name)

    def below(self, folder: Path, name: str) -> Ignore:
        """The same for the sub-folder `name`, whose place on disk is `folder`."""
        rules = _deeper(self.rules, name, folder)
        return Ignore(self.excluded, rules, f"{self.place}{name}/")


def ignore_at(root: Path, exclude: Iterable[str]) -> Ignore:
    """What leaves files out directly below `root`, with the rules of its whole repository."""
    repository = _repository(root)
    local = _read(repository / ".git" / "info" / "exclude")
    rules = _own_rules(repository, Rules(local) if local else None)
    for part in root.relative_to(repository).parts:
        repository /= part
        if rules is not None and rules.ignores(f"{part}/"):
            rules = None  # the user works in an ignored folder: its files are what is wanted
        rules = _deeper(rules, part, repository)
    return Ignore(compile_patterns(exclude), rules)


def compile_patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """The rules of an ignore file; a malformed line costs only itself, as in git."""
    from pathspec import GitIgnoreSpec  # loads in the thread that looks for files

    kept = list(lines)
    try:
        return GitIgnoreSpec.from_lines(kept)
    except ValueError:
        kept = [line for line in kept if _is_pattern(GitIgnoreSpec, line)]
        return GitIgnoreSpec.from_lines(kept)


def _is_pattern(kind: type[GitIgnoreSpec], line: str) -> bool:
    try:
        kind.from_lines([line])
    except ValueError:
        return False
    return True


def _repository(root: Path) -> Path:
    """The nearest folder above that holds `.git`, whose rules hold here too; else `root`."""
    for folder in (root, *root.parents):
        if (folder / ".git").exists():
            return folder
    return root


def _deeper(rules: Rules | None, name: str, folder: Path) -> Rules | None:
    """The rules seen from the sub-folder `name`: the ones from above, then its own."""
    return _own_rules(folder, _moved(rules, f"{name}/"))


def _moved(rules: Rules | None, step: str) -> Rules | None:
    if rules is None:
        return None
    return Rules(rules.spec, rules.prefix + step, _moved(rules.above, step))


def _own_rules(folder: Path, above: Rules | None) -> Rules | None:
    rules = above
    for name in IGNORE_FILES:
        spec = _read(folder / name)
        if spec is not None:
            rules = Rules(spec, "", rules)
    return rules


def _read(path: Path) -> GitIgnoreSpec | None:
    try:
        if not path.is_file():  # opening a pipe would wait for its writer
            return None
        with path.open("rb") as file:
            content = file.read(MAX_IGNORE_BYTES + 1)
    except OSError:
        return None
    if len(content) > MAX_IGNORE_BYTES:
        return None
    text = content.decode("utf-8-sig", "replace")
    return compile_patterns(line.rstrip("\r") for line in text.split("\n"))
