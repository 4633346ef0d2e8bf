"""Every golden vector through the runner, and the runner itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.run_vectors import CHECKS, check_file, check_folder, main

VECTORS = Path(__file__).parent / "vectors"


def test_every_check_has_vectors():
    assert {file.stem for file in VECTORS.glob("*.jsonl")} == CHECKS


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_every_record_passes(name):
    verdicts = list(check_file(VECTORS / f"{name}.jsonl"))
    assert len(verdicts) == len((VECTORS / f"{name}.jsonl").read_bytes().splitlines())
    assert [verdict for verdict in verdicts if verdict.fault] == []


ENCODE: dict[str, Any] = {
    "name": "one",
    "in": {"op": "encode", "sessionId": "a"},
    "out": {"uri": "dsh-session:ImEi"},
}
DECODE: dict[str, Any] = {
    "name": "two",
    "in": {"op": "decode", "uri": "dsh-session:MQ"},
    "error": {"code": "SESSION_REFERENCE_INVALID_REFERENCE"},
}
PARSE: dict[str, Any] = {
    "name": "three",
    "in": {"text": "😀dsh-session:MQ"},
    "error": {
        "code": "SESSION_REFERENCE_INVALID_REFERENCE",
        "failSpanUtf16": [2, 16],
        "failSpanCodePoint": [1, 15],
        "matchesBeforeFailure": 0,
    },
}

GOOD = [
    ("uri", ENCODE),
    ("uri", DECODE),
    ("uri", DECODE | {"error": {"code": None}}),
    ("parse", PARSE),
    ("parse", PARSE | {"error": {"code": None, "matchesBeforeFailure": 0.0}}),
]

BAD = [
    # file, record, what the failure says
    ("uri", ENCODE | {"out": {"uri": "dsh-session:ImIi"}}, "instead of"),
    ("uri", ENCODE | {"out": {"uri": "dsh-session:ImEi", "more": 1}}, "instead of"),
    ("uri", ENCODE | {"out": {}}, "instead of"),
    ("uri", {"name": "x", "in": ENCODE["in"], "error": {"code": None}}, "should be refused"),
    ("uri", DECODE | {"error": {"code": "OTHER"}}, "instead of OTHER"),
    ("uri", {"name": "x", "in": DECODE["in"], "out": {"sessionId": "1"}}, "refused with"),
    ("uri", ENCODE | {"in": {"op": "invert", "sessionId": "a"}}, "unknown op"),
    ("uri", ENCODE | {"in": {"op": "encode", "id": "a"}}, "unknown shape"),
    ("uri", ENCODE | {"in": {"op": "encode", "sessionId": 1}}, "a string was expected"),
    ("uri", {"name": "x", "in": {"op": "decode"}, "error": {"code": None}}, "unknown shape"),
    ("uri", {"name": "x", "in": {"op": "decode", "uri": 1}, "error": {"code": None}}, "a string"),
    ("uri", {"name": "x", "in": ENCODE["in"]}, "unknown shape"),
    ("uri", ENCODE | {"error": {"code": None}}, "unknown shape"),
    ("uri", ENCODE | {"in": []}, "unknown shape"),
    ("uri", ENCODE | {"name": 1}, "unknown shape"),
    ("uri", ENCODE | {"out": 1}, "unknown shape"),
    ("uri", DECODE | {"error": {}}, "unknown shape"),
    ("uri", DECODE | {"error": {"code": 1}}, "unknown shape"),
    ("uri", DECODE | {"error": {"code": None, "failSpanUtf16": [0, 1]}}, "failSpanUtf16 None"),
    ("uri", [], "unknown shape"),
    ("uri", 1, "unknown shape"),
    ("parse", PARSE | {"error": {"code": None, "matchesBeforeFailure": False}}, "matchesBefore"),
    ("parse", PARSE | {"error": PARSE["error"] | {"failSpanUtf16": [1, 15]}}, "failSpanUtf16"),
    ("fold", {"name": "x", "in": {"events": 1}, "out": {"nodes": []}}, ""),
    *((name, {"name": "x", "in": {}, "out": {}}, "") for name in sorted(CHECKS)),
    *((name, {"name": "x", "in": {}, "error": {"code": None}}, "") for name in sorted(CHECKS)),
]


def folder_with(folder: Path, name: str, *lines: object) -> Path:
    """A folder with one file of these lines; what is no string is written as JSON."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / f"{name}.jsonl").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return folder


@pytest.mark.parametrize(("name", "record"), GOOD)
def test_a_right_record_passes(tmp_path, name, record):
    (verdict,) = check_folder(folder_with(tmp_path, name, record))
    assert verdict.fault is None


@pytest.mark.parametrize(("name", "record", "message"), BAD)
def test_a_wrong_record_fails(tmp_path, name, record, message):
    (verdict,) = check_folder(folder_with(tmp_path, name, record))
    assert verdict.fault is not None
    assert message in verdict.fault


@pytest.mark.parametrize("line", ["", "{", "nonsense", '{"name": NaN}', '{"name":"a"} {}'])
def test_a_line_that_is_not_json_fails_alone(tmp_path, line, capsys):
    assert main([str(folder_with(tmp_path, "uri", ENCODE, line, DECODE))]) == 1
    shown = capsys.readouterr().out
    assert "FAILED uri.jsonl:2: not JSON" in shown
    assert shown.endswith("\n2 passed, 1 failed\n")


def test_bytes_that_are_not_utf8_fail_alone(tmp_path):
    (tmp_path / "uri.jsonl").write_bytes(json.dumps(ENCODE).encode() + b'\n"\xff"\n')
    assert [verdict.fault is None for verdict in check_folder(tmp_path)] == [True, False]


@pytest.mark.parametrize("name", ["unknown", "refusal", "shape", "uri.2", "Uri"])
def test_an_unknown_file_fails(tmp_path, name, capsys):
    folder_with(tmp_path, name, ENCODE)
    assert main([str(folder_with(tmp_path, "uri", ENCODE))]) == 1
    shown = capsys.readouterr().out
    assert f"FAILED {name}.jsonl" in shown
    assert shown.endswith("\n1 passed, 1 failed\n")


def test_nothing_to_run_fails(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    for folder in ("missing", "empty"):
        assert main([str(tmp_path / folder)]) == 1
        assert capsys.readouterr().out.endswith("0 passed, 1 failed\n")
    assert main([str(folder_with(tmp_path, "uri"))]) == 1
    assert "holds no record" in capsys.readouterr().out


def test_a_failure_is_named(tmp_path, capsys):
    main([str(folder_with(tmp_path, "uri", ENCODE | {"name": "spé\n", "out": {"uri": ""}}))])
    assert capsys.readouterr().out.startswith(r"FAILED uri.jsonl:1 sp\xe9\n: gave")


def test_it_runs_as_a_script_from_anywhere(tmp_path):
    script = Path(__file__).parent / "run_vectors.py"
    folder = folder_with(tmp_path, "uri", ENCODE, DECODE)
    run = subprocess.run([sys.executable, script, folder], cwd="/", capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "2 passed, 0 failed\n")


def test_surrogates_that_meet_are_joined_before_comparing(tmp_path):
    given = '{"name":"x","in":{"sessionId":"","label":"\\ud83d\\ude00"},"out":'
    mention = "@[\\ud83d\\ude00](dsh-session:IiI)"
    references = '[{"sessionId":"","label":"\\ud83d\\ude00"}]'
    out = f'{{"mention":"{mention}","reparsed":{{"text":"@😀","references":{references}}}}}}}'
    (verdict,) = check_folder(folder_with(tmp_path, "format", given + out))
    assert verdict.fault is None
