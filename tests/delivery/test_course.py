"""The state machine of a prompt: every event in every phase."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.harness.delivery.course import (
    GRACE_MS,
    Accepted,
    AnswerLost,
    Event,
    NotThere,
    OutOfSight,
    Refused,
    Seen,
    advance,
    again,
    at_rest,
    begin,
    being_sent,
    keep,
    pending,
)
from dsh_lsp.harness.delivery.intent import Intent, Phase
from dsh_lsp.harness.port import Receipt, ReceiptState, Standing
from tests.support.scripted_harness import CAPTURED, WAITING, letter

NOW = 1_000_000
LATER = NOW + GRACE_MS

QUEUED = Receipt(ReceiptState.QUEUED, place=2, reason="nothing runs")
ENDED = Receipt(ReceiptState.ENDED, reason="it failed")

STEPS: list[tuple[Event, int, Phase | None, Standing]] = [
    (Accepted(), NOW, Phase.ACCEPTED, Standing.WAITING),
    (AnswerLost("cut"), NOW, Phase.UNKNOWN, Standing.UNKNOWN),
    (Refused(before=None), NOW, None, Standing.MISSING),
    (Seen(CAPTURED, firm=True), NOW, None, Standing.CAPTURED),
    (Seen(CAPTURED, firm=False), NOW, Phase.ACCEPTED, Standing.WAITING),
    (Seen(ENDED, firm=True), NOW, Phase.ACCEPTED, Standing.ENDED),
    (Seen(ENDED, firm=False), NOW, Phase.ACCEPTED, Standing.WAITING),
    (Seen(QUEUED, firm=False), NOW, Phase.ACCEPTED, Standing.QUEUED),
    (Seen(WAITING, firm=False), NOW, Phase.ACCEPTED, Standing.WAITING),
    (NotThere(), NOW, Phase.SENDING, Standing.SENDING),
    (NotThere(), LATER - 1, Phase.SENDING, Standing.SENDING),
    (NotThere(), LATER, Phase.SENDING, Standing.MISSING),
    (NotThere(), NOW - 1, Phase.SENDING, Standing.MISSING),  # the clock was set back
    (OutOfSight("no host"), LATER, Phase.SENDING, Standing.UNKNOWN),
]


@pytest.mark.parametrize(("event", "now", "phase", "standing"), STEPS)
def test_what_follows_a_first_attempt(
    event: Event, now: int, phase: Phase | None, standing: Standing
) -> None:
    step = advance(begin(letter(), NOW), event, now)
    assert (step.intent.phase if step.intent else None) == phase
    assert step.standing is standing


def test_a_request_was_on_its_way_until_its_answer_was_lost() -> None:
    lost = advance(begin(letter(), NOW), AnswerLost("too late"), LATER).intent
    assert lost is not None
    assert advance(lost, NotThere(), LATER + GRACE_MS - 1).standing is Standing.SENDING
    assert advance(lost, NotThere(), LATER + GRACE_MS).standing is Standing.MISSING


@pytest.mark.parametrize("before", [keep(letter(), NOW), begin(letter(), NOW)])
def test_a_refused_attempt_leaves_what_was_before_it(before: Intent) -> None:
    step = advance(again(before, LATER), Refused(before), LATER)
    assert (step.intent, step.standing) == (before, at_rest(before).standing)


@pytest.mark.parametrize("event", [NotThere(), OutOfSight("no host")])
@pytest.mark.parametrize("now", [NOW, LATER])
def test_a_kept_prompt_waits_whatever_is_looked_at(event: Event, now: int) -> None:
    kept = keep(letter(), NOW)
    step = advance(kept, event, now)
    assert (step.intent, step.standing, step.reason) == (kept, Standing.KEPT, None)
    assert pending(kept, step).may_be_sent_again


def test_a_kept_prompt_that_is_being_sent_is_like_any_other() -> None:
    sending = again(keep(letter(), NOW), LATER)
    assert (sending.phase, sending.attempts) == (Phase.SENDING, 1)
    assert advance(sending, NotThere(), LATER + 1).standing is Standing.SENDING
    assert advance(sending, NotThere(), LATER + GRACE_MS).standing is Standing.MISSING
    assert advance(sending, OutOfSight("no host"), LATER).standing is Standing.UNKNOWN


def test_what_was_accepted_stays_accepted_out_of_sight() -> None:
    accepted = advance(begin(letter(), NOW), Accepted(), NOW).intent
    assert accepted is not None
    step = advance(accepted, OutOfSight("no host"), LATER)
    assert (step.standing, step.reason) == (Standing.WAITING, "no host")
    assert advance(accepted, NotThere(), LATER).standing is Standing.MISSING


def test_a_new_attempt_begins_anew_and_keeps_its_birth() -> None:
    intent = again(begin(letter(), NOW), LATER)
    assert (intent.created_at, intent.attempted_at, intent.attempts) == (NOW, LATER, 2)
    assert advance(intent, NotThere(), LATER + 1).standing is Standing.SENDING


events = st.sampled_from([event for event, *_ in STEPS])


@given(st.lists(st.tuples(events, st.integers(0, 3 * GRACE_MS)), max_size=8))
def test_only_an_end_lets_go_and_only_a_look_offers_it_again(
    course: list[tuple[Event, int]],
) -> None:
    intent, now = begin(letter(), NOW), NOW
    for event, pause in course:
        now += pause
        step = advance(intent, event, now)
        told = pending(intent, step)
        if told.may_be_sent_again and step.intent is not None:
            looked = isinstance(event, NotThere) and now - intent.attempted_at >= GRACE_MS
            ended = event == Seen(ENDED, firm=True)
            assert looked or ended
        if step.intent is None:
            assert isinstance(event, Refused) or event == Seen(CAPTURED, firm=True)
            return
        assert step.intent.letter is intent.letter
        intent = step.intent


def test_what_is_told_without_looking() -> None:
    intent = begin(letter(), NOW)
    assert at_rest(intent).standing is Standing.UNKNOWN
    accepted = advance(intent, Accepted(), NOW).intent
    assert accepted is not None
    assert at_rest(accepted).standing is Standing.WAITING
    assert being_sent(intent).standing is Standing.SENDING
    told = pending(intent, at_rest(keep(letter(), NOW)))
    assert (told.standing, told.in_words()) == (Standing.KEPT, "it is kept, not sent yet")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Seen(QUEUED, firm=True), "it waits at place 2 in the queue of its session: nothing runs"),
        (Seen(ENDED, firm=True), "ended before it was recorded: it failed; it can be sent again"),
        (Seen(CAPTURED, firm=True), "it is in the log of its session as record 7"),
        (NotThere(), "its session does not have it, so it can be sent again"),
        (OutOfSight("no host"), "it is not known whether the harness has it: no host"),
        (Accepted(), "the harness has accepted it, and it is not in the log yet"),
        (AnswerLost("cut"), "it is not known whether the harness has it: cut"),
    ],
)
def test_where_a_prompt_stands_in_words(event: Event, words: str) -> None:
    intent = begin(letter(), NOW)
    assert words in pending(intent, advance(intent, event, LATER)).in_words()


def test_a_captured_prompt_is_compared_with_what_was_predicted() -> None:
    predicted = replace(
        letter(),
        references=(
            {"sessionId": "a", "truncated": False, "retainedMessages": 3},
            {"sessionId": "b", "truncated": False},
        ),
    )
    recorded = replace(
        CAPTURED,
        references=({"sessionId": "a", "truncated": False, "retainedMessages": 2.0, "new": 1},),
    )
    step = advance(begin(predicted, NOW), Seen(recorded, firm=True), NOW)
    assert step.receipt is not None
    assert [(d.session_id, d.fact, d.predicted, d.recorded) for d in step.receipt.differences] == [
        ("a", "retainedMessages", 3, 2.0),
        ("b", "recorded", True, False),
    ]


def test_a_later_attempt_predicts_only_that_its_sources_are_recorded() -> None:
    predicted = ({"sessionId": "a", "retainedMessages": 3}, {"sessionId": "b"}, {"odd": 1})
    kept = keep(replace(letter(), references=predicted), NOW)
    recorded = replace(CAPTURED, references=({"sessionId": "a", "retainedMessages": 9},))
    step = advance(again(kept, LATER), Seen(recorded, firm=True), LATER)
    assert step.receipt is not None
    assert [(each.session_id, each.fact) for each in step.receipt.differences] == [
        ("b", "recorded")
    ]
