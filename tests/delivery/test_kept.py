"""Kept prompts: they wait without being looked for, and are sent once, when someone says so."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from dsh_lsp.harness.delivery.course import GRACE_MS
from dsh_lsp.harness.delivery.delivery import OutboxDelivery
from dsh_lsp.harness.delivery.intent import Phase
from dsh_lsp.harness.delivery.outbox import BusyError, FolderOutbox, Outbox, OutboxError
from dsh_lsp.harness.delivery.patience import Patience
from dsh_lsp.harness.delivery.witness import DurableHarness
from dsh_lsp.harness.port import (
    NO_SESSION_YET,
    HarnessError,
    Letter,
    NoHarnessError,
    NotAgainError,
    OutcomeUnknownError,
    Pending,
    Receipt,
    ReceiptState,
    Standing,
    UnknownSessionError,
)
from tests.support.memory_outbox import MemoryOutbox
from tests.support.scripted_harness import (
    CAPTURED,
    NOT_THERE,
    WAITING,
    Clock,
    ScriptedHarness,
    letter,
)

pytestmark = pytest.mark.anyio

QUICK = Patience(
    receipt={ReceiptState.WAITING: 0.03},
    search=0.01,
    recheck=60.0,  # nobody waits for a second look at what was never sent
    steady=0.005,
    shortest_pause=0.005,
    longest_pause=0.01,
    shortest_round=0.01,
    longest_round=0.02,
)

CITING = replace(
    letter(document="d"), references=({"sessionId": "a", "capturedThroughSeq": 7, "bytes": 5},)
)


@dataclass
class Desk:
    """A delivery, and everything around it."""

    outbox: Outbox
    harness: ScriptedHarness = field(default_factory=ScriptedHarness)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.delivery = self.process()

    def process(self) -> OutboxDelivery:
        """A delivery as another process would have it."""
        witness = DurableHarness(self.harness)
        return OutboxDelivery(self.harness, self.outbox, witness, patience=QUICK, clock=self.clock)

    async def only(self) -> Pending:
        (item,) = (await self.process().look()).items
        return item


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(FolderOutbox(tmp_path / "outbox"))


async def test_a_kept_prompt_is_neither_sent_nor_looked_for(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    desk.clock.now += 100 * GRACE_MS
    for view in (await desk.delivery.view(), await desk.delivery.look()):
        (item,) = view.items
        assert (item.standing, item.may_be_sent_again) == (Standing.KEPT, True)
        assert item.outgoing == letter().outgoing
    assert (desk.harness.sent, desk.harness.looks) == ([], 0)


async def test_no_news_is_told_of_it_and_it_is_not_looked_at_again_and_again(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    reads: list[int] = []
    contents = desk.outbox.contents
    desk.outbox.contents = lambda: reads.append(1) or contents()  # type: ignore[func-returns-value, method-assign]
    with anyio.move_on_after(0.2):
        async for items in desk.delivery.news():
            raise AssertionError(items)
    assert (len(reads), desk.harness.looks) == (1, 0)


async def test_it_is_sent_under_its_own_identity_and_then_gone(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    desk.harness.seen = [WAITING, CAPTURED]
    assert await desk.process().resend("r1") == CAPTURED
    assert desk.harness.sent == [letter().outgoing]
    assert desk.outbox.contents().intents == ()
    with pytest.raises(NotAgainError, match="no such prompt"):
        await desk.delivery.resend("r1")
    assert len(desk.harness.sent) == 1


async def test_it_is_on_disk_as_being_sent_before_it_goes_out(desk: Desk) -> None:
    phases: list[Phase] = []

    async def look() -> None:
        phases.extend(each.phase for each in desk.outbox.contents().intents)

    await desk.delivery.keep(letter())
    desk.harness.when_sending = look
    await desk.delivery.resend("r1")
    assert phases == [Phase.SENDING]


@pytest.mark.parametrize(
    "fault", [NoHarnessError("none"), UnknownSessionError("not here"), HarnessError("no")]
)
async def test_what_the_harness_refuses_stays_kept(desk: Desk, fault: HarnessError) -> None:
    await desk.delivery.keep(CITING)
    before = desk.outbox.contents().intents
    desk.harness.fault = fault
    for _ in range(2):
        with pytest.raises(type(fault)):
            await desk.delivery.resend("r1")
        assert desk.outbox.contents().intents == before
    assert (await desk.only()).standing is Standing.KEPT
    desk.harness.fault = None
    assert (await desk.delivery.resend("r1")).state is ReceiptState.CAPTURED


async def test_a_lost_answer_leaves_it_in_doubt_like_any_other(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    desk.harness.fault = OutcomeUnknownError("cut")
    desk.harness.seen = [NOT_THERE]
    with pytest.raises(OutcomeUnknownError):
        await desk.delivery.resend("r1")
    assert (await desk.only()).standing is Standing.SENDING
    desk.clock.now += GRACE_MS
    assert (await desk.only()).standing is Standing.MISSING


async def test_a_process_that_dies_while_it_sends_it_leaves_it_in_doubt(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    desk.harness.when_sending = anyio.sleep_forever
    with anyio.move_on_after(0.1):
        await desk.delivery.resend("r1")
    desk.harness.seen = [NoHarnessError("none"), WAITING]
    assert (await desk.only()).standing is Standing.UNKNOWN
    with pytest.raises(NotAgainError, match="the harness has accepted it"):
        await desk.process().resend("r1")
    assert len(desk.harness.sent) == 1


@pytest.mark.parametrize("is_answered", [False, True])
async def test_a_user_who_cancels_the_sending_is_told_what_became_of_it(
    desk: Desk, is_answered: bool
) -> None:
    await desk.delivery.keep(letter())
    sending, told = anyio.Event(), anyio.Event()
    standings: list[Standing] = []

    async def answer() -> None:
        sending.set()
        if not is_answered:
            await anyio.sleep_forever()

    async def listen() -> None:
        async for items in desk.delivery.news():
            standings.extend(item.standing for item in items)
            told.set()

    async def resend(scope: anyio.CancelScope) -> None:
        with scope:
            await desk.delivery.resend("r1")

    desk.harness.when_sending = answer
    desk.harness.seen = [WAITING]
    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        await anyio.sleep(0.05)  # it rests, since nothing is on its way
        wish = anyio.CancelScope()
        group.start_soon(resend, wish)
        await sending.wait()
        wish.cancel()
        desk.harness.seen = [CAPTURED]
        with anyio.move_on_after(5):
            await told.wait()
        group.cancel_scope.cancel()
    assert standings == [Standing.CAPTURED]


async def test_a_request_that_was_taken_back_may_arrive_for_a_while(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    scope = anyio.CancelScope()

    async def take_back_late() -> None:
        desk.clock.now += 2 * GRACE_MS
        scope.cancel()
        await anyio.sleep_forever()

    desk.harness.when_sending = take_back_late
    with scope:
        await desk.delivery.resend("r1")
    desk.harness.seen = [NOT_THERE]
    assert (await desk.only()).standing is Standing.SENDING
    desk.clock.now += GRACE_MS
    assert (await desk.only()).standing is Standing.MISSING


async def test_two_that_send_it_at_once_send_it_once(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    other_has_tried = anyio.Event()
    desk.harness.when_sending = other_has_tried.wait
    results: list[str] = []

    async def resend(delivery: OutboxDelivery) -> None:
        try:
            results.append((await delivery.resend("r1")).state.value)
        except BusyError:
            results.append("busy")
            other_has_tried.set()

    async with anyio.create_task_group() as group:
        for _ in range(2):
            group.start_soon(resend, desk.process())
    assert results == ["busy", "captured"]
    assert len(desk.harness.sent) == 1


async def test_it_is_forgotten_on_request(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    await desk.delivery.discard("r1")
    assert desk.outbox.contents().intents == ()
    assert desk.harness.sent == []


async def test_an_end_before_it_was_recorded_leaves_its_text_where_it_was(desk: Desk) -> None:
    await desk.delivery.keep(letter())
    desk.harness.seen = [Receipt(ReceiptState.ENDED, reason="it failed")]
    assert (await desk.delivery.resend("r1")).reason == "it failed"
    item = await desk.only()
    assert (item.standing, item.may_be_sent_again) == (Standing.ENDED, True)
    assert item.outgoing.text == "hello"


@pytest.mark.parametrize(
    ("second", "is_twin"),
    [
        (letter("r2"), True),
        (letter("r2", text="other"), False),
        (letter("r2", session="other"), False),
        (letter("r2", session=NO_SESSION_YET, document="d"), True),
    ],
)
async def test_an_equal_prompt_is_found_however_old_it_is(
    desk: Desk, second: Letter, is_twin: bool
) -> None:
    await desk.delivery.keep(letter(document="d"))
    desk.clock.now += 1000 * GRACE_MS
    twin = await desk.process().twin(second)
    assert (twin is not None) == is_twin
    assert twin is None or twin.standing is Standing.KEPT
    assert desk.harness.looks == 0


async def test_a_source_that_grew_meanwhile_is_no_difference(desk: Desk) -> None:
    await desk.delivery.keep(CITING)
    grown = replace(CAPTURED, references=({"sessionId": "a", "capturedThroughSeq": 70},))
    desk.harness.seen = [grown]
    assert (await desk.delivery.resend("r1")).differences == ()


async def test_a_source_that_is_not_recorded_is_one(desk: Desk) -> None:
    await desk.delivery.keep(CITING)
    desk.harness.seen = [CAPTURED]
    told = await desk.delivery.resend("r1")
    assert [(each.session_id, each.fact) for each in told.differences] == [("a", "recorded")]


async def test_mentions_that_nobody_would_resolve_are_not_sent(desk: Desk) -> None:
    desk.harness.resolves = False
    await desk.delivery.keep(CITING)
    with pytest.raises(NotAgainError, match="resolves no mentions"):
        await desk.delivery.resend("r1")
    assert desk.harness.sent == []
    assert (await desk.only()).standing is Standing.KEPT
    await desk.delivery.keep(letter("r2"))
    assert (await desk.delivery.resend("r2")).state is ReceiptState.CAPTURED


async def test_what_cannot_be_written_is_not_kept() -> None:
    outbox = MemoryOutbox()
    outbox.fails = True
    desk = Desk(outbox)
    with pytest.raises(OutboxError, match="No space left"):
        await desk.delivery.keep(letter())
    assert (await desk.delivery.view()).items == ()
