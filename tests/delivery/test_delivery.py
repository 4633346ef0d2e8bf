"""Sending through the outbox: what is kept, told and done in each phase."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import anyio
import pytest

from dsh_lsp.harness.delivery.course import GRACE_MS, again, begin
from dsh_lsp.harness.delivery.delivery import MOMENT_MS, OutboxDelivery
from dsh_lsp.harness.delivery.intent import Intent, Phase
from dsh_lsp.harness.delivery.outbox import BusyError, OutboxError
from dsh_lsp.harness.delivery.patience import Patience
from dsh_lsp.harness.delivery.witness import DurableHarness, Sighting
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

ENDED = Receipt(ReceiptState.ENDED, reason="it failed")
QUEUED = Receipt(ReceiptState.QUEUED, place=2)
DEAD = Receipt(ReceiptState.QUEUED, place=1, reason="nothing runs")

QUICK = Patience(
    receipt={ReceiptState.WAITING: 0.03, ReceiptState.QUEUED: 0.01},
    search=0.03,
    look=0.2,
    recheck=0.01,
    steady=0.005,
    shortest_pause=0.005,
    longest_pause=0.01,
    shortest_round=0.01,
    longest_round=0.02,
)


@dataclass
class Desk:
    """A delivery, and everything around it."""

    harness: ScriptedHarness = field(default_factory=ScriptedHarness)
    outbox: MemoryOutbox = field(default_factory=MemoryOutbox)
    clock: Clock = field(default_factory=Clock)
    accepted: int = 0

    def __post_init__(self) -> None:
        self.delivery = self.process()

    def process(self, patience: Patience = QUICK) -> OutboxDelivery:
        """A delivery as another process would have it."""
        witness = DurableHarness(self.harness)
        return OutboxDelivery(
            self.harness, self.outbox, witness, patience=patience, clock=self.clock
        )

    async def note(self) -> None:
        self.accepted += 1

    async def send(self, one: Letter | None = None) -> Receipt:
        return await self.delivery.send(one or letter(), self.note)

    async def look(self) -> list[Pending]:
        return list((await self.delivery.look()).items)

    def left_behind(self, one: Letter | None = None, *, age: int = GRACE_MS) -> Intent:
        """A prompt of a process that died while it sent it."""
        intent = begin(one or letter(), self.clock() - age)
        self.outbox.put(intent)
        return intent


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_a_prompt_is_kept_before_it_goes_out_and_until_it_is_recorded(desk: Desk) -> None:
    kept: list[Phase] = []

    async def look() -> None:
        kept.extend(each.phase for each in desk.outbox.intents)
        assert desk.outbox.contents().held == {"r1"}

    desk.harness.when_sending = look
    desk.harness.seen = [WAITING, CAPTURED]
    assert (await desk.send()).message_seq == 7
    assert kept == [Phase.SENDING]
    assert desk.accepted == 1
    assert desk.outbox.intents == []


async def test_nothing_is_sent_that_cannot_be_kept(desk: Desk) -> None:
    desk.outbox.fails = True
    with pytest.raises(OutboxError, match="No space left"):
        await desk.send()
    assert desk.harness.sent == []


async def test_an_outbox_that_fails_later_never_turns_accepted_into_refused(desk: Desk) -> None:
    async def fill_the_disk() -> None:
        desk.outbox.fails = True

    desk.harness.when_sending = fill_the_disk
    desk.harness.seen = [QUEUED]
    assert (await desk.send()).state is ReceiptState.QUEUED
    assert [each.phase for each in desk.outbox.intents] == [Phase.SENDING]


@pytest.mark.parametrize("fault", [HarnessError("no"), NoHarnessError("none")])
async def test_a_refused_prompt_is_not_kept(desk: Desk, fault: HarnessError) -> None:
    desk.harness.fault = fault
    with pytest.raises(type(fault)):
        await desk.send()
    assert (desk.outbox.intents, desk.accepted) == ([], 0)


@pytest.mark.parametrize(
    ("seen", "phase"),
    [
        (QUEUED, Phase.ACCEPTED),
        (WAITING, Phase.ACCEPTED),
        (NoHarnessError("it died"), Phase.ACCEPTED),
        (NOT_THERE, Phase.ACCEPTED),
    ],
)
async def test_what_was_accepted_stays_until_its_end_is_known(
    desk: Desk, seen: Receipt | HarnessError, phase: Phase
) -> None:
    desk.harness.seen = [seen]
    receipt = await desk.send()
    assert receipt.state in (ReceiptState.QUEUED, ReceiptState.WAITING)
    assert [each.phase for each in desk.outbox.intents] == [phase]
    assert desk.outbox.contents().held == frozenset()


async def test_an_end_that_is_told_is_not_kept(desk: Desk) -> None:
    desk.harness.seen = [ENDED]
    assert (await desk.send()).reason == "it failed"
    assert desk.outbox.intents == []


async def test_a_lost_answer_is_unknown_and_kept(desk: Desk) -> None:
    desk.harness.fault = OutcomeUnknownError("cut")
    desk.harness.seen = [NOT_THERE]
    with pytest.raises(OutcomeUnknownError):
        await desk.send()
    assert [each.phase for each in desk.outbox.intents] == [Phase.UNKNOWN]
    assert (desk.accepted, len(desk.harness.sent)) == (0, 1)
    (item,) = await desk.look()
    assert (item.standing, item.may_be_sent_again) == (Standing.SENDING, False)
    desk.clock.now += GRACE_MS
    (item,) = await desk.look()
    assert (item.standing, item.may_be_sent_again) == (Standing.MISSING, True)
    assert len(desk.harness.sent) == 1


async def test_a_prompt_that_shows_itself_was_accepted(desk: Desk) -> None:
    desk.harness.fault = OutcomeUnknownError("cut")
    desk.harness.seen = [NOT_THERE, NoHarnessError("wait"), WAITING, CAPTURED]
    assert (await desk.send()).state is ReceiptState.CAPTURED
    assert (desk.accepted, desk.outbox.intents) == (1, [])


@pytest.mark.parametrize("fault", [RuntimeError("a fault of ours"), KeyError("another")])
async def test_whatever_else_happens_leaves_the_prompt_in_doubt(
    desk: Desk, fault: Exception
) -> None:
    desk.harness.fault = fault
    with pytest.raises(type(fault)):
        await desk.send()
    assert [each.phase for each in desk.outbox.intents] == [Phase.UNKNOWN]
    assert desk.outbox.contents().held == frozenset()


async def test_a_sender_that_is_cancelled_leaves_the_prompt_in_doubt(desk: Desk) -> None:
    desk.harness.when_sending = anyio.sleep_forever
    with anyio.move_on_after(0.05):
        await desk.send()
    assert [each.phase for each in desk.outbox.intents] == [Phase.UNKNOWN]
    assert desk.outbox.contents().held == frozenset()


LEFT_BEHIND: list[tuple[Receipt | HarnessError, Standing, bool, bool]] = [
    (CAPTURED, Standing.CAPTURED, False, False),
    (ENDED, Standing.ENDED, True, True),
    (QUEUED, Standing.QUEUED, False, True),
    (DEAD, Standing.QUEUED, False, True),
    (WAITING, Standing.WAITING, False, True),
    (NOT_THERE, Standing.MISSING, True, True),
    (NoHarnessError("none"), Standing.UNKNOWN, False, True),
    (UnknownSessionError("not here"), Standing.UNKNOWN, False, True),
    (HarnessError("garbage"), Standing.UNKNOWN, False, True),
]


@pytest.mark.parametrize(("seen", "standing", "again", "kept"), LEFT_BEHIND)
async def test_what_a_dead_process_left_is_looked_for_and_never_sent(
    desk: Desk, seen: Receipt | HarnessError, standing: Standing, again: bool, kept: bool
) -> None:
    desk.left_behind()
    desk.harness.seen = [seen]
    (item,) = await desk.look()
    assert (item.standing, item.may_be_sent_again) == (standing, again)
    assert bool(desk.outbox.intents) == kept
    assert desk.harness.sent == []


async def test_a_harness_that_hangs_leaves_it_unknown(desk: Desk) -> None:
    class Hanging:
        async def sight(self, session_id: str, request_id: str) -> Sighting:
            await anyio.sleep_forever()
            raise AssertionError

    desk.left_behind()
    delivery = OutboxDelivery(desk.harness, desk.outbox, Hanging(), patience=QUICK)
    (item,) = (await delivery.look()).items
    assert (item.standing, item.reason) == (Standing.UNKNOWN, "the harness does not answer")


async def test_looking_changes_nothing_that_another_process_changed_meanwhile(desk: Desk) -> None:
    old = desk.left_behind()

    class Slow:
        async def sight(self, session_id: str, request_id: str) -> Sighting:
            desk.outbox.put(again(old, desk.clock()))
            return Sighting(CAPTURED, durable=True)

    delivery = OutboxDelivery(desk.harness, desk.outbox, Slow(), patience=QUICK)
    await delivery.look()
    assert [each.attempts for each in desk.outbox.intents] == [2]


async def test_what_somebody_else_sends_is_left_alone(desk: Desk) -> None:
    desk.left_behind()
    desk.outbox.held_elsewhere.add("r1")
    (item,) = await desk.look()
    assert (item.standing, item.may_be_sent_again) == (Standing.SENDING, False)
    assert desk.harness.looks == 0
    for attempt in (desk.delivery.resend("r1"), desk.delivery.discard("r1")):
        with pytest.raises(BusyError):
            await attempt
    assert (len(desk.outbox.intents), desk.harness.sent) == (1, [])


async def test_what_is_not_there_is_sent_again_under_its_own_identity(desk: Desk) -> None:
    desk.left_behind()
    desk.harness.seen = [NOT_THERE, NOT_THERE, WAITING, CAPTURED]
    assert (await desk.delivery.resend("r1")).state is ReceiptState.CAPTURED
    assert [each.request_id for each in desk.harness.sent] == ["r1"]
    assert desk.outbox.intents == []


async def test_two_that_send_the_same_again_send_it_once(desk: Desk) -> None:
    desk.left_behind()
    desk.harness.seen = [NOT_THERE, NOT_THERE, CAPTURED]
    desk.harness.when_sending = lambda: anyio.sleep(0.05)
    results: list[object] = []

    async def resend(delivery: OutboxDelivery) -> None:
        try:
            results.append((await delivery.resend("r1")).state)
        except HarnessError as error:
            results.append(type(error))

    async with anyio.create_task_group() as group:
        for delivery in (desk.delivery, desk.process()):
            group.start_soon(resend, delivery)
    assert sorted(map(str, results)) == sorted(map(str, [ReceiptState.CAPTURED, BusyError]))
    assert len(desk.harness.sent) == 1


@pytest.mark.parametrize(
    "seen", [CAPTURED, QUEUED, WAITING, NoHarnessError("none"), UnknownSessionError("not here")]
)
async def test_what_could_be_doubled_is_not_sent_again(
    desk: Desk, seen: Receipt | HarnessError
) -> None:
    desk.left_behind()
    desk.harness.seen = [seen]
    with pytest.raises(NotAgainError, match="It was not sent again: "):
        await desk.delivery.resend("r1")
    assert desk.harness.sent == []
    assert bool(desk.outbox.intents) == (seen is not CAPTURED)


async def test_what_turns_up_at_the_second_look_is_not_sent_again(desk: Desk) -> None:
    desk.left_behind()
    desk.harness.seen = [NOT_THERE, WAITING]
    with pytest.raises(NotAgainError, match="the harness has accepted it"):
        await desk.delivery.resend("r1")
    assert desk.harness.sent == []
    assert [each.phase for each in desk.outbox.intents] == [Phase.ACCEPTED]


async def test_what_may_still_arrive_is_not_sent_again(desk: Desk) -> None:
    desk.left_behind(age=GRACE_MS - 1)
    desk.harness.seen = [NOT_THERE]
    with pytest.raises(NotAgainError, match="still be on its way"):
        await desk.delivery.resend("r1")
    assert desk.harness.sent == []


async def test_a_second_attempt_that_is_refused_leaves_it_where_it_was(desk: Desk) -> None:
    desk.left_behind()
    desk.harness.seen = [NOT_THERE]
    desk.harness.fault = HarnessError("no")
    with pytest.raises(HarnessError, match="no"):
        await desk.delivery.resend("r1")
    desk.clock.now += GRACE_MS
    (item,) = await desk.look()
    assert item.standing is Standing.MISSING


async def test_a_prompt_is_forgotten_on_request_alone(desk: Desk) -> None:
    desk.left_behind()
    await desk.delivery.discard("r1")
    assert (desk.outbox.intents, desk.harness.sent) == ([], [])
    for attempt in (desk.delivery.discard("r1"), desk.delivery.resend("r1")):
        with pytest.raises(HarnessError, match="no such prompt"):
            await attempt


async def test_a_view_asks_nobody(desk: Desk) -> None:
    desk.left_behind()
    view = await desk.delivery.view()
    assert [item.standing for item in view.items] == [Standing.UNKNOWN]
    assert desk.harness.looks == 0


TWINS = [
    (letter("r2"), True),
    (letter("r2", text="other"), False),
    (letter("r2", session="other"), False),
    (letter("r2", session="other", document="d"), False),
    (letter("r2", session=NO_SESSION_YET, document="d"), True),
    (letter("r2", session=NO_SESSION_YET, document="e"), False),
    (letter("r2", session=NO_SESSION_YET), False),
]


@pytest.mark.parametrize(("second", "is_twin"), TWINS)
async def test_an_equal_prompt_in_doubt_is_found(desk: Desk, second: Letter, is_twin: bool) -> None:
    desk.left_behind(letter("r1", document="d"), age=100 * GRACE_MS)
    desk.harness.seen = [NoHarnessError("none")]
    twin = await desk.delivery.twin(second)
    assert (twin is not None) == is_twin
    assert desk.harness.sent == []


@pytest.mark.parametrize(("age", "is_twin"), [(0, True), (MOMENT_MS - 1, True), (MOMENT_MS, False)])
async def test_what_was_accepted_is_a_twin_for_a_moment(
    desk: Desk, age: int, is_twin: bool
) -> None:
    intent = begin(letter(), desk.clock() - age)
    desk.outbox.put(replace(intent, phase=Phase.ACCEPTED))
    desk.harness.seen = [QUEUED]
    assert (await desk.delivery.twin(letter("r2")) is not None) == is_twin


class Hearsay:
    """Says what a host has in its memory alone."""

    def __init__(self, *said: Receipt) -> None:
        self._said = list(said)

    async def sight(self, session_id: str, request_id: str) -> Sighting:
        said = self._said[0] if len(self._said) == 1 else self._said.pop(0)
        return Sighting(said, durable=False)


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        ((CAPTURED,), Standing.CAPTURED),
        ((ENDED,), Standing.ENDED),
        ((CAPTURED, WAITING), Standing.WAITING),
        ((ENDED, CAPTURED), Standing.WAITING),
        ((CAPTURED, QUEUED), Standing.QUEUED),
    ],
)
async def test_a_claim_of_a_host_is_believed_when_it_lasts(
    desk: Desk, said: tuple[Receipt, ...], standing: Standing
) -> None:
    desk.left_behind()
    patience = replace(QUICK, steady=0.05)
    delivery = OutboxDelivery(desk.harness, desk.outbox, Hearsay(*said), patience=patience)
    began = anyio.current_time()
    (item,) = (await delivery.look()).items
    assert item.standing is standing
    assert anyio.current_time() - began >= 0.05
    assert bool(desk.outbox.intents) == (standing is not Standing.CAPTURED)


async def test_a_record_without_its_snapshot_is_believed_when_it_lasts(desk: Desk) -> None:
    citing = replace(letter(), references=({"sessionId": "a"},))
    desk.left_behind(citing)
    desk.harness.seen = [CAPTURED, replace(CAPTURED, references=({"sessionId": "a"},))]
    (item,) = await desk.look()
    assert item.receipt is not None
    assert item.receipt.differences == ()
    desk.left_behind(citing)
    desk.harness.seen = [CAPTURED]
    (item,) = await desk.look()
    assert item.receipt is not None
    assert [each.fact for each in item.receipt.differences] == ["recorded"]


async def next_news(delivery: OutboxDelivery, seconds: float = 0.3) -> list[Pending]:
    """What is told within a time."""
    told: list[Pending] = []
    with anyio.move_on_after(seconds):
        async for items in delivery.news():
            told += items
    return told


async def test_what_was_left_behind_is_told_once(desk: Desk) -> None:
    desk.left_behind()
    desk.harness.seen = [*[NoHarnessError("none")] * 3, NOT_THERE]
    told = await next_news(desk.delivery)
    assert [item.standing for item in told] == [Standing.UNKNOWN, Standing.MISSING]
    assert desk.harness.sent == []


async def test_what_becomes_of_a_queued_prompt_is_told(desk: Desk) -> None:
    desk.harness.seen = [QUEUED]

    async def work() -> None:
        await anyio.sleep(0.05)
        assert (await desk.send()).state is ReceiptState.QUEUED
        await anyio.sleep(0.05)
        desk.harness.seen = [WAITING, CAPTURED]

    async with anyio.create_task_group() as group:
        group.start_soon(work)
        told = await next_news(desk.delivery, 0.5)
    assert [item.standing for item in told] == [Standing.CAPTURED]


async def test_prompts_of_others_are_theirs_to_tell(desk: Desk) -> None:
    desk.harness.seen = [NOT_THERE]

    async def work() -> None:
        await anyio.sleep(0.05)
        desk.left_behind()

    async with anyio.create_task_group() as group:
        group.start_soon(work)
        assert await next_news(desk.delivery) == []


async def test_an_empty_outbox_is_not_looked_into_again_and_again(desk: Desk) -> None:
    looks: list[int] = []
    contents = desk.outbox.contents
    desk.outbox.contents = lambda: looks.append(1) or contents()  # type: ignore[func-returns-value, method-assign]
    assert await next_news(desk.delivery) == []
    assert len(looks) == 1
