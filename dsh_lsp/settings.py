"""The settings as one frozen value, and their strict reader (docs/settings.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from dsh_lsp.harness.port import Mode


class HarnessMode(StrEnum):
    """Where prompts may be sent."""

    AUTO = "auto"
    HTTP = "http"
    EMBEDDED = "embedded"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class HarnessSettings:
    """`dsh.harness.*`."""

    mode: HarnessMode = HarnessMode.AUTO
    url: str | None = None
    command: str = "dsh"


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """`dsh.target.*`."""

    session: str | None = None


@dataclass(frozen=True, slots=True)
class SendSettings:
    """`dsh.send.*`."""

    mode: Mode = Mode.QUEUE


@dataclass(frozen=True, slots=True)
class ReferenceSettings:
    """`dsh.references.*`. Sizes are UTF-8 bytes."""

    max_references: int = 3
    candidate_limit: int = 50
    max_reference_bytes: int | Literal["host"] = "host"


@dataclass(frozen=True, slots=True)
class FileSettings:
    """`dsh.files.*`."""

    enabled: bool = True
    exclude: tuple[str, ...] = (".git", "node_modules")


@dataclass(frozen=True, slots=True)
class DiagnosticSettings:
    """`dsh.diagnostics.*`: `enabled` switches all, each other one its own kind."""

    enabled: bool = True
    truncated: bool = True
    stale_label: bool = True
    file_not_found: bool = True
    duplicate: bool = True
    credential: bool = True


@dataclass(frozen=True, slots=True)
class Switch:
    """A feature that can be switched off."""

    enabled: bool = True


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """`dsh.cache.*`: `text` says whether the disk cache may hold conversation text."""

    enabled: bool = True
    text: bool = True


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """`dsh.embedded.*`. None stands for the user's state folder."""

    root: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """The section `dsh`. `home` None stands for `$DSH_HOME`, else `~/.dsh`."""

    home: str | None = None
    harness: HarnessSettings = field(default_factory=HarnessSettings)
    target: TargetSettings = field(default_factory=TargetSettings)
    send: SendSettings = field(default_factory=SendSettings)
    references: ReferenceSettings = field(default_factory=ReferenceSettings)
    files: FileSettings = field(default_factory=FileSettings)
    diagnostics: DiagnosticSettings = field(default_factory=DiagnosticSettings)
    hover: Switch = field(default_factory=Switch)
    hints: Switch = field(default_factory=Switch)
    lenses: Switch = field(default_factory=Switch)
    tokens: Switch = field(default_factory=Switch)
    cache: CacheSettings = field(default_factory=CacheSettings)
    embedded: EmbeddedSettings = field(default_factory=EmbeddedSettings)


@dataclass(frozen=True, slots=True)
class SettingFault:
    """One setting that could not be read: its dotted path and what would be right."""

    path: str
    message: str


def read_settings(value: Mapping[str, Any] | None) -> tuple[Settings, tuple[SettingFault, ...]]:
    """Settings from an editor's object, with or without the outer `dsh` key.

    A wrong value costs one key, which keeps its default, never all.
    """
    raise NotImplementedError
