"""The releases of the real harness that tests talk to, and how each is started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.support.node_project import NODE

HOSTS = Path(__file__).resolve().parents[2] / ".hosts"
"""Where releases are installed; git ignores it."""

Overlay = Sequence[Mapping[str, Any]]
"""Entries of a `--patch` file: `{id, config}`, `{id, disabled}` or `{insert: [...]}`."""


class Wire(StrEnum):
    """The generation of a host's HTTP interface."""

    A = "A"
    B = "B"


class Registry(StrEnum):
    """Where a release comes from."""

    PYPI = "PyPI"
    NPM = "npm"


@dataclass(frozen=True, slots=True)
class Release:
    """One release. `model_path` is what its model's base address ends with.

    `overlay` is what it needs to start at all, beside the entries that a test wants.
    """

    version: str
    wire: Wire
    registry: Registry
    log_format: int
    model_path: str = ""
    overlay: tuple[Mapping[str, Any], ...] = ()

    @property
    def folder(self) -> Path:
        """Where it is installed."""
        return HOSTS / self.version

    def command(self) -> list[str]:
        """What starts `dsh`. No wrapper stands between, so signals reach the host itself."""
        match self.registry:
            case Registry.PYPI:
                runtime = self.folder / "deepseek_harness_runtime" / "runtime"
                (program,) = (
                    path
                    for path in runtime.glob("*-runtime-*")
                    if path.is_file() and not path.name.endswith(("-rg", "-spawn-helper"))
                )
                return [str(program)]
            case Registry.NPM:
                package = self.folder / "node_modules" / "@deepseek-ai" / "dsh"
                return [str(NODE), str(package / "lib" / "bin.js")]


OLDER = Release("0.1.0-rc.8", Wire.A, Registry.NPM, log_format=0, model_path="/v1")

MIDDLE = Release(
    "0.1.2rc1",
    Wire.B,
    Registry.PYPI,
    log_format=0,
    model_path="/v1",
    overlay=(
        {"id": "session-title-llm", "disabled": True},  # its package is not in the wheel
        {"id": "agent-presets", "disabled": True},  # read from the packed file system, and fail
        {"id": "tool-bash", "disabled": False},
        {"id": "compaction-basic", "disabled": False},
        {"id": "command-compact", "disabled": False},
        {"id": "tool-subagent", "disabled": False},
    ),
)

NEWER = Release("0.2.1rc2", Wire.B, Registry.PYPI, log_format=4)

EVERY_RUN = (OLDER, NEWER)
MATRIX = (OLDER, MIDDLE, NEWER)

NO_TITLES: Overlay = ({"id": "session-title-llm", "disabled": True},)
"""Without it, a model names each session, and its log grows after a turn has ended."""


def budget_overlay(size: int) -> Overlay:
    """Grants each source of a reference this many bytes."""
    return ({"id": "session-reference", "config": {"maxReferenceBytes": size}},)
