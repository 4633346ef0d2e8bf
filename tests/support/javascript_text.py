"""Hypothesis strategies for JavaScript strings: any code point, lone surrogates included."""

from __future__ import annotations

from hypothesis import strategies as st

from dsh_lsp.core.javascript import join_surrogates

NASTY = '"\\/<>[]()@`\n\r\t\b\f\0\x1b\x7f\x85\u00a0\u2028\u2029\ufeff\u202e\u200b😀会\ud83d\ude00'

CHARACTERS = st.characters() | st.sampled_from(NASTY) | st.characters(categories=["Cs"])


def javascript_strings(max_size: int = 30) -> st.SearchStrategy[str]:
    """Strings as JavaScript holds them: halves that meet are one code point."""
    return st.lists(CHARACTERS, max_size=max_size).map("".join).map(join_surrogates)
