"""Every way in which a mention or a store can be wrong, through the installed server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.core.uri import encode
from tests.support.desk import Desk
from tests.support.log_script import Script
from tests.support.raw_client import RawClient
from tests.support.raw_stories import PULL, URI, begin, codes, completed, pulled, run
from tests.support.store_writer import log_path, write_log

VECTORS = Path(__file__).parents[1] / "vectors" / "parse.jsonl"


def test_every_malformed_mention_of_the_vectors(desk: Desk) -> None:
    cases = [json.loads(line) for line in VECTORS.read_bytes().split(b"\n") if line]
    failing = [case for case in cases if "error" in case]
    assert len(failing) > 100

    async def story(client: RawClient) -> None:
        await begin(
            client, desk, capabilities={**PULL, "general": {"positionEncodings": ["utf-16"]}}
        )
        for number, case in enumerate(failing):
            uri, text = f"untitled:{number}", case["in"]["text"]
            client.open(uri, text)
            problems = await pulled(client, uri)
            faults = [
                problem["range"]
                for problem in problems
                if problem["code"] == "SESSION_REFERENCE_INVALID_REFERENCE"
            ]
            start, end = case["error"]["failSpanUtf16"]
            assert utf16_span(text, faults[0]) == (start, end), case["name"]
            refused = await client.command("dsh.send", uri=uri, target="new")
            assert refused["status"] == "refused"
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    run(story)


def utf16_span(text: str, place: dict[str, Any]) -> tuple[int, int]:
    """An LSP range as offsets in UTF-16 units, counted here anew."""
    units = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    raw = units.encode("utf-16-le", "surrogatepass")
    chars = [raw[index : index + 2] for index in range(0, len(raw), 2)]
    starts = [0]
    for index, unit in enumerate(chars):
        follows = chars[index + 1] if index + 1 < len(chars) else b""
        if unit == b"\n\x00" or (unit == b"\r\x00" and follows != b"\n\x00"):
            starts.append(index + 1)
    ends = (place[name] for name in ("start", "end"))
    start, end = (starts[each["line"]] + each["character"] for each in ends)
    return start, end


def test_unreadable_sessions_each_cost_only_themselves(desk: Desk) -> None:
    good = desk.remember("session-good", "Good", "hi", "yo")
    corrupt = Script("session-corrupt", version=4, cwd=str(desk.project))
    corrupt.exchange("a", "b")
    write_log(desk.home / "sessions", corrupt)
    path = log_path(desk.home / "sessions", corrupt)
    path.write_bytes(path.read_bytes()[:40] + b"garbage" * 20)
    newer = Script("session-newer", version=9, cwd=str(desk.project))
    write_log(desk.home / "sessions", newer)
    mentions = {name: f"@[x]({encode(name)})" for name in ("session-corrupt", "session-newer")}

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        for name, mention in {**mentions, "session-none": f"@[x]({encode('none')})"}.items():
            client.open(f"untitled:{name}", f"@[Good]({good}) {mention}")
            (problem,) = await pulled(client, f"untitled:{name}")
            assert problem["code"] == "SESSION_REFERENCE_READ_FAILED"
            assert problem["range"]["start"]["character"] == len(f"@[Good]({good}) ")
            assert "Traceback" not in problem["message"]

    run(story)


def test_references_that_cannot_be_sent(desk: Desk) -> None:
    uris = [desk.remember(f"session-{number}", f"S{number}", "hi", "yo") for number in range(4)]
    mentions = [f"@[S{number}]({uri})" for number, uri in enumerate(uris)]
    front_matter = "---\ndsh:\n  session: session-0\n---\n"

    async def story(client: RawClient) -> None:
        await begin(client, desk)
        client.open("untitled:four", " ".join(mentions))
        assert codes(await pulled(client, "untitled:four")) == ["SESSION_REFERENCE_TOO_MANY"]
        client.open("untitled:self", f"{front_matter}{mentions[0]}")
        assert codes(await pulled(client, "untitled:self")) == [
            "unknown-target",  # the embedded harness has sessions of its own
            "SESSION_REFERENCE_SELF_REFERENCE",
        ]
        client.open("untitled:big", f"@[{'<' * 10_909}]({uris[1]})")
        problems = await pulled(client, "untitled:big")
        assert "SESSION_REFERENCE_BUDGET_EXCEEDED" in codes(problems)
        for name in ("four", "self", "big"):
            answer = await client.command("dsh.send", uri=f"untitled:{name}")
            assert answer["status"] == "refused"

    run(story)


@pytest.mark.parametrize("kind", ["missing", "file", "unreadable"])
def test_a_store_that_is_no_store(desk: Desk, kind: str) -> None:
    store = desk.home / "sessions"
    store.rmdir()
    if kind == "file":
        store.write_text("not a folder")
    if kind == "unreadable":
        store.mkdir(mode=0o000)

    async def story(client: RawClient) -> None:
        settings = {**desk.settings, "harness": {"mode": "auto"}}
        await begin(client, desk, initializationOptions=settings)
        client.open(URI, f"@[x]({encode('a')}) @")
        assert await completed(client, len(f"@[x]({encode('a')}) @")) == []
        assert codes(await pulled(client)) == ["SESSION_REFERENCE_READ_FAILED"]
        status = await client.command("dsh.status")
        assert status["sessions"] == 0
        assert status["store"] == str(store)
        refused = await client.command("dsh.send", uri=URI)
        assert "no-harness" in codes(refused["problems"])

    run(story)
    if kind == "missing":
        assert not store.exists()
