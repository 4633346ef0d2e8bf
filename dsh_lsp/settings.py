"""The settings as one frozen value, and their strict reader (docs/settings.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Annotated, Any, Literal, get_type_hints

from dsh_lsp.core.display import one_line
from dsh_lsp.core.limits import MAX_REFERENCES
from dsh_lsp.harness.port import Mode
from dsh_lsp.setting_kinds import (
    Folder,
    HostOr,
    HostUrl,
    Kind,
    OneOf,
    Patterns,
    Program,
    SessionName,
    WholeNumber,
    YesNo,
)

MAX_FAULTS = 100

MAX_SHOWN = 60
"""Characters of a wrong value that a message repeats."""


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
    url: Annotated[str | None, HostUrl()] = None
    command: Annotated[str, Program()] = "dsh"


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """`dsh.target.*`. `session` is an id, a well-formed `dsh-session:` URI, or `new`."""

    session: Annotated[str | None, SessionName()] = None


@dataclass(frozen=True, slots=True)
class SendSettings:
    """`dsh.send.*`."""

    mode: Mode = Mode.QUEUE
    expand: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceSettings:
    """`dsh.references.*`. Sizes are UTF-8 bytes."""

    max_references: Annotated[int, WholeNumber(1, MAX_REFERENCES)] = MAX_REFERENCES
    candidate_limit: Annotated[int, WholeNumber(1)] = 50
    max_reference_bytes: Annotated[int | Literal["host"], HostOr(WholeNumber(1))] = "host"


@dataclass(frozen=True, slots=True)
class FileSettings:
    """`dsh.files.*`."""

    enabled: bool = True
    exclude: Annotated[tuple[str, ...], Patterns()] = (".git", "node_modules")


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

    root: Annotated[str | None, Folder()] = None


@dataclass(frozen=True, slots=True)
class Settings:
    """The section `dsh`. `home` None stands for `$DSH_HOME`, else `~/.dsh`."""

    home: Annotated[str | None, Folder()] = None
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

    A wrong value costs one key, which keeps its default, never all; `null` leaves the default, and
    an empty list stands for an empty object.
    """
    faults: list[SettingFault] = []
    settings = _read_group(Settings, _section(value, faults), "dsh", faults)
    return settings, _some(faults)


def setting_keys(group: type = Settings, prefix: str = "") -> Iterator[tuple[str, Kind, Any]]:
    """Every key as `references.maxReferences`, with its kind and its default."""
    defaults = group()
    for member in _members(group):
        default = getattr(defaults, member.name)
        if isinstance(member.reader, type):
            yield from setting_keys(member.reader, f"{prefix}{member.key}.")
        else:
            yield f"{prefix}{member.key}", member.reader, default


@dataclass(frozen=True, slots=True)
class _Member:
    """One field of a settings dataclass: its reader is a nested dataclass or a kind."""

    name: str
    key: str
    reader: type | Kind


def _members(group: type) -> Iterator[_Member]:
    hints = get_type_hints(group, include_extras=True)
    for entry in fields(group):
        first, *rest = entry.name.split("_")
        key = first + "".join(word.capitalize() for word in rest)
        yield _Member(entry.name, key, _reader(hints[entry.name]))


def _reader(hint: Any) -> type | Kind:
    if hasattr(hint, "__metadata__"):
        kind: Kind = hint.__metadata__[0]
        return kind
    if hint is bool:
        return YesNo()
    if issubclass(hint, StrEnum):
        return OneOf(hint)
    group: type = hint
    return group


def _section(value: Any, faults: list[SettingFault]) -> Any:
    """The section's object; keys of other programs beside an outer `dsh` are not ours to judge."""
    if not isinstance(value, Mapping) or "dsh" not in value:
        return value
    ours = {member.key for member in _members(Settings)}
    faults.extend(
        SettingFault(f"dsh.{key}", "stands beside `dsh`; move it inside")
        for key in value
        if key in ours
    )
    return value["dsh"]


def _read_group(group: type, value: Any, path: str, faults: list[SettingFault]) -> Any:
    if value is None or value == []:  # Lua writes an empty object so
        return group()
    if not isinstance(value, Mapping):
        faults.append(SettingFault(path, f"expects an object of settings, got {_shown(value)}"))
        return group()
    members = {member.key: member for member in _members(group)}
    found = {}
    for key, inner in value.items():
        member = members.get(key)
        if member is None:
            faults.append(_unknown_key(path, key, list(members)))
        elif isinstance(member.reader, type):
            found[member.name] = _read_group(member.reader, inner, f"{path}.{key}", faults)
        elif inner is not None:
            try:
                found[member.name] = member.reader.read(inner)
            except ValueError as reason:
                faults.append(_wrong_value(f"{path}.{key}", member.reader, inner, str(reason)))
    return group(**found)


def _some(faults: list[SettingFault]) -> tuple[SettingFault, ...]:
    more = len(faults) - MAX_FAULTS
    if more <= 0:
        return tuple(faults)
    return (*faults[:MAX_FAULTS], SettingFault("dsh", f"{more} more settings are wrong"))


def _wrong_value(path: str, kind: Kind, value: Any, reason: str) -> SettingFault:
    message = f"expects {kind.expected}, got {_shown(value)}"
    return SettingFault(path, f"{message}: {reason}" if reason else message)


def _unknown_key(path: str, key: Any, known: list[str]) -> SettingFault:
    import difflib  # most settings are right

    name = key if isinstance(key, str) else repr(key)
    plain = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name[:100].replace("_", "").lower(), plain, n=1)
    elsewhere = [other for other, _, _ in setting_keys() if other.rpartition(".")[2] == name]
    if "." in name:
        hint = "each part between the dots is an object of its own"
    elif near:
        hint = f"did you mean `{path}.{plain[near[0]]}`?"
    elif elsewhere:
        hint = "did you mean " + " or ".join(f"`dsh.{other}`" for other in elsewhere) + "?"
    else:
        hint = "known here: " + ", ".join(known)
    return SettingFault(f"{path}.{_bounded(name)}", f"there is no such setting; {hint}")


def _shown(value: Any) -> str:
    """A wrong value for a message, as JSON."""
    as_json = json.dumps(value, ensure_ascii=False, default=lambda other: type(other).__name__)
    return _bounded(as_json)


def _bounded(text: str) -> str:
    return one_line(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")
