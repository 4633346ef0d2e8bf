"""Finding files on disk for `@path`."""

from __future__ import annotations

import os
import threading
import time
import unicodedata
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from dsh_lsp.harness.files import THREADS, FilesOnDisk
from dsh_lsp.harness.walk import Bounds

pytestmark = pytest.mark.anyio

NEEDS_LINKS = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.fixture
def anyio_backend():
    return "asyncio"


def tree(root: Path, files: dict[str, str] | list[str]) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name] if isinstance(files, dict) else "x")


async def names(root: Path, query: str, limit: int = 50, exclude=(".git", "node_modules")):
    found = await FilesOnDisk(exclude).find(str(root), query, limit)
    return [file.path + "/" * file.is_directory for file in found]


PROJECT = [
    *("README.md", "pyproject.toml", "tide/tables.py", "tide/stations.py", "tide/data/ports.csv"),
    *("tests/test_tables.py", ".github/workflows/ci.yml", ".env", "docs/潮汐表.md"),
]


@pytest.fixture
def project(tmp_path):
    tree(tmp_path, PROJECT)
    return tmp_path


RANKED = [
    ("", ["docs/", "tests/", "tide/", "README.md", "pyproject.toml"]),
    ("read", ["README.md"]),
    ("README.md", ["README.md"]),
    ("tables", ["tide/tables.py", "tests/test_tables.py"]),
    ("t", ["tide/", "tests/", "tide/tables.py", "tests/test_tables.py"]),
    ("tide/", ["tide/data/", "tide/stations.py", "tide/tables.py"]),
    ("./tide/", ["tide/data/", "tide/stations.py", "tide/tables.py"]),
    ("tide//", ["tide/data/", "tide/stations.py", "tide/tables.py"]),
    ("tide/../tests/", ["tests/test_tables.py"]),
    ("tide/ports", ["tide/data/ports.csv"]),
    ("tide/tab", ["tide/tables.py"]),
    ("ide/tab", ["tide/tables.py"]),
    ("tdprts", ["tide/data/ports.csv"]),
    ("dprts", ["tide/data/ports.csv"]),
    ("rdme", ["README.md"]),
    ("edmd", []),
    (".", [".github/", ".env"]),
    (".gi", [".github/"]),
    (".github/", [".github/workflows/"]),
    (".github/ci", [".github/workflows/ci.yml"]),
    ("ci.yml", []),
    ("潮", ["docs/潮汐表.md"]),
    ("汐表", ["docs/潮汐表.md"]),
    ("docs/潮", ["docs/潮汐表.md"]),
    ("nothing like it", []),
    ("../", []),
    ("tide/../../", []),
    ("/", []),
    ("/etc/", []),
    ("~/", []),
    ("a\x00b/", []),
    ("tide/tables.py/", []),
]


@pytest.mark.parametrize(("query", "expected"), RANKED)
async def test_ranking(project, query, expected):
    found = await names(project, query)
    assert found[: len(expected)] == expected
    if not expected:
        assert found == []


async def test_prefix_then_part_then_subsequence(tmp_path):
    tree(tmp_path, ["x/m-a-p.py", "x/roadmap.py", "map/far.txt", "z/z/mapping.py"])
    assert await names(tmp_path, "map") == [
        *("map/", "z/z/mapping.py", "x/roadmap.py", "map/far.txt", "x/m-a-p.py"),
    ]


@pytest.mark.parametrize("limit", [0, -1, 1, 2])
async def test_limit(project, limit):
    assert len(await names(project, "", limit)) == max(0, limit)


IGNORED = {
    ".gitignore": "*.log\n!keep.log\n/build/\ncache/\n# a comment\n\nbad\\\n",
    "app.log": "",
    "keep.log": "",
    "build/out.txt": "",
    "src/build/kept.txt": "",
    "src/cache/out.txt": "",
    "src/.gitignore": "secret*\r\n!app.log\r\n",
    "src/secret.txt": "",
    "src/app.log": "",
    "other/secret.txt": "",
    "src/deep/.ignore": "*.tmp\n",
    "src/deep/a.tmp": "",
    "node_modules/pkg/index.js": "",
    "src/node_modules/pkg/index.js": "",
}


async def test_ignore_files_at_every_level(tmp_path):
    tree(tmp_path, IGNORED)
    found = set(await names(tmp_path, "o", 1000)) | set(await names(tmp_path, "e", 1000))
    found |= set(await names(tmp_path, "g", 1000)) | set(await names(tmp_path, "t", 1000))
    assert {path for path in found if not path.endswith("/")} == {
        *("keep.log", "src/build/kept.txt", "src/app.log", "other/secret.txt"),
    }
    assert await names(tmp_path, "build/") == []
    assert await names(tmp_path, "node_modules/") == []
    assert await names(tmp_path, "src/") == ["src/build/", "src/deep/", "src/app.log"]


async def test_settings_exclude_beats_an_ignore_file(tmp_path):
    tree(tmp_path, {".gitignore": "!a.bin\n", "a.bin": "", "sub/a.bin": "", "a.txt": ""})
    assert await names(tmp_path, "a", exclude=["*.bin", "\\"]) == ["a.txt"]


async def test_the_rules_of_the_repository_hold_below_it(tmp_path):
    tree(tmp_path, {".gitignore": "*.log\n/pkg/out/\n", "pkg/a.log": "", "pkg/out/x": ""})
    tree(tmp_path, {".git/info/exclude": "local.txt\n", "pkg/local.txt": "", "pkg/a.txt": ""})
    assert await names(tmp_path / "pkg", "") == ["a.txt"]


async def test_work_in_an_ignored_folder_is_offered(tmp_path):
    tree(tmp_path, {".git/HEAD": "", ".gitignore": "scratch/\n", "scratch/note.txt": ""})
    assert await names(tmp_path / "scratch", "") == ["note.txt"]


async def test_a_strange_ignore_file_is_harmless(tmp_path):
    tree(tmp_path, ["a.txt"])
    (tmp_path / ".gitignore").mkdir()
    (tmp_path / ".ignore").write_bytes(b"\xff\xfe\n*.tmp\n" + b"#" * 10)
    tree(tmp_path, ["b.tmp"])
    assert await names(tmp_path, "") == ["a.txt"]


@NEEDS_LINKS
async def test_a_pipe_as_ignore_file_does_not_block(tmp_path):
    os.mkfifo(tmp_path / ".gitignore")
    tree(tmp_path, ["a.txt"])
    assert await names(tmp_path, "") == ["a.txt"]


@NEEDS_LINKS
async def test_links(tmp_path):
    outside = tmp_path / "outside"
    inside = tmp_path / "work"
    tree(outside, ["secret.txt"])
    tree(inside, ["real/file.txt"])
    (inside / "loop").symlink_to(inside)
    (inside / "linked").symlink_to(inside / "real")
    (inside / "leak").symlink_to(outside)
    (inside / "leak.txt").symlink_to(outside / "secret.txt")
    (inside / "dead").symlink_to(inside / "gone")
    (inside / "self").symlink_to(inside / "self")
    files = FilesOnDisk()
    assert await names(inside, "") == ["linked/", "loop/", "real/"]
    assert await names(inside, "file") == ["real/file.txt"]
    assert await names(inside, "linked/") == ["linked/file.txt"]
    assert await names(inside, "loop/loop/real/") == ["loop/loop/real/file.txt"]
    for query in ("leak/", "leak/secret", "../outside/", "real/../../outside/"):
        assert await names(inside, query) == []
    for path in ("leak", "leak.txt", "leak/secret.txt", "../outside/secret.txt", "dead", "self"):
        assert await files.details(str(inside), path) is None


async def test_details(project):
    (project / "five.txt").write_text("12345")
    files = FilesOnDisk()
    found = await files.details(str(project), "five.txt")
    assert found is not None
    assert (found.is_directory, found.size) == (False, 5)
    folder = await files.details(str(project), "tide/")
    assert folder is not None
    assert folder.is_directory
    for path in (".env", "./five.txt", "tide/../five.txt", ""):
        assert await files.details(str(project), path) is not None
    for path in ("gone", "../" + project.name, str(project), "a\x00b", "x" * 5000, "five.txt/x"):
        assert await files.details(str(project), path) is None


async def test_names_of_either_normal_form(tmp_path):
    composed, decomposed = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    tree(tmp_path, [f"{decomposed}/menü.txt"])
    files = FilesOnDisk()
    assert await names(tmp_path, composed) == [f"{decomposed}/", f"{decomposed}/menü.txt"]
    assert await names(tmp_path, f"{composed}/") == [f"{decomposed}/menü.txt"]
    assert await names(tmp_path, "MENÜ") == [f"{decomposed}/menü.txt"]
    for path in (f"{composed}/menü.txt", f"{decomposed}/menü.txt"):
        assert await files.details(str(tmp_path), path) is not None


@NEEDS_LINKS
async def test_names_that_no_mention_can_write(tmp_path):
    tree(tmp_path, ["good name.txt", 'quo"te.txt', "line\nbreak.txt"])
    tree(tmp_path, [os.fsdecode(b"bytes-\xff.txt")])
    assert await names(tmp_path, "") == ["good name.txt"]


@pytest.mark.parametrize("place", ["gone", "file", ""])
async def test_a_cwd_that_is_no_folder(tmp_path, place):
    (tmp_path / "file").write_text("x")
    files = FilesOnDisk()
    cwd = str(tmp_path / place) if place else "relative"
    assert list(await files.find(cwd, "", 10)) == []
    assert await files.details(cwd, "x") is None


async def test_an_unreadable_folder_is_empty(tmp_path, monkeypatch):
    tree(tmp_path, ["open/a.txt", "closed/a.txt"])
    scandir = os.scandir

    def refuse(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "no")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert await names(tmp_path, "a.txt") == ["open/a.txt"]


async def test_a_walk_is_bounded_and_keeps_what_is_near(tmp_path):
    tree(tmp_path, ["a/b/c/d/x.txt", "x.txt", *(f"a/b/x{n}.txt" for n in range(30))])
    for bounds, count in ((Bounds(depth=0), 1), (Bounds(entries=3), 1), (Bounds(), 32)):
        found = await FilesOnDisk(bounds=bounds).find(str(tmp_path), "x", 100)
        assert len(found) == count
        assert found[0].path == "x.txt"


async def test_a_walk_ends_in_time(tmp_path):
    tree(tmp_path, [f"{n}.txt" for n in range(50)])
    ticks = iter(range(10_000))
    files = FilesOnDisk(bounds=Bounds(seconds=10), clock=lambda: float(next(ticks)))
    assert len(await files.find(str(tmp_path), "txt", 100)) == 10


async def test_a_walk_answers_again_for_a_moment(tmp_path):
    now = 0.0
    tree(tmp_path, ["a1.txt"])
    files = FilesOnDisk(clock=lambda: now)
    assert len(await files.find(str(tmp_path), "a", 9)) == 1
    tree(tmp_path, ["a2.txt"])
    assert len(await files.find(str(tmp_path), "a", 9)) == 1
    now = 5.0
    assert len(await files.find(str(tmp_path), "a", 9)) == 2


async def test_cancelling_settles_at_once_and_stops_the_walk(tmp_path, monkeypatch):
    tree(tmp_path, [f"{n}.txt" for n in range(3)])
    scandir, entered, release, ended = os.scandir, threading.Event(), threading.Event(), []

    def slow(path):
        entered.set()
        release.wait(10)
        ended.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", slow)
    files = FilesOnDisk()
    started = time.monotonic()
    with anyio.move_on_after(0.05) as scope:
        await files.find(str(tmp_path), "x", 10)
    assert scope.cancelled_caught
    assert entered.is_set()
    assert time.monotonic() - started < 5
    release.set()
    monkeypatch.setattr(os, "scandir", scandir)
    assert len(await files.find(str(tmp_path), "txt", 10)) == 3


@pytest.mark.parametrize("look", ["find", "details"])
async def test_a_disk_that_hangs_takes_a_few_threads_and_no_more(tmp_path, monkeypatch, look):
    tree(tmp_path, ["a.txt"])
    is_dir, hanging, answers = Path.is_dir, [], threading.Event()
    entered = threading.Semaphore(0)

    def slow(path):
        hanging.append(path)
        entered.release()
        answers.wait(10)
        return is_dir(path)

    monkeypatch.setattr(Path, "is_dir", slow)
    files = FilesOnDisk(bounds=Bounds(seconds=0.01))

    async def ask():
        more = (9,) if look == "find" else ()
        return await getattr(files, look)(str(tmp_path), "a.txt", *more)

    for _ in range(THREADS):
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await anyio.to_thread.run_sync(entered.acquire)
            group.cancel_scope.cancel()
    for _ in range(3):
        with pytest.raises(TimeoutError, match="does not answer"):
            await ask()
    assert len(hanging) == THREADS
    answers.set()
    monkeypatch.setattr(Path, "is_dir", is_dir)
    monkeypatch.setattr(files, "_bounds", Bounds())
    assert await ask()
