"""Connections cut, hosts and senders killed: each prompt arrives exactly once."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from random import Random

import anyio
import anyio.to_thread
import pytest

from dsh_lsp.server.services import Services
from tests.support.command import PROGRAM, clean_environment
from tests.support.cutting_proxy import Cut, Plan, cutting_proxy
from tests.support.hosts import Host
from tests.support.hosts_logs import accepted, await_quiet, records
from tests.support.hosts_releases import EVERY_RUN, MATRIX, Release
from tests.support.laboratory import (
    Laboratory,
    Trial,
    assert_nothing_is_lost,
    identify,
    judge,
    note_phase,
    resolve,
    send,
)

pytestmark = pytest.mark.anyio

StartHost = Callable[[Release], Host]

Happen = Callable[[Laboratory, list[Trial]], Awaitable[Iterable[str]]]
"""Sends trials while something goes wrong; says what, in words that are counted."""

FEW, MANY = 10, 200
AT_ONCE = 10
"""Trials that share a cut, a death or a wait."""

LIFE = 0.6
"""Seconds from the first prompt to the death of its host; most prompts come in their last part."""


def sizes() -> Iterator[object]:
    for release in EVERY_RUN:
        yield pytest.param(release, FEW, id=f"{release.version}-few")
    for release in MATRIX:
        yield pytest.param(release, MANY, id=f"{release.version}-many", marks=pytest.mark.matrix)


each_size = pytest.mark.parametrize(("release", "count"), list(sizes()))


@each_size
async def test_cut_connections(
    release: Release,
    count: int,
    start_host: StartHost,
    state: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    host = await anyio.to_thread.run_sync(start_host, release)
    random = Random(f"cut {release.version} {count}")
    plans: dict[bytes, Plan] = {}

    def plan(request: bytes) -> Plan | None:
        return next((plan for key, plan in plans.items() if key in request), None)

    async def happen(laboratory: Laboratory, trials: list[Trial]) -> Iterable[str]:
        cuts = {trial.key: _some_plan(random) for trial in trials}
        plans.update({key.encode(): plan for key, plan in cuts.items()})
        services = await laboratory.enter()
        await asyncio.gather(*(send(services, trial) for trial in trials))
        await assert_nothing_is_lost(host, services, trials)
        await services.aclose()
        plans.clear()
        return (f"cut {cuts[each.key].cut}: said {each.said}" for each in trials)

    async with cutting_proxy(host.port, plan) as proxy:
        phases = await _experiment(Laboratory(host, proxy.url), random, count, happen)
    _report(capsys, f"connections cut, dsh {release.version}", phases)


@each_size
async def test_killed_hosts(
    release: Release,
    count: int,
    start_host: StartHost,
    state: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    host = await anyio.to_thread.run_sync(start_host, release)
    random = Random(f"host {release.version} {count}")

    async def happen(laboratory: Laboratory, trials: list[Trial]) -> Iterable[str]:
        services = await laboratory.enter()
        async with anyio.create_task_group() as group:
            for trial in trials:
                left = LIFE * random.random() ** 3
                group.start_soon(_send_later, services, trial, LIFE - left)
            await anyio.sleep(LIFE)
            await anyio.to_thread.run_sync(host.crash)
        for trial in trials:
            note_phase(host, trial)
        await assert_nothing_is_lost(host, services, trials)
        await services.aclose()
        await anyio.to_thread.run_sync(host.start)
        return (each.phase for each in trials)

    phases = await _experiment(Laboratory(host), random, count, happen)
    _report(capsys, f"hosts killed, dsh {release.version}", phases)


@each_size
async def test_killed_senders(
    release: Release,
    count: int,
    start_host: StartHost,
    state: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    host = await anyio.to_thread.run_sync(start_host, release)
    random = Random(f"sender {release.version} {count}")

    def plan(request: bytes) -> Plan | None:
        if b"(trial" not in request:
            return None
        return Plan(pause_before=random.random() / 10, pause_after=random.random() / 10)

    async def happen(laboratory: Laboratory, trials: list[Trial]) -> Iterable[str]:
        for trial in trials:
            await _send_and_kill(laboratory, trial, state, tmp_path, random)
            note_phase(host, trial)
        return (each.phase for each in trials)

    async with cutting_proxy(host.port, plan) as proxy:
        laboratory = Laboratory(host, proxy.url)
        services = await laboratory.enter()
        await services.aclose()
        phases = await _experiment(laboratory, random, count, happen)
    _report(capsys, f"senders killed, dsh {release.version}", phases)


async def _experiment(
    laboratory: Laboratory, random: Random, count: int, happen: Happen
) -> Counter[str]:
    """So many trials, some at a time: what `happen` does to them, and how each came to its end."""
    source = await anyio.to_thread.run_sync(laboratory.source)
    phases: Counter[str] = Counter()
    for _ in range(count // AT_ONCE):
        sessions = await _sessions(laboratory, 6)
        trials = laboratory.trials(random, AT_ONCE, sessions, source)
        phases.update(await happen(laboratory, trials))
        phases.update(await _end(laboratory, trials))
    return phases


async def _send_later(services: Services, trial: Trial, pause: float) -> None:
    await anyio.sleep(pause)
    await send(services, trial)


async def _send_and_kill(
    laboratory: Laboratory, trial: Trial, state: Path, folder: Path, random: Random
) -> None:
    """Let a process send a prompt, and kill it some time after its intent is on disk, or before."""
    path = folder / "ask.dsh.md"
    path.write_text(trial.text)
    settings = [f"home={laboratory.host.home}", "harness.mode=http"]
    settings.append(f"harness.url={laboratory.url}")
    options = [part for setting in settings for part in ("--set", setting)]
    environ = {**clean_environment(folder), "XDG_STATE_HOME": str(state)}
    outbox = state / "dsh-lsp" / "outbox"
    before = set(outbox.glob("*.json"))
    process = await anyio.open_process(
        [PROGRAM, "send", str(path), "--target", trial.session, "--mode", trial.mode, *options],
        env=environ,
    )
    async with process:
        made: set[Path] = set()
        never_begun = random.random() < 0.1
        while process.returncode is None and not made and not never_begun:
            await anyio.sleep(0.002)
            made = set(outbox.glob("*.json")) - before
        await anyio.sleep(random.random() if never_begun else random.random() ** 3 * 0.3)
        if process.returncode is None:
            process.kill()
        await process.wait()
        trial.said = {0: "accepted", -9: "killed"}.get(process.returncode or 0, "refused")
    made = made or set(outbox.glob("*.json")) - before
    for record in made:
        trial.request_id = record.stem
    identify(laboratory.host, trial)
    has_left = made or accepted(records(laboratory.host, trial.session), trial.request_id)
    if trial.said == "killed" and not has_left:
        trial.said = "never begun"


async def _sessions(laboratory: Laboratory, count: int) -> list[str]:
    def create() -> list[str]:
        return [laboratory.caller.create() for _ in range(count)]

    return await anyio.to_thread.run_sync(create)


async def _end(laboratory: Laboratory, trials: list[Trial]) -> Counter[str]:
    """A new process finds out, its user decides, and then each prompt is there once."""
    services = await laboratory.enter()
    seen = await resolve(laboratory, services)
    await services.aclose()
    for session in {trial.session for trial in trials}:
        if records(laboratory.host, session):
            await anyio.to_thread.run_sync(await_quiet, laboratory.host, session)
    judge(laboratory.host, trials)
    return seen


def _some_plan(random: Random) -> Plan:
    return Plan(random.choice(list(Cut)), share=random.random())


def _report(capsys: pytest.CaptureFixture[str], title: str, phases: Counter[str]) -> None:
    with capsys.disabled():
        print(f"\n{title}", file=sys.stderr)
        for phase, number in sorted(phases.items()):
            print(f"  {number:4}  {phase}", file=sys.stderr)
