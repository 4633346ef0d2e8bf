"""What a completion replaces: each case is a text with the cursor at `|`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.prompt import parse_prompt
from dsh_lsp.core.token import Opening, Token, token_at

PLAIN, QUOTE, BRACKET = Opening

OPENS = [
    # text, opening, query, what insert covers, what replace covers
    ("@|", PLAIN, "", "@", "@"),
    ("@fi|", PLAIN, "fi", "@fi", "@fi"),
    ("see @fi|", PLAIN, "fi", "@fi", "@fi"),
    ("@|fix", PLAIN, "", "@", "@fix"),
    ("@fi|x it", PLAIN, "fi", "@fi", "@fix"),
    ("(see @src/ma|in.py)", PLAIN, "src/ma", "@src/ma", "@src/main.py"),
    ("@src/main.|", PLAIN, "src/main.", "@src/main.", "@src/main."),
    ("@src/ma|in.py, then", PLAIN, "src/ma", "@src/ma", "@src/main.py"),
    ("one\n@a|", PLAIN, "a", "@a", "@a"),
    ("one\r@a|\rb", PLAIN, "a", "@a", "@a"),
    ("one\r\n@a|\r\nb", PLAIN, "a", "@a", "@a"),
    ("参考@登|录", PLAIN, "登", "@登", "@登录"),
    ("看@a.py，再看@b|", PLAIN, "b", "@b", "@b"),
    ("张三和@李|", PLAIN, "李", "@李", "@李"),
    ("😀@a|b", PLAIN, "a", "@a", "@ab"),
    ("(@a|", PLAIN, "a", "@a", "@a"),
    ("@@types/n|", PLAIN, "@types/n", "@@types/n", "@@types/n"),
    ("@app/@modal/p|", PLAIN, "app/@modal/p", "@app/@modal/p", "@app/@modal/p"),
    ("@a,@b|c", PLAIN, "b", "@b", "@bc"),
    ("@a\u2028@b|", PLAIN, "b", "@b", "@b"),
    ("@dsh-session:|", PLAIN, "dsh-session:", "@dsh-session:", "@dsh-session:"),
    ('@"|', QUOTE, "", '@"', '@"'),
    ('@"my f|', QUOTE, "my f", '@"my f', '@"my f'),
    ('@"my f|ile.md" and', QUOTE, "my f", '@"my f', '@"my file.md"'),
    ('@"my f|ile.md and', QUOTE, "my f", '@"my f', '@"my file.md'),
    ('@"|"', QUOTE, "", '@"', '@""'),
    ('@|"a b"', PLAIN, "", "@", '@"a b"'),
    ('@"a b" @"c|', QUOTE, "c", '@"c', '@"c'),
    ('@"dir/@scope/p|', QUOTE, "dir/@scope/p", '@"dir/@scope/p', '@"dir/@scope/p'),
    ("@[|", BRACKET, "", "@[", "@["),
    ("@[fix lo|", BRACKET, "fix lo", "@[fix lo", "@[fix lo"),
    ("@[fix lo|gin] now", BRACKET, "fix lo", "@[fix lo", "@[fix login]"),
    ("@[fix lo|gin now", BRACKET, "fix lo", "@[fix lo", "@[fix login"),
    ("@[fix lo|gin and [a link]", BRACKET, "fix lo", "@[fix lo", "@[fix login"),
    ("@[|]", BRACKET, "", "@[", "@[]"),
    ("@|[x]", PLAIN, "", "@", "@[x]"),
    (r"@[a\]b|", BRACKET, "a]b", r"@[a\]b", r"@[a\]b"),
    ("@[a\\|", BRACKET, "a\\", "@[a\\", "@[a\\"),
    ("@[x] @y|", PLAIN, "y", "@y", "@y"),
    ("@[mail @bob|", BRACKET, "mail @bob", "@[mail @bob", "@[mail @bob"),
    # Inside a mention the whole mention is replaced.
    ("@[Pl|an](dsh-session:InMxIg)", BRACKET, "Pl", "@[Pl", "@[Plan](dsh-session:InMxIg)"),
    ("@[|Plan](dsh-session:InMxIg)", BRACKET, "", "@[", "@[Plan](dsh-session:InMxIg)"),
    ("@[Plan|](dsh-session:InMxIg)", BRACKET, "Plan", "@[Plan", "@[Plan](dsh-session:InMxIg)"),
    ("@|[Plan](dsh-session:InMxIg)", BRACKET, "", "@", "@[Plan](dsh-session:InMxIg)"),
    ("a@[Pl|an](dsh-session:InMxIg)", BRACKET, "Pl", "@[Pl", "@[Plan](dsh-session:InMxIg)"),
    ("@[Pl|an](dsh-session:bad!)", BRACKET, "Pl", "@[Pl", "@[Plan](dsh-session:bad!)"),
    ("@[Pl|an](dsh-session:InMxIg b", BRACKET, "Pl", "@[Pl", "@[Plan](dsh-session:InMxIg"),
    ("@[Plan](dsh-session:InMxIg) @a|", PLAIN, "a", "@a", "@a"),
    ("@[Plan](dsh-session:InMxIg)@a|", PLAIN, "a", "@a", "@a"),
    ("@a|@[Plan](dsh-session:InMxIg)", PLAIN, "a", "@a", "@a"),
    ("@a|dsh-session:InMxIg", PLAIN, "a", "@a", "@a"),
    ("@[x\n@b|\n](dsh-session:InMxIg)", PLAIN, "b", "@b", "@b"),
    ("---\ndsh:\n  mode: steer\n---\n@a|", PLAIN, "a", "@a", "@a"),
]

OPENS_NOTHING = [
    "|",
    "|@a",
    "a|",
    "@a |",
    "@a b|",
    "joe@exam|ple.com",
    "a@|",
    "7@|",
    "_@|",
    ".@|",
    "%@|",
    "+@|",
    "-@|",
    "\\@|",
    "https://x.org/@us|er",
    "@a\n|",
    "@a\r|",
    "@a\u3000b|",
    "@a，b|",
    '@"a b"|',
    '@"a" b|',
    "@[a]|",
    "@[a] b|",
    "@[a b\nc|",
    '@"a b\nc|',
    "@[Plan](|dsh-session:InMxIg)",
    "@[Plan](dsh-session:In|MxIg)",
    "@[Plan](dsh-session:InMxIg|)",
    "@[Plan](dsh-session:InMxIg)|",
    "@[Plan](dsh-session:InMxIg) |",
    "@[Plan](dsh-session:InMxIg|",
    "|@[Plan](dsh-session:InMxIg)",
    "@dsh-session:In|MxIg",
    "dsh-session:InMxIg|",
    "---\ndsh:\n  session: @a|\n---\n",
]


def at_mark(marked: str) -> tuple[str, Token | None]:
    """The text without its mark, and the token at the mark."""
    offset = marked.index("|")
    text = marked[:offset] + marked[offset + 1 :]
    return text, token_at(parse_prompt(text), offset)


@pytest.mark.parametrize(("marked", "opening", "query", "insert", "replace"), OPENS)
def test_a_token_is_replaced_exactly(marked, opening, query, insert, replace):
    text, token = at_mark(marked)
    assert token is not None
    assert (token.opening, token.query) == (opening, query)
    assert (token.insert.of(text), token.replace.of(text)) == (insert, replace)
    assert token.insert.end == marked.index("|")


@pytest.mark.parametrize("marked", OPENS_NOTHING)
def test_nothing_opens(marked):
    assert at_mark(marked)[1] is None


PIECES = ["@", '@"', "@[", "]", "(", ")", "a", " ", "\n", "\r\n", "\\", "dsh-session:InMxIg", "，"]
PIECES += ["@[a](dsh-session:InMxIg)", "@[a](dsh-session:InMxIg", "---\n", "dsh: 1\n", "😀", '"']


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.data())
def test_a_token_lies_around_the_cursor_in_one_line(text, data):
    offset = data.draw(st.integers(0, len(text)))
    token = token_at(parse_prompt(text), offset)
    if token is not None:
        assert token.insert.start == token.replace.start < token.insert.end == offset
        assert offset <= token.replace.end <= len(text)
        assert text[token.insert.start] == "@"
        assert not {"\n", "\r"} & set(token.replace.of(text))
