"""The `@path` grammar: file mentions (docs/mentions.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dsh_lsp.core.javascript import WHITE_SPACE
from dsh_lsp.core.mentions import Mention, scan
from dsh_lsp.core.text import Span

_GLUE = r"[A-Za-z0-9._%+\-/@\\]"
"""What an `@` follows in an e-mail, a handle, a scoped package or a URL."""

_UNWRITABLE = "\x00-\x1f\x7f-\x9f\ud800-\udfff"
_WIDE_PUNCTUATION = "，。；：！？、…—（）［］｛｝【】《》〈〉「」『』〔〕“”‘’«»"

_OPENING = re.compile(rf"(?<!{_GLUE})@")
_PLAIN = re.compile(
    rf"""(?:[^@"'`<>|{_UNWRITABLE}{WHITE_SPACE}{_WIDE_PUNCTUATION}]+|(?<={_GLUE})@)*"""
)
_QUOTED = re.compile(rf'"([^"{_UNWRITABLE}]+)"')
_WRITABLE = re.compile(rf'[^"{_UNWRITABLE}]+')

_SENTENCE_PUNCTUATION = ".,;:!?*([{)]}"
"""At the end of an unquoted path it belongs to the sentence."""

_KNOWN_EXTENSIONS = """
adoc asm astro avi bash bat bib bin bmp bz2 c cc cfg cjs clj cmake cmd conf cpp crt cs css csv cxx
dart db diff dll docx dot el elm env erl ex exe exs f90 fish fs gif go gradle graphql groovy gz
h hcl hh hpp hrl hs htm html hxx ico ini ipynb jar java jl jpeg jpg js json json5 jsonc jsonl jsx
kt kts less lock log lua m4 make md mdx mjs ml mli mm mp3 mp4 mts nim nix patch pdf pem php pl pm
png pptx proto ps1 pub py pyi pyx qml r rb rs rst sass scala scm scss sh so sql sqlite sqlite3 srt
styl svelte svg swift tar tcl tex tf toml ts tsv tsx ttf txt vim vue wasm wav webp woff woff2
xlsx xml xsd xz yaml yml zig zip zsh zst
"""
_EXTENSIONS = frozenset(_KNOWN_EXTENSIONS.split())
"""Endings by which a name without a folder is taken for a file.

A list, since any rule of form would take `@app.route` and `@pytest.fixture` for files too.
"""


@dataclass(frozen=True, slots=True)
class PathMention:
    """An `@path` or `@"path with spaces"` in a text. `quoted` tells which."""

    span: Span
    path: str
    quoted: bool

    @property
    def file_like(self) -> bool:
        """Whether this must mean a file, and is not just a handle, a tag or a decorator."""
        _, dot, extension = self.path.rpartition(".")
        return self.quoted or "/" in self.path or (bool(dot) and extension.lower() in _EXTENSIONS)


def scan_paths(text: str, mentions: tuple[Mention, ...]) -> tuple[PathMention, ...]:
    """All path mentions outside session mentions, left to right, in linear time."""
    return scan_paths_from(text, 0, mentions)


def scan_paths_from(
    text: str, start: int, mentions: tuple[Mention, ...]
) -> tuple[PathMention, ...]:
    """Path mentions of `text` from `start` on; spans are offsets of the whole text."""
    found: list[PathMention] = []
    for mention in mentions:
        _scan_gap(text, start, mention.span.start, found)
        start = mention.span.end
    _scan_gap(text, start, len(text), found)
    return tuple(found)


def format_path(path: str, *, open_quote: bool = False) -> str | None:
    """The mention of a path, quoted when it must be; None for a path that cannot be written.

    With `open_quote` the quote that the user typed is kept.
    """
    quoted = f'@"{path}"'
    if not _WRITABLE.fullmatch(path) or scan(quoted):
        return None
    plain = f"@{path}"
    if open_quote or _mention_at(plain, 0, len(plain)) != PathMention(
        Span(0, len(plain)), path, quoted=False
    ):
        return quoted
    return plain


def opens_token(text: str, at: int) -> bool:
    """Whether the `@` at offset `at` can begin a mention, by what stands before it."""
    return _OPENING.match(text, at) is not None


def plain_end(text: str, start: int, limit: int) -> int:
    """Where the unquoted path that begins at `start`, behind its `@`, ends, before `limit`."""
    return _end_of(_PLAIN, text, start, limit)


def trimmed_end(text: str, start: int, end: int) -> int:
    """The end of an unquoted path without the punctuation of the sentence around it."""
    return start + len(text[start:end].rstrip(_SENTENCE_PUNCTUATION))


def _scan_gap(text: str, start: int, limit: int, found: list[PathMention]) -> None:
    """Append the path mentions that lie between two session mentions."""
    at = text.find("@", start, limit)
    while at >= 0:
        mention = _mention_at(text, at, limit) if opens_token(text, at) else None
        if mention is not None:
            found.append(mention)
        at = text.find("@", mention.span.end if mention else at + 1, limit)


def _mention_at(text: str, at: int, limit: int) -> PathMention | None:
    start = at + 1
    quoted = _QUOTED.match(text, start, limit)
    if quoted is not None:
        return PathMention(Span(at, quoted.end()), quoted.group(1), quoted=True)
    if text.startswith("[", start, limit):
        return None
    end = trimmed_end(text, start, plain_end(text, start, limit))
    return PathMention(Span(at, end), text[start:end], quoted=False) if end > start else None


def _end_of(run: re.Pattern[str], text: str, start: int, limit: int) -> int:
    match = run.match(text, start, limit)
    return match.end() if match else start
