"""The one connection: found when needed, kept while it answers, not waited for when dead."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from dsh_lsp.harness.wire.connection import Connection
from dsh_lsp.harness.wire.errors import (
    GarbageError,
    HostError,
    LoginNeededError,
    LostAnswerError,
    UnreachableError,
)

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class OneWire:
    """A host that can be checked; `check` fails with `fault` after `pause` seconds."""

    def __init__(self) -> None:
        self.fault: HostError | None = None
        self.pause = 0.0
        self.checks = 0
        self.closed = False

    async def check(self) -> None:
        self.checks += 1
        await asyncio.sleep(self.pause)
        if self.fault is not None:
            raise self.fault

    async def aclose(self) -> None:
        self.closed = True


def one_wire() -> Any:
    """A `OneWire` that stands for a whole `Wire`."""
    return OneWire()


def same(one: object, other: object) -> bool:
    return one is other


class Searches:
    """Each search takes the next outcome; the last one stays."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)
        self.count = 0

    async def __call__(self) -> Any:
        self.count += 1
        outcome = self.outcomes[0] if len(self.outcomes) == 1 else self.outcomes.pop(0)
        if isinstance(outcome, HostError):
            raise outcome
        return outcome if isinstance(outcome, OneWire) else await outcome()


async def never() -> Any:
    await asyncio.Event().wait()
    raise AssertionError


async def test_one_search_serves_all_who_ask() -> None:
    wire = one_wire()

    async def slowly() -> Any:
        await asyncio.sleep(0.05)
        return wire

    searches = Searches(slowly)
    connection = Connection(searches)
    found = await asyncio.gather(*(connection.wire() for _ in range(5)), connection.wire_soon())
    assert found == [wire] * 6
    assert searches.count == 1
    assert same(await connection.wire(), wire)
    await connection.aclose()
    assert wire.closed


async def test_one_who_gives_up_does_not_end_the_search_of_others() -> None:
    wire = one_wire()
    release = asyncio.Event()

    async def slowly() -> Any:
        await release.wait()
        return wire

    connection = Connection(Searches(slowly))
    impatient, patient = (asyncio.ensure_future(connection.wire()) for _ in range(2))
    await asyncio.sleep(0.01)
    impatient.cancel()
    await asyncio.sleep(0.01)
    release.set()
    assert same(await patient, wire)
    await connection.aclose()


async def test_a_dead_host_is_asked_again_only_after_a_rest() -> None:
    clock = Clock()
    wire: Any = one_wire()
    searches = Searches(UnreachableError("down"), UnreachableError("down"), wire)
    connection = Connection(searches, clock=clock)
    for _ in range(20):
        with pytest.raises(UnreachableError, match="down"):
            await connection.wire_soon()
    assert searches.count == 1
    clock.now += 0.6
    with pytest.raises(UnreachableError):
        await connection.wire_soon()
    assert searches.count == 2
    assert same(await connection.wire(), wire)  # what a user asks for does not rest


async def test_a_hanging_host_rests_longer_than_it_took() -> None:
    clock = Clock()

    async def slow_failure() -> Any:
        clock.now += 5.0
        raise LostAnswerError("too slow")

    searches = Searches(slow_failure)
    connection = Connection(searches, clock=clock)
    with pytest.raises(LostAnswerError):
        await connection.wire_soon()
    clock.now += 19.0
    with pytest.raises(LostAnswerError):
        await connection.wire_soon()
    assert searches.count == 1
    clock.now += 2.0
    with pytest.raises(LostAnswerError):
        await connection.wire_soon()
    assert searches.count == 2


async def test_nobody_waits_long_for_a_host_that_is_known_to_be_dead() -> None:
    clock = Clock()
    connection = Connection(Searches(UnreachableError("down"), never), clock=clock)
    with pytest.raises(UnreachableError):
        await connection.wire_soon()
    clock.now += 60
    start = time.monotonic()
    with pytest.raises(UnreachableError, match="down"):
        await connection.wire_soon()
    assert time.monotonic() - start < 1.5
    await connection.aclose()


async def test_the_first_search_is_waited_for_only_so_long(monkeypatch) -> None:
    monkeypatch.setattr("dsh_lsp.harness.wire.connection.FIRST_PATIENCE", 0.05)
    connection = Connection(Searches(never))
    with pytest.raises(UnreachableError, match="still looking"):
        await connection.wire_soon()
    await connection.aclose()


BREAKING = [UnreachableError("x"), LostAnswerError("x"), LoginNeededError("x")]


@pytest.mark.parametrize("fault", BREAKING, ids=lambda fault: type(fault).__name__)
async def test_a_failure_of_the_connection_ends_it(fault: HostError) -> None:
    first, second = one_wire(), one_wire()
    connection = Connection(Searches(first, second))
    first.fault = fault
    with pytest.raises(type(fault)):
        await connection.use(await connection.wire(), lambda wire: wire.check())
    assert same(await connection.wire(), second)


async def test_a_host_that_answers_badly_is_still_the_host() -> None:
    wire = one_wire()
    connection = Connection(Searches(wire))
    wire.fault = GarbageError("x")
    with pytest.raises(GarbageError):
        await connection.use(await connection.wire(), lambda it: it.check())
    assert same(await connection.wire(), wire)


async def test_a_late_failure_of_an_old_host_does_not_end_the_new_one() -> None:
    old, new = one_wire(), one_wire()
    connection = Connection(Searches(old, new))
    old.fault, old.pause = LostAnswerError("x"), 0.05
    late = asyncio.ensure_future(connection.use(await connection.wire(), lambda it: it.check()))
    await asyncio.sleep(0.01)
    connection.forget()
    assert same(await connection.wire(), new)
    with pytest.raises(LostAnswerError):
        await late
    assert same(await connection.wire(), new)


async def test_a_host_is_checked_when_its_last_answer_is_old() -> None:
    clock = Clock()
    wire: Any = one_wire()
    next_wire: Any = one_wire()
    connection = Connection(Searches(wire, next_wire), clock=clock)
    await connection.wire()
    assert same(await connection.wire_soon(), wire)
    assert wire.checks == 0
    clock.now += 3
    assert same(await connection.wire_soon(), wire)
    assert same(await connection.wire_soon(), wire)
    assert wire.checks == 1
    clock.now += 3
    wire.fault = UnreachableError("gone")
    assert same(await connection.wire_soon(), next_wire)  # it was started anew


async def test_of_a_host_that_ended_is_told_what_looking_for_it_found() -> None:
    clock = Clock()
    wire: Any = one_wire()
    connection = Connection(Searches(wire, UnreachableError("nobody")), clock=clock)
    wire.fault = LostAnswerError("broke")
    with pytest.raises(LostAnswerError):
        await connection.use(await connection.wire(), lambda it: it.check())
    with pytest.raises(UnreachableError, match="nobody"):
        await connection.wire_soon()


async def test_a_host_that_answers_a_check_badly_is_still_the_host() -> None:
    clock = Clock()
    wire: Any = one_wire()
    searches = Searches(wire)
    connection = Connection(searches, clock=clock)
    await connection.wire()
    clock.now += 3
    wire.fault = GarbageError("what is this")
    with pytest.raises(GarbageError):
        await connection.wire_soon()
    assert searches.count == 1


async def test_a_host_that_is_late_keeps_the_benefit_of_the_doubt() -> None:
    clock = Clock()
    wire: Any = one_wire()
    connection = Connection(Searches(wire), clock=clock)
    await connection.wire()
    clock.now += 3
    wire.pause = 60.0
    start = time.monotonic()
    assert same(await connection.wire_soon(), wire)
    assert same(await connection.wire_soon(), wire)
    assert time.monotonic() - start < 3
    assert wire.checks == 1
    await connection.aclose()
