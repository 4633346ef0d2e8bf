"""The strict reader of settings, and docs/settings.md against the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.core.display import one_line
from dsh_lsp.core.uri import encode
from dsh_lsp.harness.port import Mode
from dsh_lsp.settings import HarnessMode, Settings, read_settings, setting_keys

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"

DEFAULTS = {
    key: list(default) if isinstance(default, tuple) else default
    for key, _, default in setting_keys()
}


def nested(key: str, value: object) -> dict[str, object]:
    for part in reversed(key.split(".")):
        value = {part: value}
    assert isinstance(value, dict)
    return value


def read_one(key: str, value: object) -> object:
    settings, faults = read_settings(nested(key, value))
    assert faults == ()
    found: object = settings
    for part in key.split("."):
        found = getattr(found, re.sub("[A-Z]", lambda big: "_" + big[0].lower(), part))
    return found


def only_fault(value: object) -> tuple[str, str]:
    settings, faults = read_settings(value)  # type: ignore[arg-type]
    assert settings == Settings()
    (fault,) = faults
    return fault.path, fault.message


@pytest.mark.parametrize(
    "value",
    [None, {}, [], {"dsh": {}}, {"dsh": []}, {"dsh": None}, {"python": {}, "dsh": {"harness": []}}],
)
def test_nothing_set_is_the_defaults(value):
    assert read_settings(value) == (Settings(), ())


RIGHT = [
    ("home", "/srv/dsh", "/srv/dsh"),
    ("harness.mode", "embedded", HarnessMode.EMBEDDED),
    ("harness.url", "http://127.0.0.1:3080/", "http://127.0.0.1:3080"),
    ("harness.url", "https://[::1]:3080", "https://[::1]:3080"),
    ("harness.command", "/opt/dsh/bin/dsh", "/opt/dsh/bin/dsh"),
    ("target.session", "session-1", "session-1"),
    ("target.session", "new", "new"),
    ("target.session", encode("two\nlines"), encode("two\nlines")),
    ("send.mode", "steer", Mode.STEER),
    ("send.expand", True, True),
    ("references.maxReferences", 1, 1),
    ("references.maxReferences", 2.0, 2),
    ("references.candidateLimit", 2**53 - 1, 2**53 - 1),
    ("references.maxReferenceBytes", "host", "host"),
    ("references.maxReferenceBytes", 1, 1),
    ("files.exclude", [], ()),
    ("files.exclude", ["*.bin", "/输出"], ("*.bin", "/输出")),
    ("diagnostics.staleLabel", False, False),
    ("embedded.root", "/var/tmp/embedded", "/var/tmp/embedded"),
]


@pytest.mark.parametrize(("key", "value", "expected"), RIGHT)
def test_right_values(key, value, expected):
    assert read_one(key, value) == expected


@pytest.mark.parametrize("key", sorted(DEFAULTS))
def test_null_leaves_the_default(key):
    assert read_settings(nested(key, None)) == (Settings(), ())


@pytest.mark.parametrize("key", [key for key, value in DEFAULTS.items() if value is not None])
def test_every_default_reads_as_itself(key):
    assert read_settings(nested(key, DEFAULTS[key])) == (Settings(), ())


def test_tilde_is_the_home_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/home/kim")
    assert read_one("home", "~/.dsh") == "/home/kim/.dsh"


WRONG = [
    ("home", "dsh-home", "absolute path"),
    ("home", "./dsh", "write it from / or with ~"),
    ("home", "", "empty"),
    ("home", "/a\x00b", "control character"),
    ("home", "/a\nb", "control character"),
    ("home", "/" + "x" * 5000, "longer than 4096"),
    ("home", "/a\ud800", "half of a character"),
    ("home", 1, "got 1"),
    ("home", ["/a"], "an absolute path"),
    ("harness.mode", "http2", '"auto", "http", "embedded" or "off"'),
    ("harness.mode", "AUTO", '"auto", "http", "embedded" or "off"'),
    ("harness.mode", True, "got true"),
    ("harness.mode", {}, "got {}"),
    ("harness.url", "127.0.0.1:3080", "http://127.0.0.1:3080"),
    ("harness.url", "ftp://127.0.0.1", "http://127.0.0.1:3080"),
    ("harness.url", "http://127.0.0.1:99999", "port"),
    ("harness.url", "http://127.0.0.1:0", "a URL"),
    ("harness.url", "http://me:secret@127.0.0.1", "leave out the user"),
    ("harness.url", "http://127.0.0.1/api", "behind the port"),
    ("harness.url", "http://127.0.0.1?x", "behind the port"),
    ("harness.url", "http://a b", "space"),
    ("harness.url", "http://[::1", "a URL"),
    ("harness.command", "  ", "empty"),
    ("target.session", "dsh-session:InMi=", "dsh-session"),
    ("target.session", 7, "session id"),
    ("send.mode", "later", '"queue" or "steer"'),
    ("references.maxReferences", 0, "1 to 3"),
    ("references.maxReferences", 4, "1 to 3"),
    ("references.maxReferences", True, "got true"),
    ("references.maxReferences", "3", 'got "3"'),
    ("references.maxReferences", 2.5, "got 2.5"),
    ("references.maxReferences", float("nan"), "1 to 3"),
    ("references.maxReferences", float("inf"), "1 to 3"),
    ("references.candidateLimit", 0, "1 or more"),
    ("references.candidateLimit", 2**53, "1 or more"),
    ("references.maxReferenceBytes", "all", '"host" or a whole number'),
    ("references.maxReferenceBytes", 0, '"host" or a whole number'),
    ("files.enabled", "false", "true or false"),
    ("files.enabled", 0, "true or false"),
    ("files.exclude", "*.log", "list of patterns"),
    ("files.exclude", ["a", 1], "entry 2"),
    ("files.exclude", ["a"] * 1001, "at most 1000"),
    ("diagnostics.truncated", "yes", "true or false"),
    ("embedded.root", "state", "absolute path"),
]


@pytest.mark.parametrize(("key", "value", "part"), WRONG)
def test_a_wrong_value_costs_its_key_and_the_message_names_the_fix(key, value, part):
    for section in (nested(key, value), {"dsh": nested(key, value)}):
        path, message = only_fault(section)
        assert path == f"dsh.{key}"
        assert part in message
        assert len(message) < 300


def test_a_wrong_value_costs_nothing_else():
    settings, faults = read_settings(
        {"references": {"maxReferences": "2", "candidateLimit": 7}, "hover": {"enabled": False}}
    )
    assert [fault.path for fault in faults] == ["dsh.references.maxReferences"]
    assert settings.references.candidate_limit == 7
    assert settings.references.max_references == 3
    assert not settings.hover.enabled


UNKNOWN = [
    ({"reference": {}}, "dsh.reference", "`dsh.references`"),
    ({"references": {"max_references": 2}}, "dsh.references.max_references", "maxReferences`"),
    ({"references": {"maxreferences": 2}}, "dsh.references.maxreferences", "maxReferences`"),
    ({"mode": "off"}, "dsh.mode", "`dsh.harness.mode` or `dsh.send.mode`"),
    ({"harness.mode": "off"}, "dsh.harness.mode", "an object of its own"),
    ({"hover": {"colour": 1}}, "dsh.hover.colour", "known here: enabled"),
    ({"home": "/a", "dsh": {}}, "dsh.home", "inside"),
]


@pytest.mark.parametrize(("value", "path", "part"), UNKNOWN)
def test_unknown_keys_are_named_with_the_likely_one(value, path, part):
    found_path, message = only_fault(value)
    assert found_path == path
    assert part in message


@pytest.mark.parametrize("value", [1, "x", [1], True, {"dsh": [{}]}, {"dsh": "off"}])
def test_a_section_that_is_no_object(value):
    path, message = only_fault(value)
    assert path == "dsh"
    assert "object" in message


@pytest.mark.parametrize("key", ["a" * 5000, "evil\x1b[31m", "\u202eabc", "a\nb"])
def test_hostile_keys_are_bounded_and_escaped(key):
    path, message = only_fault({key: 1})
    assert len(path) + len(message) < 500
    assert one_line(path + message) == path + message


def test_many_faults_are_bounded():
    _, faults = read_settings({f"key{number}": 1 for number in range(10_000)})
    assert len(faults) <= 101
    assert "9900 more" in faults[-1].message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(DEFAULTS)), JSON)
def test_any_value_reads_or_is_one_fault(key, value):
    settings, faults = read_settings(nested(key, value))
    assert len(faults) <= 1
    if faults:
        assert settings == Settings()
        shown = faults[0].path + faults[0].message
        assert one_line(shown) == shown


@given(JSON)
def test_any_section_reads(value):
    settings, faults = read_settings(value)
    assert isinstance(settings, Settings)
    assert all(fault.path.startswith("dsh") for fault in faults)


def page_rows() -> dict[str, tuple[str, str]]:
    rows = re.findall(
        r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| [^|]+ \|$", PAGE.read_text(), re.MULTILINE
    )
    return {key: (kind.strip(), default.strip()) for key, kind, default in rows}


def test_the_page_and_the_code_have_the_same_keys():
    assert sorted(page_rows()) == sorted(DEFAULTS)


@pytest.mark.parametrize(("key", "kind"), [(key, kind) for key, kind, _ in setting_keys()])
def test_the_page_tells_each_type_and_default(key, kind):
    default = DEFAULTS[key]
    shown = "not set" if default is None else json.dumps(default)
    assert page_rows()[key] == (kind.expected, shown)


def test_the_pages_example_reads():
    (example,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    _, faults = read_settings(json.loads(example))
    assert faults == ()
