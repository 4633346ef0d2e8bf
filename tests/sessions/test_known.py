"""Answers about many titles: renewed now and then, with what was learnt meanwhile."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dsh_lsp.core.failures import ReadFailedError, ReadFault
from dsh_lsp.sessions import known as known_module
from dsh_lsp.sessions.kept_names import KeptNames
from dsh_lsp.sessions.known import MANY, Known
from dsh_lsp.sessions.layout import Compression, LogName
from dsh_lsp.sessions.query import SessionTitle
from dsh_lsp.sessions.scan import FoundLog

IDS = tuple(f"s{number}" for number in range(2 * MANY))
LOGS: Mapping[str, FoundLog] = {
    each: FoundLog(f"/{each}", LogName(4, Compression.ZSTD), "p", each, "r") for each in IDS
}


class Told:
    """Names that a test tells one by one."""

    def __init__(self) -> None:
        self._kept: dict[str, KeptNames | ReadFailedError] = {}
        self._news: set[str] = set()

    def tell(self, *session_ids: str) -> None:
        for each in session_ids:
            self._kept[f"/{each}"] = KeptNames(SessionTitle(f"Title of {each}"), None)
            self._news.add(f"/{each}")

    def fail(self, session_id: str) -> None:
        self._kept[f"/{session_id}"] = ReadFailedError("damaged", ReadFault.CORRUPT)
        self._news.add(f"/{session_id}")

    def known(self, log: FoundLog) -> KeptNames | ReadFailedError | None:
        return self._kept.get(log.path)

    def news(self) -> set[str]:
        news, self._news = self._news, set()
        return news


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def known(told: Told) -> Known:
    return Known(told)  # type: ignore[arg-type]


def titles(answer) -> dict[str, str | None]:
    return {session_id: title.title for session_id, title in answer.titles.items()}


def test_an_answer_holds_what_was_told_before_and_since(told, known):
    told.tell("s0")
    assert titles(known.now(IDS, LOGS)) == {"s0": "Title of s0"}
    told.tell("s1", "s2")
    known.learn()
    told.tell("s3")
    assert titles(known.now(IDS, LOGS)) == {f"s{n}": f"Title of s{n}" for n in range(4)}


def test_a_keystroke_gets_the_same_answer_for_a_while(told, known, monkeypatch):
    first = known.lately(IDS, LOGS)
    told.tell("s0")
    assert known.lately(IDS, LOGS) is first
    assert first.titles == {}
    monkeypatch.setattr(known_module, "RENEWAL", 0.0)
    monkeypatch.setattr(known_module, "_RENEWAL_EACH", 0.0)
    assert titles(known.lately(IDS, LOGS)) == {"s0": "Title of s0"}


def test_the_while_is_longer_for_more_sessions(told, known, monkeypatch):
    monkeypatch.setattr(known_module, "RENEWAL", 0.0)
    monkeypatch.setattr(known_module, "_RENEWAL_EACH", 10.0)
    first = known.lately(IDS, LOGS)
    told.tell("s0")
    assert known.lately(IDS, LOGS) is first


def test_the_last_ones_are_told_at_once(told, known):
    known.lately(IDS, LOGS)
    told.tell(*IDS[1:])
    assert len(known.lately(IDS, LOGS).titles) == len(IDS) - 1
    told.tell(IDS[0])
    last = known.lately(IDS, LOGS)
    assert (len(last.titles), last.complete) == (len(IDS), True)


def test_what_cannot_be_read_is_not_waited_for(told, known):
    told.tell(*IDS[1:])
    assert not known.now(IDS, LOGS).complete
    told.fail(IDS[0])
    answer = known.now(IDS, LOGS)
    assert answer.complete
    assert IDS[0] not in answer.titles


def test_titles_are_the_same_object_while_nothing_was_learnt(told, known):
    told.tell("s0")
    before = known.now(IDS, LOGS)
    told.tell("of another store")
    assert known.now(IDS, LOGS).titles is before.titles
