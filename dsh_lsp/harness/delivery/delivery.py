"""Sends prompts at most once, and looks after each until it is known what became of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

from dsh_lsp.harness.delivery.course import (
    Accepted,
    AnswerLost,
    Event,
    NotThere,
    OutOfSight,
    Refused,
    Seen,
    Step,
    advance,
    again,
    at_rest,
    begin,
    being_sent,
    keep,
    pending,
)
from dsh_lsp.harness.delivery.intent import Intent, Phase
from dsh_lsp.harness.delivery.outbox import BusyError, Contents, Entry, Outbox, OutboxError
from dsh_lsp.harness.delivery.patience import Patience
from dsh_lsp.harness.delivery.rounds import Rounds
from dsh_lsp.harness.delivery.steady import Steady
from dsh_lsp.harness.delivery.witness import Witness
from dsh_lsp.harness.port import (
    NO_SESSION_YET,
    Harness,
    HarnessError,
    Letter,
    NotAgainError,
    OutboxView,
    OutcomeUnknownError,
    Pending,
    Receipt,
    ReceiptState,
    Standing,
    UnknownRequestError,
)

MOMENT_MS = 2_000
"""How long after a prompt an equal one is taken for the same wish."""

_GONE = "the outbox holds no such prompt (any more)"

_UNRESOLVED = (
    "It was not sent: the harness resolves no mentions (its service session-reference is switched "
    "off), so the model would see links without their conversations. It stays in the outbox."
)

T = TypeVar("T")


def now_ms() -> int:
    """Unix milliseconds."""
    return time.time_ns() // 1_000_000


class OutboxDelivery:
    """A `Delivery` through one harness. An intent is on disk before its prompt goes out.

    Whoever sends a prompt holds its entry in the outbox, so that no other process sends it too.
    """

    def __init__(
        self,
        harness: Harness,
        outbox: Outbox,
        witness: Witness,
        *,
        patience: Patience | None = None,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self._harness = harness
        self._outbox = outbox
        self._witness = witness
        self._patience = patience or Patience()
        self._clock = clock
        self._steady = Steady(self._patience.steady)
        self._rounds = Rounds(self._patience.shortest_round, self._patience.longest_round)

    async def send(self, letter: Letter, accepted: Callable[[], Awaitable[None]]) -> Receipt:
        """Keep the prompt, send it, and tell what a short wait shows. Raises like `Delivery`."""
        with await self._hold(letter.outgoing.request_id) as entry:
            intent = begin(letter, self._clock())
            await _in_thread(partial(entry.write, intent))
            receipt = await self._attempt(entry, intent, Refused(before=None), accepted)
            if receipt.state is ReceiptState.ENDED:
                await self._forget(entry, intent)  # it is told now to who has the text
            return receipt

    async def keep(self, letter: Letter) -> None:
        """Put a prompt into the outbox, and send nothing. Raises `HarnessError`."""
        with await self._hold(letter.outgoing.request_id) as entry:
            await _in_thread(partial(entry.write, keep(letter, self._clock())))

    async def resend(self, request_id: str) -> Receipt:
        """Send what is kept or, after two looks, what is not there. Raises like `Delivery`."""
        with await self._hold(request_id) as entry:
            before = await _in_thread(entry.read)
            if before is None:
                raise NotAgainError(_GONE)
            if before.phase is not Phase.KEPT:
                await self._make_sure(entry, before)
            if before.letter.references and await self._harness.resolves_references() is False:
                raise NotAgainError(_UNRESOLVED)
            intent = again(before, self._clock())
            with self._told_if_abandoned(request_id):
                await _in_thread(partial(entry.write, intent))
                return await self._attempt(entry, intent, Refused(before), _nothing)

    async def discard(self, request_id: str) -> None:
        """Forget a prompt. Raises `HarnessError`."""
        with await self._hold(request_id) as entry:
            if await _in_thread(entry.read) is None:
                raise HarnessError(_GONE)
            await _in_thread(entry.remove)

    async def twin(self, letter: Letter) -> Pending | None:
        """An equal prompt that is kept, in doubt, or was sent a moment ago."""
        contents = await _in_thread(self._outbox.contents)
        for intent in reversed(contents.intents):
            young = 0 <= self._clock() - intent.created_at < MOMENT_MS
            if _is_same_wish(intent.letter, letter) and (
                young or intent.phase is not Phase.ACCEPTED
            ):
                return await self._look_at(intent, contents)
        return None

    async def view(self) -> OutboxView:
        """The outbox as it is kept; no harness is asked."""
        contents = await _in_thread(self._outbox.contents)
        items = (pending(each, _unlooked(each, contents)) for each in contents.intents)
        return OutboxView(tuple(items), contents.faults)

    async def look(self) -> OutboxView:
        """The outbox after looking for each prompt in its target, all at the same time."""
        contents = await _in_thread(self._outbox.contents)
        found: dict[str, Pending] = {}

        async def look_at(intent: Intent) -> None:
            found[intent.outgoing.request_id] = await self._look_at(intent, contents)

        async with anyio.create_task_group() as group:
            for intent in contents.intents:
                group.start_soon(look_at, intent)
        items = (found[each.outgoing.request_id] for each in contents.intents)
        return OutboxView(tuple(items), contents.faults)

    async def news(self) -> AsyncIterator[tuple[Pending, ...]]:
        """What became of prompts that nobody waits for any more."""
        while True:
            view = await self.look()
            fresh = self._rounds.fresh(view.items)
            if fresh:
                yield fresh
            moving = [item for item in view.items if item.standing is not Standing.KEPT]
            await self._rounds.pause(pending=len(moving))

    @contextlib.contextmanager
    def _told_if_abandoned(self, request_id: str) -> Iterator[None]:
        """Who takes back the wish for an attempt shall still be told what came of the attempt."""
        try:
            yield
        except HarnessError:
            raise
        except BaseException:
            self._rounds.note(request_id, Standing.SENDING)
            raise

    async def _make_sure(self, entry: Entry, intent: Intent) -> None:
        """Look twice. Raises `NotAgainError` unless the target does not have the prompt."""
        for pause in (0.0, self._patience.recheck):
            await anyio.sleep(pause)
            step = await self._look_well(intent)
            found = pending(intent, step)
            if not found.may_be_sent_again:
                await self._apply(entry, intent, step)
                raise NotAgainError(f"It was not sent again: {found.in_words()}.")

    async def _attempt(
        self,
        entry: Entry,
        intent: Intent,
        refused: Refused,
        accepted: Callable[[], Awaitable[None]],
    ) -> Receipt:
        """Send what is kept. Whatever else is raised than a refusal leaves it in the outbox."""
        try:
            await self._harness.send(intent.outgoing)
        except OutcomeUnknownError as fault:
            intent = await self._note(entry, intent, AnswerLost(str(fault)))
            if not await self._shows_itself(intent):
                self._rounds.note(intent.outgoing.request_id, Standing.UNKNOWN)
                raise
        except HarnessError:
            await self._note(entry, intent, refused)
            raise
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._note(entry, intent, AnswerLost("nobody waited for the answer"))
            raise
        else:
            intent = await self._note(entry, intent, Accepted())
        await accepted()
        return await self._follow(entry, intent)

    async def _shows_itself(self, intent: Intent) -> bool:
        """Whether a prompt whose answer was lost is found within a short time."""
        waited = 0.0
        for pause in self._pauses():
            if (await self._look_for(intent)).receipt is not None:
                return True
            if waited >= self._patience.search:
                return False
            await anyio.sleep(pause)
            waited += pause
        return False

    async def _follow(self, entry: Entry, intent: Intent) -> Receipt:
        """What became of an accepted prompt, as far as a short wait can tell."""
        receipt = Receipt(ReceiptState.WAITING)
        waited = 0.0
        for pause in self._pauses():
            step = await self._look_for(intent)
            receipt = step.receipt or Receipt(ReceiptState.WAITING, reason=step.reason)
            await self._apply(entry, intent, step)
            if step.intent is None:
                break
            intent = step.intent
            if waited >= self._patience.receipt.get(receipt.state, 0.0):
                self._rounds.note(intent.outgoing.request_id, step.standing)
                break
            await anyio.sleep(pause)
            waited += pause
        return receipt

    async def _look_at(self, intent: Intent, contents: Contents) -> Pending:
        """Where a prompt stands, and what follows from it for the outbox."""
        if intent.outgoing.request_id in contents.held:
            return pending(intent, being_sent(intent))
        step = await self._look_well(intent)
        if step.intent != intent:
            await self._settle(intent, step)
        return pending(intent, step)

    async def _settle(self, intent: Intent, step: Step) -> None:
        """Let the outbox follow, unless somebody else has changed it meanwhile."""
        with (
            contextlib.suppress(BusyError, OutboxError),
            await self._hold(intent.outgoing.request_id) as entry,
        ):
            if await _in_thread(entry.read) == intent:
                await self._apply(entry, intent, step)

    async def _look_well(self, intent: Intent) -> Step:
        """A look that waits until an end can be believed, or turns out to be none."""
        event = await self._sight(intent)
        if isinstance(event, Seen) and event.is_claim:
            await anyio.sleep(self._patience.steady)
            event = await self._sight(intent)
        return advance(intent, event, self._clock())

    async def _look_for(self, intent: Intent) -> Step:
        return advance(intent, await self._sight(intent), self._clock())

    async def _sight(self, intent: Intent) -> Event:
        if intent.phase is Phase.KEPT:
            return NotThere()  # nothing of it has ever left
        outgoing = intent.outgoing
        try:
            with anyio.fail_after(self._patience.look):
                seen = await self._witness.sight(outgoing.session_id, outgoing.request_id)
        except UnknownRequestError:
            return NotThere()
        except HarnessError as fault:
            return OutOfSight(str(fault))
        except TimeoutError:
            return OutOfSight("the harness does not answer")
        receipt = seen.receipt
        is_whole = receipt.state is not ReceiptState.CAPTURED or bool(
            receipt.references or not intent.letter.references
        )
        is_firm = (seen.durable and is_whole) or self._steady.holds(
            outgoing.request_id, receipt.state
        )
        return Seen(receipt, is_firm)

    async def _note(self, entry: Entry, intent: Intent, event: Event) -> Intent:
        step = advance(intent, event, self._clock())
        await self._apply(entry, intent, step)
        return step.intent or intent

    async def _apply(self, entry: Entry, intent: Intent, step: Step) -> None:
        """Let the outbox follow. Where it cannot, the next look finds the same out again."""
        if step.intent is None:
            await self._forget(entry, intent)
        elif step.intent != intent:
            with contextlib.suppress(OutboxError):
                await _in_thread(partial(entry.write, step.intent))

    async def _forget(self, entry: Entry, intent: Intent) -> None:
        self._steady.forget(intent.outgoing.request_id)
        with contextlib.suppress(OutboxError):
            await _in_thread(entry.remove)

    async def _hold(self, request_id: str) -> Entry:
        return await _in_thread(partial(self._outbox.hold, request_id))

    def _pauses(self) -> Iterator[float]:
        pause = self._patience.shortest_pause
        while True:
            yield pause
            pause = min(self._patience.longest_pause, pause * 2)


def _is_same_wish(earlier: Letter, other: Letter) -> bool:
    """Whether a prompt says what an earlier one said, in the same place.

    For a session that is yet to be made, that is the document.
    """
    if other.outgoing.session_id == NO_SESSION_YET:
        same_place = other.document is not None and earlier.document == other.document
    else:
        same_place = earlier.outgoing.session_id == other.outgoing.session_id
    return same_place and earlier.outgoing.text == other.outgoing.text


def _unlooked(intent: Intent, contents: Contents) -> Step:
    held = intent.outgoing.request_id in contents.held
    return being_sent(intent) if held else at_rest(intent)


async def _nothing() -> None:
    return None


async def _in_thread(work: Callable[[], T]) -> T:
    return await anyio.to_thread.run_sync(work)
