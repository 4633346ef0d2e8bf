"""An outbox in memory, which fails and is held elsewhere when a test wants it."""

from __future__ import annotations

from types import TracebackType

from dsh_lsp.harness.delivery.intent import Intent, read_intent, write_intent
from dsh_lsp.harness.delivery.outbox import BusyError, Contents, OutboxError
from dsh_lsp.harness.port import OutboxFault


class MemoryOutbox:
    """Records as the bytes that a file would hold. `held_elsewhere` are ids of other processes."""

    def __init__(self) -> None:
        self.records: dict[str, bytes] = {}
        self.held_elsewhere: set[str] = set()
        self.fails = False
        self.faults: tuple[OutboxFault, ...] = ()
        self._held: set[str] = set()

    @property
    def intents(self) -> list[Intent]:
        return [read_intent(record) for record in self.records.values()]

    def put(self, intent: Intent) -> None:
        self.records[intent.outgoing.request_id] = write_intent(intent)

    def hold(self, request_id: str) -> MemoryEntry:
        if request_id in self._held | self.held_elsewhere:
            raise BusyError("another dsh-lsp works on this prompt right now")
        self._held.add(request_id)
        return MemoryEntry(self, request_id)

    def contents(self) -> Contents:
        intents = sorted(self.intents, key=lambda each: each.created_at)
        return Contents(tuple(intents), frozenset(self._held | self.held_elsewhere), self.faults)

    def release(self, request_id: str) -> None:
        self._held.discard(request_id)


class MemoryEntry:
    """One record, held."""

    def __init__(self, outbox: MemoryOutbox, request_id: str) -> None:
        self._outbox = outbox
        self._request_id = request_id

    def read(self) -> Intent | None:
        record = self._outbox.records.get(self._request_id)
        return read_intent(record) if record is not None else None

    def write(self, intent: Intent) -> None:
        if self._outbox.fails:
            raise OutboxError("the outbox cannot be used: No space left on device")
        self._outbox.put(intent)

    def remove(self) -> None:
        self._outbox.records.pop(self._request_id, None)

    def __enter__(self) -> MemoryEntry:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._outbox.release(self._request_id)
