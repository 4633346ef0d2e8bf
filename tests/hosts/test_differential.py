"""Random conversations in real hosts: what a host quotes of them equals what we do, byte for byte.

Each run talks and forks, then quotes what was said while the sessions are live; then, several
times, kills the host in the middle of a turn and quotes them again from its store under another
budget.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from tests.support.embedded import mention
from tests.support.hosts import Host
from tests.support.hosts_releases import (
    EVERY_RUN,
    MATRIX,
    NO_TITLES,
    Release,
    budget_overlay,
)
from tests.support.hosts_snapshots import BUDGETS, NO_ROOM, assert_same_quote
from tests.support.hosts_talk import Talker
from tests.support.hosts_wire import HostCaller
from tests.support.random_talk import random_conversation, random_text

CONVERSATIONS = 4
STEPS = 6
LARGEST = 6_000
SMALLEST_BUDGET, LARGEST_BUDGET = 200, 20_000

SHORT_RUNS = range(3, 4)
"""With this seed, texts are cut on every host: a budget that is wrong by one byte shows."""

LONG_RUNS = range(100, 120)

Start = Callable[..., Host]


def _runs(releases: tuple[Release, ...], seeds: range) -> list[object]:
    return [
        pytest.param(release, seed, id=f"{release.version}-{seed}")
        for release in releases
        for seed in seeds
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(("release", "seed"), _runs(EVERY_RUN, SHORT_RUNS))
async def test_hosts_quote_what_we_quote(release: Release, seed: int, start_host: Start) -> None:
    await run(release, seed, start_host, rounds=2)


@pytest.mark.anyio
@pytest.mark.matrix
@pytest.mark.parametrize(("release", "seed"), _runs(MATRIX, LONG_RUNS))
async def test_hosts_quote_what_we_quote_at_length(
    release: Release, seed: int, start_host: Start
) -> None:
    await run(release, seed, start_host, rounds=8)


async def run(release: Release, seed: int, start_host: Start, *, rounds: int) -> None:
    random = Random(f"{release.version} {seed}")
    host = start_host(release, NO_TITLES)
    talker = Talker(host)
    sessions = [
        talker.talk(random_conversation(random, STEPS, LARGEST)) for _ in range(CONVERSATIONS)
    ]
    sessions.append(talker.caller.fork(random.choice(sessions)))
    budget = BUDGETS[release.log_format]
    quotes = [await _quote(host, session, budget, random) for session in sessions]
    for _ in range(rounds):
        for session in random.sample(sessions, k=random.randint(0, 2)):
            talker.leave_open(session)
        host.crash()
        budget = int(SMALLEST_BUDGET * (LARGEST_BUDGET / SMALLEST_BUDGET) ** random.random())
        host.overlay = (*NO_TITLES, *budget_overlay(budget))
        host.start()
        quotes += [await _quote(host, session, budget, random) for session in sessions]
        talker.do(random.choice(sessions), next(random_conversation(random, 0, LARGEST)))
    assert any(quote != NO_ROOM for quote in quotes)


async def _quote(host: Host, session: str, budget: int, random: Random) -> object:
    target = HostCaller(host).create()
    label = random_text(random, 40)
    return await assert_same_quote(host, target, f"Use {mention(session, label)}", budget)
