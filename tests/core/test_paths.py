"""The `@path` grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.mentions import scan
from dsh_lsp.core.paths import PathMention, format_path, scan_paths, scan_paths_from
from dsh_lsp.core.text import Span
from tests.support.javascript_text import CHARACTERS
from tests.support.linear import is_linear

TEXTS = [
    # a text, and the paths that it mentions
    ("see @src/main.py, and @lib", ["src/main.py", "lib"]),
    ("(@a.md) `@b.md` **@c.md** |@d.md|", ["a.md", "b.md", "c.md", "d.md"]),
    ("@a.md's and '@b.md'", ["a.md", "b.md"]),
    ("参考@src/文件.md，然后看@b。", ["src/文件.md", "b"]),
    ('@"my file.md" and @"a, b"!', ["my file.md", "a, b"]),
    ("@dir/ @./ @../x @~/y", ["dir/", "./", "../x", "~/y"]),
    ("@@types/node @pkg/@scope/x", ["@types/node", "pkg/@scope/x"]),
    ("@app/[id]/(group)/p.tsx", ["app/[id]/(group)/p.tsx"]),
    ("@a,@b(@c", ["a", "b", "c"]),
    ("@C:\\x\\y.py @a%20b", ["C:\\x\\y.py", "a%20b"]),
    ("@a\u3000@b\ufeff", ["a", "b"]),
    ("joe@example.com a@b _@c \\@d https://x.org/@e", []),
    ('@ @. @... @"" @"open\n" @[x] @(', []),
    ("@[Plan](dsh-session:InMxIg) @dsh-session:InMxIg", []),
    ("@a@[Plan](dsh-session:InMxIg)@b", ["a", "b"]),
    ('@"a @[Plan](dsh-session:InMxIg) b"', []),
    ("@[Plan](dsh-session:InMxIg", []),
]


@pytest.mark.parametrize(("text", "paths"), TEXTS)
def test_paths_of_a_text(text, paths):
    found = scan_paths(text, scan(text))
    assert [mention.path for mention in found] == paths
    for mention in found:
        written = f'@"{mention.path}"' if mention.quoted else f"@{mention.path}"
        assert mention.span.of(text) == written


FORMS = [
    ("src/main.py", "@src/main.py"),
    ("my file.md", '@"my file.md"'),
    ("dir/", "@dir/"),
    ("[id]", '@"[id]"'),
    ("a.", '@"a."'),
    ("文件，二.md", '@"文件，二.md"'),
    ("$x & y@z", '@"$x & y@z"'),
    ('a"b', None),
    ("a\nb", None),
    ("a\x7f", None),
    ("a\udc80", None),
    ("", None),
    ("dsh-session:ImEi", None),
]


@pytest.mark.parametrize(("path", "mention"), FORMS)
def test_a_path_is_quoted_when_it_must_be(path, mention):
    assert format_path(path) == mention


@pytest.mark.parametrize("path", ["src/main.py", "my file.md"])
def test_an_open_quote_is_kept(path):
    assert format_path(path, open_quote=True) == f'@"{path}"'


PATHS = st.lists(
    st.sampled_from(["a", "/", ".", "@", "[", "]", "(", " ", ",", "会", "，", "'", "-"])
)


@given(st.lists(CHARACTERS).map("".join) | PATHS.map("".join), st.booleans())
def test_what_is_written_is_found_again(path, open_quote):
    mention = format_path(path, open_quote=open_quote)
    if mention is not None:
        text = f"see {mention} now"
        assert scan_paths(text, scan(text)) == (
            PathMention(Span(4, 4 + len(mention)), path, mention.startswith('@"')),
        )


@pytest.mark.parametrize(
    ("mention", "file_like"),
    [
        ("@src/main", True),
        ("@dir/", True),
        ('@"Makefile"', True),
        ("@main.py", True),
        ("@notes.md.", True),
        ("@NOTES.MD", True),
        ("@.env", True),
        ("@读我.md。", True),
        ("@param", False),
        ("@octocat", False),
        ("@dataclass(frozen=True)", False),
        ("@app.route", False),
        ("@pytest.fixture", False),
        ("@v1.2", False),
        ("@first.last", False),
    ],
)
def test_what_must_mean_a_file(mention, file_like):
    (found,) = scan_paths(mention, ())
    assert found.file_like is file_like


def test_a_scan_may_begin_behind_the_front_matter():
    assert [each.path for each in scan_paths_from("@a\n@b @c", 3, ())] == ["b", "c"]


@pytest.mark.parametrize(
    "piece", ["@", " @a", '@"', '@" ', '@"\n', "@a(", "a@b ", "@a, see @[x](dsh-session:ImEi) "]
)
def test_scanning_takes_linear_time(piece):
    text = piece * (65_536 // len(piece))
    cases = [(part, scan(part)) for part in (text[: len(text) // 4], text)]
    assert is_linear(lambda case: scan_paths(*case), *cases)
