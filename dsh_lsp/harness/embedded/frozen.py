"""Values of JSON that nobody can change any more."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def freeze(value: Any) -> Any:
    """A read-only copy, all the way down: objects as mappings, arrays as tuples."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: freeze(member) for key, member in value.items()})
    if isinstance(value, list | tuple):
        return tuple(freeze(member) for member in value)
    return value
