"""Checking that a record's input has a shape that the check knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class UnknownShapeError(Exception):
    """The record is not one that this check can judge."""


def expect_keys(
    given: dict[str, Any], required: Iterable[str], optional: Iterable[str] = ()
) -> None:
    """Raise `UnknownShapeError` unless the keys are the required ones and perhaps optional ones."""
    needed = set(required)
    if not needed <= given.keys() <= needed | set(optional):
        raise UnknownShapeError(f"unknown shape of input: {', '.join(sorted(given)) or 'empty'}")


def expect_text(value: Any) -> str:
    """The value, which must be a string."""
    if not isinstance(value, str):
        raise UnknownShapeError(f"a string was expected, not a {type(value).__name__}")
    return value
