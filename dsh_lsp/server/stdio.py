"""Standard input and output in threads of their own, so that neither ever blocks the server."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable

from dsh_lsp.server.wire import Frames, FramingError

_READ_SIZE = 256 * 1024


def take_standard_streams() -> tuple[int, int]:
    """File descriptors of input and output; nobody else can read the one or write the other.

    From then on `print` goes to standard error, and child processes have an empty input.
    """
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


class Pump(threading.Thread):
    """Reads message bodies from a file descriptor; None stands for the end of the stream."""

    def __init__(self, source: int) -> None:
        super().__init__(name="dsh-lsp input", daemon=True)
        self._source = source
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._deliver: Callable[[bytes | None], None] = self._waiting.put
        self._lock = threading.Lock()
        self.fault: FramingError | None = None
        self.start()

    def first(self) -> bytes | None:
        """Wait for the first body; only before `attach`."""
        return self._waiting.get()

    def attach(self, deliver: Callable[[bytes | None], None]) -> None:
        """Give all further bodies to `deliver`, in the thread that reads them."""
        with self._lock:
            while not self._waiting.empty():
                deliver(self._waiting.get())
            self._deliver = deliver

    def run(self) -> None:
        """Read until the end."""
        frames = Frames()
        try:
            # Not the buffered standard input: its lock would be held while Python shuts down.
            while data := os.read(self._source, _READ_SIZE):
                for body in frames.feed(data):
                    self._put(body)
        except FramingError as fault:
            self.fault = fault
        except OSError:
            pass  # the client has gone
        self._put(None)

    def _put(self, body: bytes | None) -> None:
        with self._lock, contextlib.suppress(RuntimeError):  # the loop may have ended
            self._deliver(body)


class Pen(threading.Thread):
    """Writes to a file descriptor, in order; a reader that has gone is nobody's fault."""

    def __init__(self, sink: int) -> None:
        super().__init__(name="dsh-lsp output", daemon=True)
        self._sink = sink
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.start()

    def write(self, data: bytes) -> None:
        """Write later; returns at once."""
        self._waiting.put(data)

    def close(self, seconds: float = 2.0) -> None:
        """Wait until everything is written, but not for ever."""
        self._waiting.put(None)
        self.join(seconds)

    def run(self) -> None:
        """Write until the end."""
        with contextlib.suppress(OSError):
            while (data := self._waiting.get()) is not None:
                left = memoryview(data)
                while left:
                    left = left[os.write(self._sink, left) :]
