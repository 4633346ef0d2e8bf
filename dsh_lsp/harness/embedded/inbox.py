"""The two queues of a session: what waits for the next turn, and what for the next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dsh_lsp.harness.embedded.frozen import freeze
from dsh_lsp.harness.embedded.message import Message
from dsh_lsp.harness.port import HarnessError, Mode


class Queue(StrEnum):
    """The queues by their names in a log."""

    NEXT_TURN = "next-turn"
    NEXT_STEP = "next-step"


QUEUE_OF_MODE = {Mode.QUEUE: Queue.NEXT_TURN, Mode.STEER: Queue.NEXT_STEP}


@dataclass(frozen=True, slots=True)
class Splice:
    """One change of a queue: from `start`, `removed` messages go and `inserted` come.

    `discards` tells that the removed ones are dropped; otherwise a step takes them.
    """

    queue: Queue
    start: int
    removed: int = 0
    inserted: tuple[Message, ...] = ()
    discards: bool = False

    def data(self) -> dict[str, Any]:
        """What a log stores of it."""
        data: dict[str, Any] = {"target": self.queue.value, "start": self.start}
        if self.removed:
            data["removedCount"] = self.removed
        data["inserted"] = [message.record for message in self.inserted]
        if self.discards:
            data["outcome"] = "canceled"
        return data


def read_splice(data: Mapping[str, Any]) -> Splice:
    """The change that a log stores."""
    return Splice(
        queue=Queue(data["target"]),
        start=data["start"],
        removed=data.get("removedCount", 0),
        inserted=tuple(Message(freeze(record)) for record in data["inserted"]),
        discards=data.get("outcome") == "canceled",
    )


@dataclass(frozen=True, slots=True)
class Inbox:
    """What has been accepted and not yet been taken, in both queues."""

    queues: Mapping[Queue, tuple[Message, ...]] = field(
        default_factory=lambda: freeze(dict.fromkeys(Queue, ()))
    )

    @property
    def pending(self) -> tuple[Message, ...]:
        """Everything that waits, in the order in which it will be taken."""
        return self.queues[Queue.NEXT_STEP] + self.queues[Queue.NEXT_TURN]

    def removed(self, splice: Splice) -> tuple[Message, ...]:
        """The messages that a change takes out."""
        return self.queues[splice.queue][splice.start : splice.start + splice.removed]

    def spliced(self, splice: Splice) -> Inbox:
        """The inbox after a change. Raises ValueError when it does not fit."""
        queue = self.queues[splice.queue]
        if not 0 <= splice.start <= splice.start + splice.removed <= len(queue):
            raise ValueError(f"a change of the {splice.queue} queue is out of its range")
        end = splice.start + splice.removed
        changed = queue[: splice.start] + splice.inserted + queue[end:]
        return Inbox(freeze({**self.queues, splice.queue: changed}))

    def append(self, mode: Mode, message: Message) -> Splice:
        """Put a message behind the others of its queue."""
        queue = QUEUE_OF_MODE[mode]
        return Splice(queue, len(self.queues[queue]), inserted=(message,))

    def claim_step(self) -> tuple[Splice, ...]:
        """Take everything that waits for the next step."""
        return self._take(Queue.NEXT_STEP, len(self.queues[Queue.NEXT_STEP]))

    def claim_turn(self) -> tuple[Splice, ...]:
        """Take what waits for the next step, and the first message that waits for a turn."""
        return self.claim_step() + self._take(
            Queue.NEXT_TURN, len(self.queues[Queue.NEXT_TURN][:1])
        )

    def edit(self, message_id: str, text: str) -> tuple[Splice, ...]:
        """Let a waiting message say something else; it keeps its place, id and request id."""
        queue, index = self._find(message_id)
        changed = self.queues[queue][index].with_text(text)
        return (Splice(queue, index, 1, (changed,), discards=True),)

    def remove(self, message_id: str) -> tuple[Splice, ...]:
        """Drop a waiting message."""
        queue, index = self._find(message_id)
        return (Splice(queue, index, 1, discards=True),)

    def steer(self, message_id: str) -> tuple[Splice, ...]:
        """Move a waiting message from the next turn to the next step."""
        queue, index = self._find(message_id)
        if queue is Queue.NEXT_STEP:
            return ()
        message = self.queues[queue][index]
        return (
            Splice(queue, index, 1, discards=True),
            Splice(Queue.NEXT_STEP, len(self.queues[Queue.NEXT_STEP]), inserted=(message,)),
        )

    def _find(self, message_id: str) -> tuple[Queue, int]:
        for queue, messages in self.queues.items():
            for index, message in enumerate(messages):
                if message.id == message_id:
                    return queue, index
        raise HarnessError("that message waits no more: a turn has taken it, or it is gone")

    def _take(self, queue: Queue, count: int) -> tuple[Splice, ...]:
        return (Splice(queue, 0, count),) if count else ()
