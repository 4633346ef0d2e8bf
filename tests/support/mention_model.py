"""The mention grammar once more, from its description, as slowly and plainly as possible."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

SPACES = {0x9, 0xA, 0xB, 0xC, 0xD, 0x20, 0xA0, 0x1680, *range(0x2000, 0x200B)}
SPACES |= {0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF}
LETTERS = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
SCHEME = "dsh-session:"


@dataclass(frozen=True)
class Found:
    """Start, end, label and session id of a mention; the id is None for a malformed URI."""

    start: int
    end: int
    label: str | None
    session_id: str | None


def find_all(text: str) -> list[Found]:
    """Try both forms at every place, from the left."""
    found, place = [], 0
    while place < len(text):
        mention = _explicit(text, place) or _bare(text, place)
        if mention is not None:
            found.append(mention)
        place = mention.end if mention else place + 1
    return found


def _explicit(text: str, start: int) -> Found | None:
    if text[start : start + 2] != "@[":
        return None
    place, label = start + 2, ""
    while True:
        if place >= len(text):
            return None
        if text[place] == "]":
            break
        if text[place] == "\\":
            place += 1
            if place >= len(text) or text[place] in "\n\r\u2028\u2029":
                return None
        label += text[place]
        place += 1
    uri = place + 2
    if text[place:uri] != "](" or text[uri : uri + len(SCHEME)] != SCHEME:
        return None
    end = uri + len(SCHEME)
    while end < len(text) and text[end] != ")" and ord(text[end]) not in SPACES:
        end += 1
    if end == len(text) or text[end] != ")":
        return None
    return Found(start, end + 1, label, session_id_of(text[uri:end]))


def _bare(text: str, start: int) -> Found | None:
    payload = start + len(SCHEME)
    if text[start:payload] != SCHEME:
        return None
    end = payload
    while end < len(text) and text[end] in LETTERS:
        end += 1
    if end == payload:
        return None
    session_id = session_id_of(text[start:end])
    return Found(start, end, session_id, session_id)


def session_id_of(uri: str) -> str | None:
    """The id whose canonical URI this is, or None."""
    payload = uri[len(SCHEME) :]
    try:
        literal = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()
        session_id = json.loads(literal)
    except ValueError:
        return None
    return session_id if isinstance(session_id, str) and uri_of(session_id) == uri else None


def uri_of(session_id: str) -> str:
    """The canonical URI, escape by escape."""
    escapes = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n"}
    escapes |= {"\f": "\\f", "\r": "\\r"}
    literal = '"'
    for character in session_id:
        code = ord(character)
        if character in escapes:
            literal += escapes[character]
        elif code < 0x20 or 0xD800 <= code <= 0xDFFF:
            literal += f"\\u{code:04x}"
        else:
            literal += character
    encoded = base64.urlsafe_b64encode((literal + '"').encode())
    return SCHEME + encoded.decode().replace("=", "")
