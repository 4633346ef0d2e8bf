"""The outbox as a folder: one file for each prompt, and a lock for whoever works on it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from dsh_lsp.core.display import one_line
from dsh_lsp.harness.delivery.intent import (
    MAX_SIZE,
    Intent,
    is_request_id,
    read_intent,
    write_intent,
)
from dsh_lsp.harness.exclusive import HeldError, lock, open_lock_file
from dsh_lsp.harness.port import HarnessError, OutboxFault
from dsh_lsp.harness.private_file import sync_folder, write_durably

_RECORD = ".json"
_LOCK = ".lock"

_TRIES = 10
_BETWEEN_TRIES = 0.01  # seconds


class OutboxError(HarnessError):
    """The outbox cannot be used, so nothing may be sent."""


class BusyError(HarnessError):
    """Another dsh-lsp works on the prompt right now."""


class Entry(Protocol):
    """One prompt, which nobody else works on meanwhile. Every call blocks on the disk."""

    def read(self) -> Intent | None:
        """The intent as it is kept; None when there is none. Raises `OutboxError`."""
        ...

    def write(self, intent: Intent) -> None:
        """Return when the disk has it. Raises `OutboxError`; an earlier one is then still there."""
        ...

    def remove(self) -> None:
        """Keep it no longer. Raises `OutboxError`."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Contents:
    """What an outbox holds, the oldest first. `held` are the ids that somebody works on."""

    intents: tuple[Intent, ...]
    held: frozenset[str]
    faults: tuple[OutboxFault, ...]


class Outbox(Protocol):
    """Where intents are kept. Every call blocks on the disk."""

    def hold(self, request_id: str) -> Entry:
        """An entry, to be left again. Raises `BusyError` and `OutboxError`."""
        ...

    def contents(self) -> Contents:
        """Everything that is kept; what cannot be read is a fault. Never raises."""
        ...


class FolderOutbox:
    """An outbox that outlives the process and is shared with others, readable by its owner alone.

    A record appears and changes whole or not at all. Locks end with the process that holds them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def hold(self, request_id: str) -> Entry:
        """An entry, to be left again. Raises `BusyError` and `OutboxError`."""
        if not is_request_id(request_id):
            raise OutboxError("the outbox holds no prompt with such an id")
        with _explained(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _FileEntry(self._folder, request_id, self._lock_soon(request_id))

    def contents(self) -> Contents:
        """Everything that is kept. Never raises."""
        intents: list[Intent] = []
        faults: list[OutboxFault] = []
        held: set[str] = set()
        for path in self._files():
            request_id = path.name.removeprefix(".").partition(_RECORD)[0]
            try:
                if self._is_held(request_id):
                    held.add(request_id)
                intents.append(_read(path))
            except FileNotFoundError:
                continue  # it was settled meanwhile
            except (OSError, ValueError) as error:
                if request_id not in held:
                    faults.append(OutboxFault(one_line(str(path)), _reason(error)))
        intents.sort(key=lambda intent: (intent.created_at, intent.outgoing.request_id))
        return Contents(tuple(intents), frozenset(held), tuple(faults))

    def _files(self) -> list[Path]:
        try:
            names = sorted(os.listdir(self._folder))  # noqa: PTH208 - names alone, no objects
        except OSError:
            return []
        return [self._folder / name for name in names if not name.endswith(_LOCK)]

    def _is_held(self, request_id: str) -> bool:
        if not is_request_id(request_id) or not self._lock_path(request_id).exists():
            return False
        try:
            descriptor = self._lock(request_id)
        except BusyError:
            return True
        os.close(descriptor)
        return False

    def _lock_soon(self, request_id: str) -> int:
        """The same, though somebody may be looking just now whether it is held."""
        for _ in range(_TRIES):
            with contextlib.suppress(BusyError):
                return self._lock(request_id)
            time.sleep(_BETWEEN_TRIES)
        return self._lock(request_id)

    def _lock(self, request_id: str) -> int:
        """A locked descriptor of the lock file that the path names now. Raises OSError."""
        path = self._lock_path(request_id)
        while True:
            descriptor = open_lock_file(path, 0o600)
            try:
                lock(descriptor)
                if _is_same(descriptor, path):
                    return descriptor
            except HeldError:
                os.close(descriptor)
                raise BusyError("another dsh-lsp works on this prompt right now") from None
            except OSError:
                os.close(descriptor)
                raise
            os.close(descriptor)  # its last holder removed it before we had it

    def _lock_path(self, request_id: str) -> Path:
        return self._folder / f"{request_id}{_LOCK}"


class _FileEntry:
    """A record whose lock we hold. The lock file goes with the record."""

    def __init__(self, folder: Path, request_id: str, descriptor: int) -> None:
        self._path = folder / f"{request_id}{_RECORD}"
        self._lock_path = folder / f"{request_id}{_LOCK}"
        self._lock = os.fdopen(descriptor, "rb", buffering=0)  # closed at the latest when forgotten

    def read(self) -> Intent | None:
        with _explained(self._path.parent):
            try:
                return _read(self._path)
            except FileNotFoundError:
                return None
            except ValueError as error:
                raise OutboxError(f"{one_line(str(self._path))}: {_reason(error)}") from error

    def write(self, intent: Intent) -> None:
        with _explained(self._path.parent):
            try:
                record = write_intent(intent)
            except ValueError as error:
                raise OutboxError(f"{error}; nothing was sent") from error
            write_durably(self._path, record)

    def remove(self) -> None:
        with _explained(self._path.parent):
            self._path.unlink(missing_ok=True)
            sync_folder(self._path.parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._path.exists():
            with contextlib.suppress(OSError):  # Windows keeps open files
                self._lock_path.unlink()
        self._lock.close()


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutboxError(
            f"the outbox {one_line(str(folder))} cannot be used: {error.strerror or error}; "
            "free space, or restore your right to write there, since prompts are only sent "
            "when they are kept until it is known what became of them"
        ) from error


def _read(path: Path) -> Intent:
    """The intent in a file. Raises OSError and ValueError."""
    with path.open("rb") as file:
        record = file.read(MAX_SIZE + 1)
    if len(record) > MAX_SIZE:
        raise ValueError("it is too large for a record of the outbox")
    intent = read_intent(record)
    if path.name != f"{intent.outgoing.request_id}{_RECORD}":
        raise ValueError("its name is not that of the prompt in it")
    return intent


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"it cannot be read: {error.strerror or error}"
    return f"it holds no prompt ({one_line(str(error))[:200]}); look into it, then move it away"
