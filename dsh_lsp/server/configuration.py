"""Settings in layers: what the editor gave at the start, and what it says now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_lsp.settings import SettingFault, Settings, read_settings

SECTION = "dsh"


def merged(*given: Any) -> tuple[Settings, tuple[SettingFault, ...]]:
    """Settings from layers, the later ones on top.

    They are defaults, `initializationOptions` and the editor's present configuration. Each
    may be None, or of any shape; a wrong shape is one fault.
    """
    layers = [_section(layer) for layer in given if layer is not None]
    wrong = [layer for layer in layers if not isinstance(layer, Mapping)]
    good = [layer for layer in layers if isinstance(layer, Mapping)]
    value: Mapping[str, Any] = {}
    for layer in good:
        value = _laid_over(value, layer)
    settings, faults = read_settings(value)
    shapes = (SettingFault(SECTION, "expects an object of settings") for _ in wrong[:1])
    return settings, (*shapes, *faults)


def rests_on_same(one: Settings, other: Settings) -> bool:
    """Whether the same services serve both settings."""

    def parts(settings: Settings) -> tuple[Any, ...]:
        return (
            *(settings.home, settings.harness, settings.references),
            *(settings.files, settings.cache, settings.embedded),
        )

    return parts(one) == parts(other)


def _section(layer: Any) -> Any:
    """The section's object, with or without the outer key."""
    if isinstance(layer, Mapping) and SECTION in layer:
        return layer[SECTION] or {}
    return layer


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> Mapping[str, Any]:
    """Both objects, the upper one winning key by key; its nulls leave the lower value."""
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            result[key] = _laid_over(old, value)
        elif value is not None:
            result[key] = value
    return result
