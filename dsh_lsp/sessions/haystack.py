"""Looking for a query in thousands of candidates as in one long text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from dsh_lsp.core.candidates import Candidate

SEPARATOR = "\0"
"""Stands around each text; a needle that holds it could seem to be found across two texts."""

_BORDER = 0xFF  # about one candidate of 256 begins a block


class _Block:
    """Some candidates in a row, and their texts one after another in UTF-8."""

    def __init__(self, candidates: tuple[Candidate, ...]) -> None:
        self.candidates = candidates
        texts = [
            SEPARATOR.join(("", *candidate.texts, "")).encode("utf-8", "surrogatepass")
            for candidate in candidates
        ]
        self._text = b"".join(texts)
        self._starts = list(accumulate(map(len, texts), initial=0))

    def find(self, wanted: bytes) -> Iterator[Candidate]:
        at = self._text.find(wanted)
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            if place >= len(self.candidates):  # only the empty needle is found behind the end
                return
            yield self.candidates[place]
            at = self._text.find(wanted, self._starts[place + 1])


class Haystack:
    """Candidates whose texts can be searched as quickly as memory can be read.

    They lie in blocks, and a block begins where a candidate's id says so, wherever it stands: so
    one that appears or changes costs one block, and all others are taken from `before`.
    """

    def __init__(self, candidates: Sequence[Candidate], before: Haystack | None = None) -> None:
        old = {each.candidates[0].session_id: each for each in (before.blocks if before else ())}
        self.blocks: list[_Block] = []
        for part in _parts(candidates):
            block = old.get(part[0].session_id)
            self.blocks.append(
                block if block is not None and block.candidates == part else _Block(part)
            )

    def __iter__(self) -> Iterator[Candidate]:
        for block in self.blocks:
            yield from block.candidates

    def find(self, needle: str) -> Iterator[Candidate]:
        """The candidates that hold a needle of whole characters, without `SEPARATOR`, in order."""
        wanted = needle.encode()
        for block in self.blocks:
            yield from block.find(wanted)


def _parts(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, ...]]:
    borders = [
        place
        for place, candidate in enumerate(candidates)
        if not hash(candidate.session_id) & _BORDER
    ]
    start = 0
    for border in (*borders, len(candidates)):
        if border > start:
            yield tuple(candidates[start:border])
            start = border
