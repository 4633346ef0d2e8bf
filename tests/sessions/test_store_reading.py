"""Reading surfaces and titles from stores of every format, written by our own writers."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.core.log.event_types import STRICT_0_1_0, STRICT_0_2_1
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.projection import project
from dsh_lsp.sessions.layout import Compression
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.store import SessionStore
from tests.support.log_script import CHECKPOINT_INTRO, Script, line, text
from tests.support.store_writer import frame, log_bytes, plain_log, write_log, zstd_frames

READABLE = (0, 3, 4)

both = pytest.mark.parametrize("compression", list(Compression))
versions = pytest.mark.parametrize("version", READABLE)


def surface(root: Path, session_id: str = "s", **options) -> Surface:
    return anyio.run(SessionStore(root, **options).read_surface, session_id)


def titles(root: Path, *session_ids: str, **options):
    return anyio.run(SessionStore(root, **options).read_titles, session_ids)


def conversation(found: Surface) -> list[tuple[str, str]]:
    return [(item.role, item.text) for item in project(found.nodes)]


def refusal(root: Path, session_id: str = "s", **options) -> ReadFailedError:
    with pytest.raises(ReadFailedError) as caught:
        surface(root, session_id, **options)
    return caught.value


def session(version: int, session_id: str = "s") -> Script:
    script = Script(session_id, version=version)
    script.policies()
    script.exchange("What is <this>?", "It is that.")
    script.title("About this")
    script.context(128_000)
    return script


@both
@versions
def test_a_whole_session(tmp_path, version, compression):
    script = session(version)
    write_log(tmp_path, script, compression)
    found = surface(tmp_path)
    assert conversation(found) == [("user", "What is <this>?"), ("assistant", "It is that.")]
    assert found.captured_through_seq == script.seq - 1
    assert (found.title, found.context_window) == ("About this", 128_000)
    assert found.header.format_version == version
    assert found.warnings == ()


@both
def test_chunks_count_whether_packed_or_not(tmp_path, compression):
    packed, single = Script("packed", version=0), Script("single", version=0)
    for script in (packed, single):
        script.begin("q")
    packed.answer("abcdef")
    for letter in "abcdef":
        chunk = {"type": "text-delta", "index": 0, "text": letter}
        single.add("assistant/chunk", {"turn": 1, "step": 1, "chunk": chunk})
    single.answer("")
    for script in (packed, single):
        script.end()
        write_log(tmp_path, script, compression)
    seqs = [surface(tmp_path, name).captured_through_seq for name in ("packed", "single")]
    assert seqs == [packed.seq - 1, single.seq - 1]
    assert any(record["type"] == "text-chunks" for record in packed.events)


def test_older_records_read_as_current_ones(tmp_path):
    script = Script("s", version=0)
    script.add("turn/start", {"turn": 1, "trigger": {"kind": "user"}})
    script.add("step/start", {"turn": 1, "step": 1})
    bare = {"content": [text("an old prompt")], "source": {"kind": "user"}}
    script.add("user/message", bare, surfaceOp="append")
    steered = bare | {"turn": 1, "content": [text("steered")]}
    script.add("steering/message", steered, surfaceOp="append")
    reply = {"content": [text("an old answer")], "provenance": {"provider": "p", "model": "m"}}
    script.add("assistant/message", {"turn": 1, "step": 1} | reply, surfaceOp="append")
    script.end(kind="aborted")
    write_log(tmp_path, script)
    assert conversation(surface(tmp_path)) == [
        ("user", "an old prompt"),
        ("user", "steered"),
        ("assistant", "an old answer"),
    ]


@both
@versions
def test_a_compacted_session_begins_with_its_checkpoint(tmp_path, version, compression):
    script = session(version)
    script.exchange("second", "two")
    script.compact("first summary", keep_last=2)
    script.exchange("third", "three")
    script.compact("second summary", keep_last=1)
    script.exchange("fourth", "four")
    write_log(tmp_path, script, compression)
    checkpoint = f"{CHECKPOINT_INTRO}\nsecond summary\n</compacted-summary>"
    found = surface(tmp_path)
    assert conversation(found) == [
        ("user", checkpoint),
        ("assistant", "three"),
        ("user", "fourth"),
        ("assistant", "four"),
    ]
    assert found.captured_through_seq == script.seq - 1


@versions
def test_a_fork_has_its_parents_turns_and_its_own(tmp_path, version):
    parent = session(version, "parent")
    fork = parent.fork("fork", created_at=2_000)
    fork.exchange("my own", "indeed")
    for script in (parent, fork):
        write_log(tmp_path, script)
    found = surface(tmp_path, "fork")
    assert [said for _, said in conversation(found)][-2:] == ["my own", "indeed"]
    assert len(conversation(found)) == 4
    assert found.header.parent_session == "parent"
    assert (found.header.is_seeded, found.header.seed_length) == (
        (False, parent.seq) if version == 0 else (True, None)
    )
    assert titles(tmp_path, "fork", "parent")["fork"] == SessionTitle("About this")


@both
@versions
@pytest.mark.parametrize("calls", [(), ("one",), ("one", "two")])
def test_an_interrupted_turn_is_closed_in_memory(tmp_path, version, compression, calls):
    script = session(version)
    script.begin("go on")
    script.answer("calling", "done", *calls)
    script.tool_call("done")
    script.tool_result("done", "output")
    write_log(tmp_path, script, compression)
    found = surface(tmp_path)
    closers = len(calls) + 2
    assert found.captured_through_seq == script.seq - 1 + closers
    assert conversation(found)[-1] == ("assistant", "calling")


@versions
def test_a_subagent_goes_by_its_label(tmp_path, version):
    script = Script("child", version=version, origin="subagent", parentSession="p")
    script.add("subagent/descriptor", {"version": 3, "mode": "once", "label": "Check it"})
    script.exchange("a task", "done")
    script.title("A task", "fallback")
    write_log(tmp_path, script)
    assert titles(tmp_path, "child") == {"child": SessionTitle("A task", "Check it")}
    assert surface(tmp_path, "child").display_title == "Check it"


@versions
def test_the_latest_title_wins_whatever_its_source(tmp_path, version):
    script = session(version)
    script.title("Renamed", "user")
    script.exchange("more", "yes")
    script.title("Generated", "provider")
    write_log(tmp_path, script)
    assert titles(tmp_path, "s") == {"s": SessionTitle("Generated")}


@versions
def test_an_empty_log_has_no_sequence_number(tmp_path, version):
    script = Script("s", version=version)
    write_log(tmp_path, script)
    found = surface(tmp_path)
    assert (found.captured_through_seq, found.nodes) == (None, ())
    assert titles(tmp_path, "s") == {"s": SessionTitle(None)}


@pytest.mark.parametrize("version", [1, 2])
def test_formats_1_and_2_have_titles_but_no_surface(tmp_path, version):
    write_log(tmp_path, session(version))
    assert titles(tmp_path, "s") == {"s": SessionTitle("About this")}
    error = refusal(tmp_path)
    assert error.reason is ReadFault.OLD_FORMAT
    assert "harness" in error.message


def test_a_newer_format_is_listed_and_titled_but_not_read(tmp_path):
    write_log(tmp_path, session(5))
    assert titles(tmp_path, "s") == {"s": SessionTitle("About this")}
    error = refusal(tmp_path)
    assert error.reason is ReadFault.NEWER_FORMAT
    assert "upgrade dsh-lsp" in error.message


def test_a_strict_reader_refuses_what_its_host_would(tmp_path):
    script = session(4)
    script.add("future/thing", {})
    write_log(tmp_path, script)
    assert surface(tmp_path).warnings
    assert refusal(tmp_path, rule=STRICT_0_2_1).reason is ReadFault.UNKNOWN_EVENT
    assert titles(tmp_path, "s", rule=STRICT_0_2_1) == {}
    assert refusal(tmp_path, rule=STRICT_0_1_0).reason is ReadFault.NEWER_FORMAT


def test_an_unknown_type_on_the_surface_is_always_refused(tmp_path):
    script = session(4)
    script.add("future/message", {}, surfaceOp="append")
    write_log(tmp_path, script)
    assert refusal(tmp_path).reason is ReadFault.UNKNOWN_EVENT


TAILS = {
    "five bytes cut": lambda log, last: log[:-5],
    "half of the last frame": lambda log, last: log[: -len(last) // 2],
    "two bytes of a frame": lambda log, last: log[: -len(last)] + last[:2],
    "three zero bytes": lambda log, last: log + bytes(3),
}


@versions
@pytest.mark.parametrize("tail", TAILS)
def test_a_torn_tail_is_dropped(tmp_path, version, tail):
    script = session(version)
    whole_until = script.seq
    script.exchange("lost?", "perhaps")
    frames = zstd_frames(script)
    write_log(tmp_path, script, data=TAILS[tail](b"".join(frames), frames[-1]))
    found = surface(tmp_path)
    expected = script.seq if tail == "three zero bytes" else whole_until
    assert found.captured_through_seq == expected - 1


@versions
def test_a_log_in_two_frames_reads_alike(tmp_path, version):
    script = session(version)
    header, *rest = plain_log(script).splitlines(keepends=True)
    write_log(tmp_path, script, data=frame(header) + frame(b"".join(rest)))
    assert len(conversation(surface(tmp_path))) == 2


def damaged(version: int) -> dict[str, bytes]:
    script = session(version)
    script.exchange("one more", "yes")
    frames = zstd_frames(script)
    log = b"".join(frames)
    middle = len(frames[0]) + len(frames[1]) // 2
    return {
        "garbage": log + b"garbage!",
        "plain text": log + line({"type": "turn/end", "seq": script.seq, "data": {}}),
        "a skippable frame": log + b"\x50\x2a\x4d\x18\x00\x00\x00\x00",
        "a flipped byte": log[:middle] + bytes([log[middle] ^ 0x10]) + log[middle + 1 :],
        "a missing frame": frames[0] + b"".join(frames[2:]),
        "no JSON": log + frame(b"{nope\n"),
        "no line end": log + frame(line({"type": "turn/end", "seq": script.seq, "data": {}})[:-1]),
    }


@versions
@pytest.mark.parametrize("name", damaged(4))
def test_damage_makes_a_session_unreadable_though_listed(tmp_path, version, name):
    path = write_log(tmp_path, session(version), data=damaged(version)[name])
    assert len(anyio.run(SessionStore(tmp_path).list_sessions).sessions) == 1
    error = refusal(tmp_path)
    assert error.reason is ReadFault.CORRUPT
    assert str(path) in error.message
    assert titles(tmp_path, "s") == {}


@versions
def test_in_a_plain_log_a_bad_line_ends_the_log_unless_a_turn_ends_behind_it(tmp_path, version):
    script = session(version)
    lines = plain_log(script)
    more = Script("s", version=version)
    more.seq = script.seq
    more.exchange("later", "yes")
    later = b"".join(map(line, more.events))
    write_log(tmp_path, script, Compression.NONE, lines + b"{nope\n" + later[:60])
    assert surface(tmp_path).captured_through_seq == script.seq - 1
    write_log(tmp_path, script, Compression.NONE, lines + b"{nope\n" + later)
    assert refusal(tmp_path).reason is ReadFault.CORRUPT


def test_lone_surrogates_survive(tmp_path):
    script = Script("\ud800", version=4)
    script.exchange("half \udc00 of it", "ok")
    script.title("\ud83d")
    write_log(tmp_path, script)
    assert conversation(surface(tmp_path, "\ud800"))[0] == ("user", "half \udc00 of it")
    assert titles(tmp_path, "\ud800") == {"\ud800": SessionTitle("\ud83d")}


def test_an_unknown_session_is_not_found(tmp_path):
    write_log(tmp_path, session(4))
    for session_id in ("nope", "", "..", "\ud800"):
        assert refusal(tmp_path, session_id).reason is ReadFault.NOT_FOUND
    assert refusal(tmp_path / "nothing").reason is ReadFault.NOT_FOUND
    assert titles(tmp_path, "nope") == {}


def test_a_session_that_could_not_be_listed_says_why(tmp_path):
    path = write_log(tmp_path, session(4), data=b"")
    error = refusal(tmp_path)
    assert error.reason is ReadFault.CORRUPT
    assert str(path) in error.message
    assert "empty" in error.message


def test_packed_and_plain_bytes_differ_but_read_alike(tmp_path):
    script = session(0)
    assert log_bytes(script, Compression.ZSTD) != log_bytes(script, Compression.NONE)
    found = []
    for compression in Compression:
        root = tmp_path / compression
        write_log(root, script, compression)
        found.append(surface(root))
    assert found[0] == found[1]
