"""Experiments with prompts whose sender, host or connection dies, and their one judgement:

every prompt is in its session's log exactly once, or in the outbox and said to be; none is lost
and none is doubled.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import anyio
import anyio.to_thread

from dsh_lsp.app import connect
from dsh_lsp.harness.port import (
    HarnessError,
    Letter,
    Mode,
    NotAgainError,
    OutcomeUnknownError,
    Outgoing,
    Pending,
    Receipt,
    ReceiptState,
    Standing,
)
from dsh_lsp.server.services import Services
from dsh_lsp.settings import read_settings
from tests.support.embedded import mention
from tests.support.hosts import Host
from tests.support.hosts_logs import accepted, await_turn, entry, pending, records
from tests.support.hosts_wire import HostCaller

WAIT_LIMIT = 120.0
"""Seconds until everything must have found its end."""

_KEYS = itertools.count(1)


@dataclass(slots=True)
class Trial:
    """One prompt; `said` is what we told its user, and `cites` whether it has a mention."""

    session: str
    text: str
    key: str
    mode: Mode = Mode.QUEUE
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    said: str = "nothing"
    receipt: Receipt | None = None
    phase: str = ""

    def letter(self) -> Letter:
        return Letter(Outgoing(self.request_id, self.session, self.text, self.mode))


class Laboratory:
    """A host, and what tests need of it. `url` is what our side calls the host."""

    def __init__(self, host: Host, url: str | None = None) -> None:
        self.host = host
        self.url = url or host.url
        self.caller = HostCaller(host)

    @property
    def section(self) -> dict[str, Any]:
        """The settings of our side."""
        return {"home": str(self.host.home), "harness": {"mode": "http", "url": self.url}}

    async def enter(self) -> Services:
        """A process's services, as `app` connects them, logged in."""
        settings, faults = read_settings(self.section)
        assert not faults
        services = connect(settings, {})
        token = f"/?token={self.host.token}" if self.host.token else ""
        await services.login(f"{self.url}{token}")
        return services

    def trials(
        self, random: Random, count: int, sessions: Sequence[str], source: str
    ) -> list[Trial]:
        """Prompts to random sessions; some cite a source, some steer, some take their time."""
        made = []
        for _ in range(count):
            key = f"(trial {next(_KEYS)})"
            text = f"{key} Remember this."
            if random.random() < 0.5:
                text += f" See {mention(source, 'the source')}."
            if random.random() < 0.5:
                text += f"\n!slow {random.randrange(4, 20)} 50"
            mode = Mode.STEER if random.random() < 0.2 else Mode.QUEUE
            made.append(Trial(random.choice(sessions), text, key, mode))
        return made

    def source(self) -> str:
        """A session that can be cited."""
        session = self.caller.create()
        await_turn(self.host, session, self.caller.prompt(session, "What is said in the source."))
        return session


async def send(services: Services, trial: Trial) -> None:
    """Send a prompt, and note what its user was told."""
    try:
        trial.receipt = await services.delivery.send(trial.letter(), _nothing)
        trial.said = trial.receipt.state.value
    except OutcomeUnknownError:
        trial.said = "unknown"
    except HarnessError:
        trial.said = "refused"


def identify(host: Host, trial: Trial) -> None:
    """Learn from the log under which identity another process sent a prompt, if it did."""
    for record in records(host, trial.session):
        if record["type"] == "agent/inbox/spliced":
            for message in record["data"].get("inserted", ()):
                if trial.key in json.dumps(message["content"]):
                    trial.request_id = message["source"]["rpcId"]


def note_phase(host: Host, trial: Trial) -> None:
    """What the disk holds of a prompt at this moment."""
    log = records(host, trial.session)
    if entry(log, trial.request_id):
        where = "recorded"
    elif trial.request_id in pending(log):
        where = "queued"
    elif accepted(log, trial.request_id):
        where = "taken"
    else:
        where = "not on disk"
    trial.phase = f"said {trial.said}, {where}"


async def assert_nothing_is_lost(host: Host, services: Services, trials: Sequence[Trial]) -> None:
    """Whoever was told that a prompt is recorded can rely on it; everything else is kept."""
    kept = {item.outgoing.request_id for item in (await services.delivery.view()).items}
    for trial in trials:
        log = records(host, trial.session)
        if trial.said == ReceiptState.CAPTURED:
            assert entry(log, trial.request_id), trial
        elif trial.said == "refused":
            assert not accepted(log, trial.request_id), trial
        elif trial.said != ReceiptState.ENDED:
            assert trial.request_id in kept or entry(log, trial.request_id), trial


async def resolve(laboratory: Laboratory, services: Services) -> Counter[str]:
    """Do what a user would do with the outbox until it is empty; what was seen on the way."""
    seen: Counter[str] = Counter()
    woken: set[str] = set()
    deadline = time.monotonic() + WAIT_LIMIT
    while items := (await services.delivery.look()).items:
        assert time.monotonic() < deadline, [item.in_words() for item in items]
        async with anyio.create_task_group() as group:
            for item in filter(lambda item: item.may_be_sent_again, items):
                seen[f"sent again: {item.standing.value}"] += 1
                group.start_soon(_send_again, services, item)
        for item in items:
            if item.standing is Standing.QUEUED and item.reason:
                session = item.outgoing.session_id
                if session not in woken:
                    seen["a session was woken"] += 1
                    woken.add(session)
                    await anyio.to_thread.run_sync(
                        partial(laboratory.caller.prompt, session, "Go on.")
                    )
            elif item.standing is Standing.CAPTURED:
                seen["found in the log"] += 1
        await anyio.sleep(0.3)
    return seen


def judge(host: Host, trials: Sequence[Trial]) -> None:
    """Each prompt is in its log once, and waits nowhere; a refused one is nowhere."""
    for trial in trials:
        log = records(host, trial.session)
        count = sum(
            trial.key in json.dumps(record["data"]["content"])
            for record in log
            if record["type"] == "user/message" and record["data"]["source"]["kind"] == "user"
        )
        wanted = 0 if trial.said in ("refused", "never begun") else 1
        assert count == wanted, (trial, count)
        assert trial.request_id not in pending(log), trial


async def _send_again(services: Services, item: Pending) -> None:
    with contextlib.suppress(NotAgainError):  # it turned up meanwhile
        await services.delivery.resend(item.outgoing.request_id)


async def _nothing() -> None:
    return None
