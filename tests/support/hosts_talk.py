"""Holds conversations in a real host, step by step."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from tests.support.hosts import Host
from tests.support.hosts_logs import await_turn, entry, eventually, records
from tests.support.hosts_wire import HostCaller
from tests.support.mock_model_request import Purpose
from tests.support.mock_model_script import Hang, Hold, Say
from tests.support.random_talk import Ask, Break, Compact, Rename, Steer, Step

_NUMBERS = itertools.count(1)


class Talker:
    """Does steps in sessions of one host; returns from each when its turn is on disk."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.caller = HostCaller(host)
        (host.cwd / "note.txt").write_text("A file for the tools.\n")

    def talk(self, steps: Iterable[Step]) -> str:
        """A new session that holds this conversation."""
        session = self.caller.create()
        for step in steps:
            self.do(session, step)
        return session

    def do(self, session: str, step: Step) -> None:
        """Do one step."""
        model = self.host.model
        match step:
            case Ask(text, answer):
                key = _key()
                model.rule(key, *answer)
                self._ended(session, self.caller.prompt(session, f"{key} {text}"))
            case Steer(text, steered):
                key = _key()
                model.rule(key, Hold(key), Say("It waited."))
                request = self.caller.prompt(session, f"{key} {text}")
                eventually(lambda: model.seen(key), f"the model is asked {key}")
                other = self.caller.prompt(session, steered, mode="steer")
                model.release(key)
                self._ended(session, request)
                self._ended(session, other)
            case Break(text, first_half):
                key = _key()
                model.rule(key, Say(first_half), Hang())
                request = self.caller.prompt(session, f"{key} {text}")
                eventually(lambda: model.seen(key), f"the model is asked {key}")
                self.caller.cancel(session)
                self._ended(session, request)
            case Compact(summary):
                model.rule("", Say(summary), purpose=Purpose.SUMMARY)
                self.caller.command(session, "/compact")
            case Rename(title):
                self.caller.rename(session, f"Named {title}")

    def leave_open(self, session: str) -> None:
        """Begin a turn that does not end; return when its prompt is on disk."""
        key = _key()
        self.host.model.rule(key, Say("Never whole"), Hang())
        request = self.caller.prompt(session, f"{key} left open")
        eventually(
            lambda: entry(records(self.host, session), request), f"the prompt {request} is on disk"
        )

    def _ended(self, session: str, request: str) -> None:
        await_turn(self.host, session, request)


def _key() -> str:
    return f"(prompt {next(_NUMBERS)})"
