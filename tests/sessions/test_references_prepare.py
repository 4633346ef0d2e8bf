"""Preparing through the reference service: all or nothing, in parallel, cancellable at once."""

from __future__ import annotations

import asyncio
import gc

import anyio
import pytest

from dsh_lsp.core.failures import (
    BudgetExceededError,
    CancelledError,
    InvalidConfigError,
    ReadFailedError,
    ReadFault,
    SelfReferenceError,
    TooManyReferencesError,
)
from dsh_lsp.core.limits import Limits
from dsh_lsp.core.log.surface import Surface
from dsh_lsp.core.mentions import Reference
from dsh_lsp.sessions.references import SessionReferenceResolver, Target
from tests.support.fake_query import FakeQuery, make_entry, make_surface
from tests.support.gate import Gate, gate

HERE = Target("me", "/w")
A, B, C = (Reference(each, each.upper()) for each in "abc")
SURFACES = {each: make_surface(each, f"text of {each}") for each in "abcd"}


def resolver_of(query, **limits):
    return SessionReferenceResolver(query, limits=Limits(**limits))


async def prepare(query, *references, target=HERE, text="hello", **limits):
    return await resolver_of(query, **limits).prepare(target, text, references)


def test_sources_are_read_once_each_and_come_back_in_order():
    query = FakeQuery(surfaces=SURFACES)
    prepared = anyio.run(prepare, query, B, A, Reference("b", "again"))
    assert sorted(query.surfaces_read) == ["a", "b"]
    assert [source.snapshot.session_id for source in prepared.sources] == ["b", "a"]
    assert [source.snapshot.label for source in prepared.sources] == ["B", "A"]
    assert [source.input_index for source in prepared.sources] == [0, 1]
    assert prepared.text == "hello"
    assert prepared.context is not None
    assert prepared.context.text.count("text of ") == 2


def test_no_references_means_no_context_and_no_reading():
    query = FakeQuery(surfaces=SURFACES)
    prepared = anyio.run(prepare, query)
    assert (prepared.text, prepared.sources, prepared.context) == ("hello", (), None)
    assert query.surfaces_read == []


@pytest.mark.parametrize(
    ("references", "error"),
    [
        ((A, Reference("me", "")), SelfReferenceError),
        ((A, B, C, Reference("d", "")), TooManyReferencesError),
        ((A, B, C, Reference("d", ""), Reference("me", "")), SelfReferenceError),
    ],
)
def test_refused_references_are_never_read(references, error):
    query = FakeQuery(surfaces=SURFACES)
    with pytest.raises(error):
        anyio.run(prepare, query, *references)
    assert query.surfaces_read == []


def test_limits_of_one_call_replace_those_of_the_service():
    async def main():
        service = resolver_of(FakeQuery(surfaces=SURFACES))
        with pytest.raises(TooManyReferencesError):
            await service.prepare(HERE, "", (A, B), limits=Limits(max_references=1))
        with pytest.raises(BudgetExceededError, match=r"^a: "):
            await service.prepare(HERE, "", (A,), limits=Limits(max_reference_bytes=10))
        prepared = await service.prepare(HERE, "", (A,), limits=Limits(max_reference_bytes=150))
        assert prepared.sources[0].snapshot.budget == 150

    anyio.run(main)


@pytest.mark.parametrize("bad", [0, 4, True, 1.0, "2", None])
def test_limits_out_of_range_are_refused(bad):
    with pytest.raises(InvalidConfigError):
        Limits(max_references=bad)


@pytest.mark.parametrize("bad", [0, -1, True, 65536.0, "host", None])
def test_budgets_out_of_range_are_refused(bad):
    with pytest.raises(InvalidConfigError):
        Limits(max_reference_bytes=bad)


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (ReadFailedError("damaged", ReadFault.CORRUPT), ReadFault.CORRUPT),
        (RuntimeError("boom"), ReadFault.UNREADABLE),
        (ExceptionGroup("several", [ValueError("x")]), ReadFault.UNREADABLE),
        (BudgetExceededError("not the backend's to say"), ReadFault.UNREADABLE),
        (asyncio.CancelledError(), ReadFault.UNREADABLE),
        (KeyError(), ReadFault.UNREADABLE),
    ],
)
def test_any_failure_of_one_source_fails_all(failure, reason):
    class Failing(FakeQuery):
        async def read_surface(self, session_id: str) -> Surface:
            if session_id == "b":
                raise failure
            return SURFACES[session_id]

    with pytest.raises(ReadFailedError) as caught:
        anyio.run(prepare, Failing(), A, B)
    assert caught.value.reason is reason
    assert caught.value.message


class Together(FakeQuery):
    """Each read waits until all of them have begun."""

    def __init__(self, count):
        super().__init__(surfaces=SURFACES)
        self.count = count
        self.all_here = anyio.Event()

    async def read_surface(self, session_id: str) -> Surface:
        surface = await super().read_surface(session_id)
        if len(self.surfaces_read) == self.count:
            self.all_here.set()
        await self.all_here.wait()
        return surface


def test_sources_are_read_in_parallel():
    async def main():
        with anyio.fail_after(5):
            return await prepare(Together(3), A, B, C)

    assert len(anyio.run(main).sources) == 3


class Stuck(FakeQuery):
    """Every call sits in a thread that cannot be interrupted, except reading `quick`."""

    def __init__(self, gate: Gate, quick: Surface | Exception | None = None):
        super().__init__([make_entry("a")], surfaces={"quick": quick} if quick else {})
        self.gate = gate

    async def list_sessions(self):
        await self.gate.block()
        return await super().list_sessions()

    async def read_surface(self, session_id: str) -> Surface:
        if session_id != "quick":
            await self.gate.block()
            raise RuntimeError("nobody waits for this any more")
        return await super().read_surface(session_id)


CALLS = {
    "candidates": lambda service, cancel: service.list_candidates(HERE, "x", cancel=cancel),
    "prepare": lambda service, cancel: service.prepare(HERE, "", (A, B), cancel=cancel),
}


@pytest.fixture(params=CALLS)
def call(request):
    return CALLS[request.param]


async def quiet(main):
    """Run `main`; nothing may be reported to the event loop's exception handler."""
    reports = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reports.append(context))
    await main
    for _ in range(5):  # threads end, and their tasks with them
        await asyncio.sleep(0.01)
    gc.collect()
    assert reports == []


def test_a_cancelled_scope_settles_while_the_thread_still_sits_there(call):
    async def main():
        with gate() as held:
            async with anyio.create_task_group() as group:
                group.start_soon(call, resolver_of(Stuck(held)), None)
                await held.someone_waits()
                group.cancel_scope.cancel()
            assert not held.is_open
            assert held.passed == 0

    asyncio.run(quiet(main()))


def test_a_cancelled_asyncio_task_settles_while_the_thread_still_sits_there(call):
    async def main():
        with gate() as held:
            task = asyncio.create_task(call(resolver_of(Stuck(held)), None))
            await held.someone_waits()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert held.passed == 0

    asyncio.run(quiet(main()))


def test_a_deadline_settles_while_the_thread_still_sits_there(call):
    async def main():
        with gate() as held:
            with pytest.raises(TimeoutError), anyio.fail_after(0.02):
                await call(resolver_of(Stuck(held)), None)
            assert held.passed == 0

    asyncio.run(quiet(main()))


def test_a_callers_own_signal_gives_the_cancelled_code(call):
    async def main():
        with gate() as held:
            cancel = anyio.Event()
            task = asyncio.create_task(call(resolver_of(Stuck(held)), cancel))
            await held.someone_waits()
            cancel.set()
            with pytest.raises(CancelledError) as caught:
                await task
            assert caught.value.code == "SESSION_REFERENCE_CANCELLED"
            assert held.passed == 0

    asyncio.run(quiet(main()))


def test_a_signal_that_was_set_before_stops_everything(call):
    async def main():
        cancel = anyio.Event()
        cancel.set()
        query = FakeQuery([make_entry("a")], surfaces=SURFACES)
        with pytest.raises(CancelledError):
            await call(resolver_of(query), cancel)

    asyncio.run(quiet(main()))


def test_a_signal_that_is_never_set_changes_nothing():
    async def main():
        service = resolver_of(FakeQuery(surfaces=SURFACES))
        prepared = await service.prepare(HERE, "", (A, B), cancel=anyio.Event())
        assert len(prepared.sources) == 2

    asyncio.run(quiet(main()))


def test_one_failure_does_not_wait_for_a_source_that_is_stuck():
    async def main():
        with gate() as held:
            query = Stuck(held, ReadFailedError("gone", ReadFault.NOT_FOUND))
            with pytest.raises(ReadFailedError, match="gone"):
                await prepare(query, A, Reference("quick", ""))
            assert held.passed == 0

    asyncio.run(quiet(main()))


def test_a_backend_that_can_stop_is_asked_to():
    stopped = []

    class Listening(FakeQuery):
        async def read_surface(self, session_id: str) -> Surface:
            try:
                await anyio.sleep_forever()
            finally:
                stopped.append(session_id)
            raise AssertionError("it slept for ever")

    async def main():
        with anyio.move_on_after(0.01):
            await prepare(Listening(), A, B)
        await asyncio.sleep(0)
        assert sorted(stopped) == ["a", "b"]

    asyncio.run(quiet(main()))


def test_the_service_answers_again_after_a_cancelled_call():
    async def main():
        with gate() as held:
            query = Stuck(held, make_surface("quick", "hi"))
            service = resolver_of(query)
            with anyio.move_on_after(0.01):
                await service.prepare(HERE, "", (A,))
            prepared = await service.prepare(HERE, "", (Reference("quick", "Q"),))
            assert prepared.sources[0].snapshot.label == "Q"

    asyncio.run(quiet(main()))
