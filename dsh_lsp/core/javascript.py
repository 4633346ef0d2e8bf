"""Strings, numbers and JSON as JavaScript has them, because the harness wrote the bytes we read.

A JavaScript string is UTF-16 and may hold one half of a surrogate pair; here it is a `str` that may
hold a lone surrogate. A JavaScript number is a double, and a boolean is not a number.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Any, NoReturn

import orjson

WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
r"""What `\s` matches in a JavaScript regular expression; Python's differs."""

LINE_TERMINATORS = "\n\r\u2028\u2029"
"""What `.` does not match in a JavaScript regular expression; Python's differs."""

MAX_SAFE_INTEGER = 2**53 - 1

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def join_surrogates(text: str) -> str:
    """The same JavaScript string with every two surrogate halves that meet as one code point."""
    return _PAIR.sub(lambda pair: _from_utf16(pair.group()), text)


def utf8_length(text: str) -> int:
    """Bytes of the text in UTF-8; a lone surrogate counts three, as its replacement would."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        return len(join_surrogates(text).encode("utf-8", "surrogatepass"))


def parse(source: bytes | str) -> Any:
    """Read one JSON text as `JSON.parse` does; bytes must be UTF-8 without a byte order mark.

    Raises ValueError for anything else, `NaN` and `Infinity` included. Whole numbers are `int`
    where the text has no fraction or exponent: use `safe_integer` and `equal` to look at them.
    """
    try:
        return orjson.loads(source)
    except orjson.JSONDecodeError:
        text = source if isinstance(source, str) else source.decode()
        if not (_SURROGATE_ESCAPE.search(text) or _SURROGATE.search(text)):
            raise
    # orjson refuses lone surrogates, which JavaScript strings may hold.
    try:
        return json.loads(join_surrogates(text), parse_constant=_refuse, parse_int=_integer)
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None


def stringify(value: Any) -> str:
    """Write a JSON value as `JSON.stringify` does: compact, members in the order of the mapping.

    Raises TypeError for a value that JSON cannot hold.
    """
    if isinstance(value, str):
        return _quote(value)
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


def compact_bytes(value: Any) -> bytes:
    """A JSON value as bytes that `parse` reads back: quickly, where nothing forbids it.

    Raises TypeError for a value that JSON cannot hold.
    """
    try:
        return bytes(memoryview(orjson.dumps(value)))  # what orjson gives takes 4 KB at least
    except TypeError:  # lone surrogates, and numbers that are too long
        return stringify(value).encode()


def is_number(value: Any) -> bool:
    """Whether a parsed JSON value is a number; `True` is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def safe_integer(value: Any) -> int | None:
    """A parsed JSON value as an exact whole number, `1.0` and `-0` included; None for others."""
    if not (is_number(value) and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER):
        return None
    if value != math.floor(value):
        return None
    return int(value)


def equal(left: Any, right: Any) -> bool:
    """Whether two parsed JSON values are deeply equal: numbers as doubles, member order free."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif is_number(one) and is_number(other):
            if float(one) != float(other):
                return False
        elif type(one) is not type(other) or one != other:
            return False
    return True


def _write(value: Any, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(_quote(value))
    elif value is None:
        parts.append("null")
    elif isinstance(value, bool):
        parts.append("true" if value else "false")
    elif isinstance(value, int | float):
        parts.append(_number(value))
    elif isinstance(value, Mapping):
        separator = "{"
        for key, member in value.items():
            parts += (separator, _quote(key), ":")
            _write(member, parts)
            separator = ","
        parts.append("}" if value else "{}")
    elif isinstance(value, list | tuple):
        separator = "["
        for item in value:
            parts.append(separator)
            _write(item, parts)
            separator = ","
        parts.append("]" if value else "[]")
    else:
        raise TypeError(f"JSON cannot hold a {type(value).__name__}")


def _quote(text: str) -> str:
    try:
        return orjson.dumps(text).decode()
    except TypeError:
        quoted = encode_basestring(join_surrogates(text))
        return _SURROGATE.sub(lambda half: f"\\u{ord(half.group()):04x}", quoted)


def _number(value: float) -> str:
    if isinstance(value, int) and abs(value) <= MAX_SAFE_INTEGER:
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    # Python finds the same shortest digits as JavaScript but places the point differently.
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or "0")
    significant = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(significant)
    return ("-" if number < 0 else "") + _place_point(significant.rstrip("0"), point)


def _place_point(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def _integer(digits: str) -> float:
    # Python limits the digits of an int, and orjson too reads a long one as a double.
    return int(digits) if len(digits) < 20 else float(digits)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


def _from_utf16(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
