"""The `dsh-session:` URI codec (docs/mentions.md)."""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64

from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import InvalidReferenceError
from dsh_lsp.core.javascript import parse, stringify

SCHEME = "dsh-session:"

_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_ONLY_PADDING = re.compile(r"[A-Za-z0-9_-]*=+")

_AGAIN = "complete the mention again."

_NOTHING = InvalidReferenceError(f"Nothing follows `{SCHEME}`, so no session is named: {_AGAIN}")
_LENGTH = InvalidReferenceError(
    "This session URI has a length that base64url cannot have, so it was cut or something was "
    f"glued to it: {_AGAIN}"
)
_NOT_JSON = InvalidReferenceError(
    "The payload of this session URI is not JSON in UTF-8, so it was cut, changed or something "
    f"was glued to it: {_AGAIN}"
)
_NOT_A_STRING = InvalidReferenceError(
    f"The payload of this session URI is not a string, as a session id is: {_AGAIN}"
)


def encode(session_id: str) -> str:
    """The canonical URI of a session id; any string, lone surrogates included, round-trips."""
    payload = b2a_base64(stringify(session_id).encode(), newline=False).decode()
    return SCHEME + _url_alphabet(payload.rstrip("="))


def decode(uri: str) -> str:
    """The session id of a canonical URI.

    Raises `InvalidReferenceError`, whose message tells what is wrong (scheme, padding, alphabet,
    not JSON, not a string, not canonical) and what to do.
    """
    session_id = examine(uri)
    if isinstance(session_id, InvalidReferenceError):
        # A new error, for many mentions may share that one, and it must keep no stack alive.
        raise InvalidReferenceError(session_id.message, session_id.meant)
    return session_id


def examine(uri: str) -> str | InvalidReferenceError:
    """The session id of a canonical URI, or what `decode` would raise.

    A text may hold many thousands of malformed URIs, so their faults are shared as far as they are
    alike; whoever raises one raises a copy.
    """
    if not uri.startswith(SCHEME):
        return InvalidReferenceError(
            f"A session URI starts with `{SCHEME}` in lower case: {_AGAIN}", canonical(uri)
        )
    payload = uri[len(SCHEME) :]
    foreign = _FOREIGN.search(payload)
    if foreign is not None:
        return InvalidReferenceError(_foreign_message(payload, foreign.group()), canonical(uri))
    session_id = _read_payload(payload)
    if isinstance(session_id, str) and (meant := encode(session_id)) != uri:
        return InvalidReferenceError(
            "This session URI is not canonical: another spelling of the same id is the one that "
            f"sessions are found by; use the canonical one, or {_AGAIN}",
            meant,
        )
    return session_id


def canonical(uri: str) -> str | None:
    """The canonical URI that a malformed one plainly stands for, or None.

    Forgives the case of the scheme, padding, the standard base64 alphabet, and another spelling of
    the same JSON string; never guesses what is missing.
    """
    scheme, payload = uri[: len(SCHEME)], uri[len(SCHEME) :]
    if scheme.lower() != SCHEME:
        return None
    padding = len(payload) - len(payload.rstrip("="))
    payload = _url_alphabet(payload[: len(payload) - padding])
    if padding > 2 or _FOREIGN.search(payload):
        return None
    session_id = _read_payload(payload)
    return encode(session_id) if isinstance(session_id, str) else None


def _read_payload(payload: str) -> str | InvalidReferenceError:
    if not payload:
        return _NOTHING
    try:
        padded = payload.replace("-", "+").replace("_", "/") + "=" * (-len(payload) % 4)
        value: object = parse(a2b_base64(padded))
    except Base64Error:
        return _LENGTH
    except ValueError:
        return _NOT_JSON
    return value if isinstance(value, str) else _NOT_A_STRING


def _url_alphabet(payload: str) -> str:
    return payload.replace("+", "-").replace("/", "_")


def _foreign_message(payload: str, character: str) -> str:
    if _ONLY_PADDING.fullmatch(payload):
        return "A session URI carries no base64 padding: remove the `=` at its end."
    if character in "+/":
        return (
            f"A session URI uses the base64url alphabet, with `-` and `_` in place of `+` and `/`: "
            f"replace them, or {_AGAIN}"
        )
    return (
        f"`{one_line(character)}` is outside the alphabet of a session URI, "
        f"which is A-Z a-z 0-9 `-` `_`: remove it, or {_AGAIN}"
    )
