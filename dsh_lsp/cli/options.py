"""The options that every command takes, and the settings that they make."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsh_lsp.cli.failures import UserError
from dsh_lsp.cli.folders import folder
from dsh_lsp.core.display import one_line

if TYPE_CHECKING:
    from dsh_lsp.settings import SettingFault, Settings

MAX_SETTINGS_BYTES = 1 << 20


def add_common_options(parser: argparse.ArgumentParser, *, prefix: str = "") -> None:
    """Options that may stand before the command (with a `prefix` of their own) and behind it."""
    group = parser.add_argument_group("settings (docs/settings.md)")
    group.add_argument(
        "--home",
        dest=f"{prefix}home",
        type=folder,
        metavar="FOLDER",
        help="the harness home (default: $DSH_HOME, else ~/.dsh); sessions are in FOLDER/sessions",
    )
    group.add_argument(
        "--settings",
        dest=f"{prefix}settings",
        metavar="FILE",
        help="read settings from a JSON file, as an editor would send them",
    )
    group.add_argument(
        "--set",
        dest=f"{prefix}set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set one key, such as harness.mode=embedded; may be repeated",
    )
    group.add_argument(
        "--debug", dest=f"{prefix}debug", action="store_true", help="show tracebacks of faults"
    )


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings that the options make. Raises `UserError` naming each one that is wrong."""
    from dsh_lsp.settings import read_settings

    settings, faults = read_settings(_section(options))
    if faults:
        raise UserError(_fault_message(faults))
    return settings


def section_of(options: argparse.Namespace) -> dict[str, Any]:
    """The same as the object that an editor would send. Raises `UserError`."""
    section = _section(options)
    if section:
        settings_of(options)
    return section


def home_of(options: argparse.Namespace) -> str | None:
    """`--home`, wherever it stands; not every command takes it."""
    home: str | None = getattr(options, "home", None) or options.outer_home
    return home


def _section(options: argparse.Namespace) -> dict[str, Any]:
    """The file, then single keys, then `--home`."""
    path = options.settings or options.outer_settings
    section = _read_file(Path(path)) if path else {}
    section = section.get("dsh", section)
    for assignment in (*options.outer_set, *options.set):
        key, equals, text = assignment.partition("=")
        if not equals:
            raise UserError(f"--set needs KEY=VALUE, got {one_line(assignment)}")
        section = _with(section, key.removeprefix("dsh.").split("."), text)
    home = home_of(options)
    if home:
        section = {**section, "home": home}
    return section


def _fault_message(faults: tuple[SettingFault, ...]) -> str:
    lines = [f"{fault.path}: {fault.message}" for fault in faults]
    return "these settings are wrong (docs/settings.md):\n" + "\n".join(f"  {x}" for x in lines)


def _read_file(path: Path) -> dict[str, Any]:
    shown = one_line(str(path))
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SETTINGS_BYTES + 1)
    except OSError as error:
        raise UserError(f"cannot read the settings in {shown}: {error.strerror}") from None
    if len(content) > MAX_SETTINGS_BYTES:
        raise UserError(f"{shown} is larger than a settings file can be (1 MiB)")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{shown} is not JSON: {one_line(str(error))}") from None
    if not isinstance(value, dict):
        raise UserError(f'{shown} must hold one object, such as {{"harness": {{"mode": "off"}}}}')
    return value


def _with(section: Any, path: list[str], text: str) -> dict[str, Any]:
    """A section with one key set; what the section held there before is replaced."""
    inner = section if isinstance(section, dict) else {}
    first, *rest = path
    if rest:
        return {**inner, first: _with(inner.get(first), rest, text)}
    return {**inner, first: _value(text)}


def _value(text: str) -> Any:
    """JSON where it is (`2`, `false`, `["*.log"]`), else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
