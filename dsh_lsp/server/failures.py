"""Requests that cannot be answered as they are; the client is told why."""

from __future__ import annotations


class ArgumentError(ValueError):
    """A command was called wrongly. The message says which member, and what would be right."""


class UnknownDocumentError(LookupError):
    """A request names a document that is not open."""

    def __init__(self) -> None:
        super().__init__("The document is not open in this editor; open it first.")
