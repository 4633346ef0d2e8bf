"""Checks segments.jsonl: folder names of sessions and projects, and where a log lies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dsh_lsp.sessions.layout import (
    Compression,
    LogName,
    encode_segment,
    project_key,
    session_folder,
)
from tests.vector_checks.refusal import Refused
from tests.vector_checks.shape import UnknownShapeError, expect_keys, expect_text


def run(given: dict[str, Any]) -> dict[str, Any]:
    """The folder name that an id or a cwd gives, or the path of a log."""
    try:
        return _run(given)
    except ValueError as error:
        raise Refused(None) from error


def _run(given: dict[str, Any]) -> dict[str, Any]:
    match given.get("op"):
        case "encodeSegment":
            expect_keys(given, ("op", "raw"))
            return {"segment": encode_segment(expect_text(given["raw"]))}
        case "projectKey":
            expect_keys(given, ("op", "cwd"))
            return {"key": project_key(expect_text(given["cwd"]))}
        case "locate":
            return {"kind": "jsonl", "path": _locate(given)}
    raise UnknownShapeError(f"no operation is called {given.get('op')!r}")


def _locate(given: dict[str, Any]) -> str:
    expect_keys(given, ("op", "root", "compression", "id"), ("cwd",))
    cwd = expect_text(given["cwd"]) if "cwd" in given else None
    root = Path(os.path.normpath(expect_text(given["root"])))
    name = LogName(0, Compression(expect_text(given["compression"])))
    return str(session_folder(root, expect_text(given["id"]), cwd) / str(name))
