"""Check a folder of golden vectors: `python tests/run_vectors.py DIR`.

Every `*.jsonl` file of the folder is run by the module of the same name in `tests/vector_checks`.
A line is `{"name", "in", "out"}` or `{"name", "in", "error": {"code", ...}}`; a null code means
that the input just must be refused. Whatever cannot be judged (no file at all, a file without a
check or without a record, a line that is not JSON, an unknown shape) is a failure too.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from dsh_lsp.core.javascript import equal, join_surrogates, parse  # noqa: E402
from tests.vector_checks.refusal import Refused  # noqa: E402
from tests.vector_checks.shape import UnknownShapeError  # noqa: E402

Check = Callable[[dict[str, Any]], dict[str, Any]]

CHECKS_FOLDER = ROOT / "tests" / "vector_checks"
CHECKS = {module.stem for module in CHECKS_FOLDER.glob("*.py")} - {"refusal", "shape"}
"""The files that this runner knows: one module of `tests/vector_checks` for each."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one record: `fault` is None when it passed."""

    place: str
    fault: str | None


def check_folder(folder: Path) -> Iterator[Verdict]:
    """The verdicts over every record of a folder, or one saying that there is nothing to run."""
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        yield Verdict(str(folder), "no *.jsonl file here")
    for file in files:
        yield from check_file(file)


def check_file(file: Path) -> Iterator[Verdict]:
    """The verdicts over every line of one file."""
    if file.stem not in CHECKS:
        yield Verdict(file.name, f"no check is called {file.stem!r}")
        return
    run: Check = importlib.import_module(f"tests.vector_checks.{file.stem}").run
    lines = file.read_bytes().split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not lines:
        yield Verdict(file.name, "the file holds no record")
    for number, line in enumerate(lines, start=1):
        place = f"{file.name}:{number}"
        try:
            record = parse(line)
        except ValueError as error:
            yield Verdict(place, f"not JSON: {error}")
            continue
        if isinstance(record, dict) and isinstance(record.get("name"), str):
            place += f" {ascii(record['name'])[1:-1]}"
        yield Verdict(place, judge(record, run))


def judge(record: Any, run: Check) -> str | None:
    """Why a record fails, or None."""
    if not _well_formed(record):
        return "unknown shape: a record is {name, in, out} or {name, in, error: {code, …}}"
    try:
        actual = run(record["in"])
    except Refused as refusal:
        return _judge_refusal(record, refusal)
    except UnknownShapeError as error:
        return str(error)
    except Exception as error:  # a breakdown is a failure of this record alone
        return f"broke down: {type(error).__name__}: {error}"
    if "error" in record:
        return f"should be refused, but gave {_show(actual)}"
    if not equal(_joined(actual), _joined(record["out"])):
        return f"gave {_show(actual)} instead of {_show(record['out'])}"
    return None


def _judge_refusal(record: dict[str, Any], refusal: Refused) -> str | None:
    if "out" in record:
        return f"refused with {refusal.code} instead of giving {_show(record['out'])}"
    expected = dict(record["error"])
    code = expected.pop("code")
    if code is not None and refusal.code != code:
        return f"refused with {refusal.code} instead of {code}"
    for name, value in expected.items():
        if not equal(_joined(refusal.facts.get(name)), _joined(value)):
            return f"refused with {name} {_show(refusal.facts.get(name))} instead of {_show(value)}"
    return None


def _well_formed(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    outcome = record.keys() - {"name", "in"}
    if len(record) != 3 or outcome not in ({"out"}, {"error"}):
        return False
    if not isinstance(record["name"], str) or not isinstance(record["in"], dict):
        return False
    if "out" in record:
        return isinstance(record["out"], dict)
    error = record["error"]
    return isinstance(error, dict) and isinstance(error.get("code", 0), str | None)


def _joined(value: Any) -> Any:
    if isinstance(value, str):
        return join_surrogates(value)
    if isinstance(value, list | tuple):
        return [_joined(item) for item in value]
    if isinstance(value, dict):
        return {join_surrogates(key): _joined(member) for key, member in value.items()}
    return value


def _show(value: Any) -> str:
    shown = ascii(value)
    return shown if len(shown) <= 300 else f"{shown[:297]}..."


def main(arguments: list[str] | None = None) -> int:
    """Print each failure and the totals; the exit code is 1 when anything failed."""
    parser = argparse.ArgumentParser(description="Check a folder of golden vectors.")
    parser.add_argument("folder", type=Path, metavar="DIR")
    folder = parser.parse_args(arguments).folder
    passed = failed = 0
    for verdict in check_folder(folder):
        if verdict.fault is None:
            passed += 1
        else:
            failed += 1
            print(f"FAILED {verdict.place}: {verdict.fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
