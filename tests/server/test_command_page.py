"""docs/commands.md says exactly what the commands answer."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.core.failures import ReadFault
from dsh_lsp.core.uri import encode
from dsh_lsp.harness.delivery.course import begin, keep
from dsh_lsp.harness.delivery.patience import Patience
from dsh_lsp.harness.port import (
    Description,
    HarnessError,
    Letter,
    Mode,
    NoHarnessError,
    OutboxFault,
    Outgoing,
    Receipt,
    ReceiptState,
)
from dsh_lsp.server import preparing
from dsh_lsp.server.commands.arguments import read_arguments
from dsh_lsp.server.commands.table import COMMANDS
from dsh_lsp.server.failures import ArgumentError
from dsh_lsp.sessions.query import Listing, ListingFault
from dsh_lsp.settings import SettingFault
from tests.support.fake_query import FakeQuery
from tests.support.memory_outbox import MemoryOutbox
from tests.support.scenes import (
    URI,
    FakeHarness,
    make_state,
    open_document,
    run_command,
    two_sessions,
)

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")

Shape = dict[str, Any]


def shapes() -> dict[str, Shape]:
    """Each JSON block of the page under the heading or name that goes before it."""
    found: dict[str, Shape] = {}
    pattern = re.compile(
        r"^(?:## (dsh\.\w+)$|`([A-Z]\w+)`:)|^```json\n(.*?)^```", re.MULTILINE | re.DOTALL
    )
    name = ""
    for match in pattern.finditer(PAGE):
        if match[3] is None:
            name = match[1] or match[2]
        else:
            assert name not in found
            found[name] = json.loads(match[3])
    return found


SHAPES = shapes()

PLAIN = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def fits(value: Any, shape: Any, seen: set[str]) -> bool:
    """Whether a value has a documented shape; `seen` collects the members that were met."""
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0], seen) for each in value)
    return any(fits_one(value, choice.strip(), seen) for choice in shape.split("|"))


def fits_one(value: Any, name: str, seen: set[str]) -> bool:
    if name in SHAPES:
        return isinstance(value, dict) and fits_object(value, name, seen)
    if name == "Range":
        return isinstance(value, dict) and set(value) == {"start", "end"}
    if name == "any":
        return True
    if name in PLAIN:
        return type(value) is PLAIN[name]
    return bool(value == name)


def fits_object(value: dict[str, Any], name: str, seen: set[str]) -> bool:
    required = {key for key in SHAPES[name] if not key.endswith("?")}
    known = {key.removesuffix("?"): shape for key, shape in SHAPES[name].items()}
    if not required <= value.keys() <= known.keys():
        return False
    seen.update(f"{name}.{key}" for key in value)
    return all(fits(each, known[key], seen) for key, each in value.items())


class FaultyQuery(FakeQuery):
    async def list_sessions(self) -> Listing:
        fault = ListingFault("/w/x", ReadFault.CORRUPT, "it is torn")
        return Listing(self.sessions, (fault,))


KEPT = "kept"


def full_outbox() -> MemoryOutbox:
    outgoing = Outgoing(KEPT, "t", "lost?", Mode.QUEUE)
    outbox = MemoryOutbox()
    outbox.put(begin(Letter(outgoing), 0))
    outbox.put(begin(Letter(replace(outgoing, request_id="other"), document=URI), 0))
    outbox.put(keep(Letter(replace(outgoing, request_id="for-later"), document=URI), 0))
    outbox.faults = (OutboxFault("/w/x.json", "it holds no prompt"),)
    return outbox


async def enter(wish: str | None) -> Description:
    if wish == "wrong":
        raise HarnessError("no")
    return Description("dsh", "1")


def answers(name: str) -> list[Any]:
    """Many answers of one command, over every member that it documents."""
    sessions = two_sessions()
    query = FaultyQuery(sessions.sessions, sessions.titles, sessions.surfaces)
    recorded = {"sessionId": "a", "omittedBytes": 5}
    captured = Receipt(ReceiptState.CAPTURED, message_seq=3, references=(recorded,))
    ended = Receipt(ReceiptState.ENDED, reason="it failed")
    receipts = {"t": captured, "new": ended}
    queued = Receipt(ReceiptState.QUEUED, place=2)
    found = []
    for text in (f"see @[Alpha]({encode('a')})", "plain", "@[x](dsh-session:bad=)", " "):
        for harness in (FakeHarness("t"), FakeHarness("t", fault=HarnessError("no")), None):
            for target in ("t", "new", "nobody", None):
                state = make_state(
                    query,
                    harness=harness or FakeHarness(),
                    outbox=full_outbox(),
                    patience=Patience(receipt={}, search=0.0, steady=0.0, recheck=0.0),
                    settings={"send": {"expand": True}},
                )
                if harness is None:
                    state.services.harness.describes = NoHarnessError("none")  # type: ignore[attr-defined]
                elif harness.fault is None and text.startswith("see"):
                    harness.receipts = [receipts.get(target or "", queued)]
                    harness.resolves = target != "new"
                elif harness.fault is None:
                    harness.receipts = [queued]
                open_document(state, text)
                state.setting_faults = (SettingFault("dsh.colour", "there is no such setting"),)
                state.services = replace(state.services, login=enter, start=enter)
                argument = {"uri": URI, "version": 1} | ({"target": target} if target else {})
                argument |= {"link": "http://127.0.0.1:3080/?token=t"}
                argument |= {"resend": KEPT}
                found.append(asyncio.run(run_command(state, name, **argument)))
                found.append(asyncio.run(run_command(state, name, **argument, keep=True)))
                if not target:
                    found.append(
                        asyncio.run(run_command(state, name, uri=URI, version=9, link="wrong"))
                    )
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_answer_has_the_documented_shape(name: str) -> None:
    seen: set[str] = set()
    for answer in answers(name):
        assert fits_object(answer, name, seen), answer
    unmet = {f"{name}.{key.removesuffix('?')}" for key in SHAPES[name]} - seen
    assert not unmet


def test_every_documented_member_of_the_common_shapes_is_met() -> None:
    seen: set[str] = set()
    for name in COMMANDS:
        for answer in answers(name):
            fits_object(answer, name, seen)
    documented = {
        f"{name}.{key.removesuffix('?')}" for name, shape in SHAPES.items() for key in shape
    }
    assert seen == documented


def test_every_command_and_every_member_of_the_argument_is_on_the_page() -> None:
    assert {name for name in SHAPES if name.startswith("dsh.")} == set(COMMANDS)
    table = PAGE.partition("## Shapes")[0]
    members = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    with pytest.raises(ArgumentError) as refused:
        read_arguments([{"no such": 1}])
    known = str(refused.value).rpartition("known are ")[2].split(", ")
    assert members == known


def test_every_problem_of_commands_is_on_the_page() -> None:
    listed = set(re.findall(r"^\| `([a-z]+-[a-z-]+)` \| ", PAGE, re.MULTILINE))
    package = Path(preparing.__file__).parent
    sources = [path.read_text("utf-8") for path in package.glob("*.py")]
    written = {
        code
        for source in sources
        for code in re.findall(r'(?:refusal\(|Problem\()\s*"([a-z-]+)"', source)
    }
    assert written == listed
