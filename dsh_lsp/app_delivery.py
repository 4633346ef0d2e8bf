"""How prompts reach a harness: an outbox, and who can tell what became of what it held."""

from __future__ import annotations

from pathlib import Path

from dsh_lsp.harness.delivery.delivery import OutboxDelivery
from dsh_lsp.harness.delivery.outbox import FolderOutbox
from dsh_lsp.harness.delivery.witness import DurableHarness, HostAndStore
from dsh_lsp.harness.port import Delivery, Harness


def to_host(harness: Harness, home: Path, root: Path) -> Delivery:
    """With the outbox below `home`; the host tells, or the logs that it wrote below `root`."""
    return OutboxDelivery(harness, FolderOutbox(home / "outbox"), HostAndStore(harness, root))


def to_embedded(harness: Harness, home: Path) -> Delivery:
    """With the outbox below `home`; the harness in this process has recorded all that it took."""
    return OutboxDelivery(harness, FolderOutbox(home / "outbox"), DurableHarness(harness))
