"""The outbox as a folder: private, whole, and shared with other processes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dsh_lsp.harness.delivery import outbox as module
from dsh_lsp.harness.delivery.course import begin
from dsh_lsp.harness.delivery.intent import Intent
from dsh_lsp.harness.delivery.outbox import BusyError, FolderOutbox, OutboxError
from dsh_lsp.harness.exclusive import open_lock_file
from tests.support.outbox_holder import Holder
from tests.support.scripted_harness import letter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "outbox"


@pytest.fixture
def outbox(folder: Path) -> FolderOutbox:
    return FolderOutbox(folder)


def intent(request_id: str, created_at: int = 5, text: str = "hello") -> Intent:
    return begin(letter(request_id, text), created_at)


def keep(outbox: FolderOutbox, *intents: Intent) -> None:
    for each in intents:
        with outbox.hold(each.outgoing.request_id) as entry:
            entry.write(each)


def test_nothing_is_made_before_something_is_kept(outbox: FolderOutbox, folder: Path) -> None:
    contents = outbox.contents()
    assert (contents.intents, contents.held, contents.faults) == ((), frozenset(), ())
    assert not folder.exists()


def test_what_is_kept_is_listed_the_oldest_first(outbox: FolderOutbox) -> None:
    one, two, three = intent("c", 1), intent("a", 2), intent("b", 2, "half \ud800 of a pair")
    keep(outbox, three, one, two)
    assert outbox.contents().intents == (one, two, three)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such modes")
def test_only_its_owner_can_read_it(outbox: FolderOutbox, folder: Path) -> None:
    old = os.umask(0)
    try:
        keep(outbox, intent("a"))
        with outbox.hold("a"):
            modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    finally:
        os.umask(old)
    assert modes == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_record_is_replaced_and_removed_with_its_lock(outbox: FolderOutbox, folder: Path) -> None:
    keep(outbox, intent("a"), intent("a", text="changed"))
    assert [each.outgoing.text for each in outbox.contents().intents] == ["changed"]
    with outbox.hold("a") as entry:
        assert entry.read() == intent("a", text="changed")
        entry.remove()
        assert entry.read() is None
        entry.remove()
    assert list(folder.iterdir()) == []


def test_two_never_hold_the_same(outbox: FolderOutbox, folder: Path) -> None:
    other = FolderOutbox(folder)
    keep(outbox, intent("a"), intent("b"))
    with outbox.hold("a"):
        with pytest.raises(BusyError):
            other.hold("a")
        assert other.contents().held == {"a"}
        assert len(other.contents().intents) == 2
        with other.hold("b") as entry:
            assert entry.read() == intent("b")
    with other.hold("a"):
        assert outbox.contents().held == {"a"}
    assert outbox.contents().held == frozenset()


def test_a_lock_that_was_removed_is_not_taken_for_one(
    outbox: FolderOutbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking, the last holder removes the file."""
    opened: list[Path] = []

    def open_too_early(path: Path, mode: int) -> int:
        descriptor = open_lock_file(path, mode)
        if not opened:
            path.unlink()
        opened.append(path)
        return descriptor

    monkeypatch.setattr(module, "open_lock_file", open_too_early)
    with outbox.hold("a") as entry:
        assert len(opened) == 2
        entry.write(intent("a"))
        with pytest.raises(BusyError):
            FolderOutbox(folder).hold("a")


def test_a_lock_ends_with_the_process_that_holds_it(outbox: FolderOutbox, folder: Path) -> None:
    keep(outbox, intent("a"))
    holder = Holder(folder, "a")
    assert outbox.contents().held == {"a"}
    with pytest.raises(BusyError):
        outbox.hold("a")
    holder.die()
    assert outbox.contents().held == frozenset()
    with outbox.hold("a") as entry:
        assert entry.read() == intent("a")


STRANGE = {
    "a.json": b"",
    "b.json": b"{}",
    "c.json": b'{"format": 9}',
    "note.txt": b"mine",
    ".a.json.0123456789abcdef": b'{"format": 1, "requ',
    "d e.json": b"\xff",
}


def test_strange_files_cost_only_themselves_and_stay(outbox: FolderOutbox, folder: Path) -> None:
    keep(outbox, intent("good"))
    for name, content in STRANGE.items():
        (folder / name).write_bytes(content)
    (folder / "folder.json").mkdir()
    (folder / "renamed.json").write_bytes((folder / "good.json").read_bytes())
    contents = outbox.contents()
    assert contents.intents == (intent("good"),)
    names = {Path(fault.place).name for fault in contents.faults}
    assert names == {*STRANGE, "folder.json", "renamed.json"}
    assert all("hello" not in fault.message for fault in contents.faults)
    assert {path.name for path in folder.iterdir()} >= names
    for name, content in STRANGE.items():
        assert (folder / name).read_bytes() == content


def test_what_is_just_being_written_is_no_fault(outbox: FolderOutbox, folder: Path) -> None:
    with outbox.hold("a"):
        (folder / ".a.json.0123456789abcdef").write_bytes(b"half")
        assert outbox.contents().faults == ()
    assert len(outbox.contents().faults) == 1


def test_a_damaged_record_is_not_acted_on(outbox: FolderOutbox, folder: Path) -> None:
    keep(outbox, intent("a"))
    (folder / "a.json").write_bytes(b"torn")
    with outbox.hold("a") as entry, pytest.raises(OutboxError, match=r"a\.json: it holds no"):
        entry.read()
    assert (folder / "a.json").read_bytes() == b"torn"


def test_a_write_that_fails_leaves_what_was(
    outbox: FolderOutbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(outbox, intent("a"))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with outbox.hold("a") as entry, pytest.raises(OutboxError, match="No space left") as refused:
        entry.write(intent("a", text="changed"))
    assert "hello" not in str(refused.value)
    assert outbox.contents().intents == (intent("a"),)
    assert {path.suffix for path in folder.iterdir()} == {".json", ".lock"}


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outbox = FolderOutbox(tmp_path / "file" / "outbox")
    with pytest.raises(OutboxError, match="only sent when they are kept"):
        outbox.hold("a")
    assert outbox.contents().intents == ()


def test_an_id_that_is_none_of_ours(outbox: FolderOutbox, folder: Path) -> None:
    with pytest.raises(OutboxError):
        outbox.hold("../a")
    assert not folder.exists()


def test_the_record_is_on_disk_before_it_is_seen(
    outbox: FolderOutbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    sync, replace = os.fsync, Path.replace

    def note_sync(descriptor: int) -> None:
        order.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def note_replace(self: Path, target: Path) -> Path:
        order.append("name")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_replace)
    keep(outbox, intent("a"))
    assert order == ["file", "name", "folder"]
