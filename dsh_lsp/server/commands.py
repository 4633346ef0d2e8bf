"""The commands: from arguments to the JSON that they answer (docs/commands.md)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from dsh_lsp import __version__
from dsh_lsp.core.candidates import Candidate
from dsh_lsp.core.failures import ReadFailedError, ReadFault, SessionReferenceError
from dsh_lsp.core.problem import Problem
from dsh_lsp.core.prompt import Prompt
from dsh_lsp.core.text import Span
from dsh_lsp.harness.port import Description, HarnessError, Mode
from dsh_lsp.server import results
from dsh_lsp.server.arguments import Arguments, Purpose
from dsh_lsp.server.budgets import budget_of, limits_of
from dsh_lsp.server.documents import Document
from dsh_lsp.server.facts_json import Json, budget_json, receipt_json
from dsh_lsp.server.failures import ArgumentError
from dsh_lsp.server.outcome import difference_problems
from dsh_lsp.server.part import part_of
from dsh_lsp.server.preparing import Preparation, prepare_part, refusal
from dsh_lsp.server.scene import Scene, cwd_of, reference_target
from dsh_lsp.server.sending import (
    Order,
    document_changed,
    harness_refusal,
    outbox_refusal,
    send,
)
from dsh_lsp.server.state import State
from dsh_lsp.server.store_counts import sessions_by_place
from dsh_lsp.server.target import Choice
from dsh_lsp.sessions.references import Target


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a command: what it works on, what it was asked, and whom it tells its steps."""

    state: State
    arguments: Arguments
    report: Callable[[str], Awaitable[None]]

    def document(self) -> Document:
        """The document that the call is about."""
        if self.arguments.uri is None:
            raise ArgumentError("expects uri, the document that it is about")
        return self.state.document(self.arguments.uri)


async def prepare(call: Call) -> Json:
    """Prepare locally; nothing is sent."""
    document, preparation = await _prepared(call)
    return results.preparation_json(document, preparation, call.state.client.unit)


async def preview(call: Call) -> Json:
    """The same, with a document that shows what the model will see."""
    document, preparation = await _prepared(call)
    answer = results.preparation_json(document, preparation, call.state.client.unit)
    return {**answer, "document": results.preview_document(preparation)}


async def copy_prepared(call: Call) -> Json:
    """The prepared message as one text, for any other chat."""
    document, preparation = await _prepared(call)
    prepared = preparation.prepared
    return {
        "text": prepared.as_one_text if prepared else None,
        "problems": results.problems_json(document, preparation.problems, call.state.client.unit),
    }


async def send_prompt(call: Call) -> Json:
    """Send a document or a part of it; two equal calls within a moment are one."""
    document = call.document()
    scene = call.state.scene(document, call.arguments.target)
    wish = _Wish(
        document.uri, _part(call, document).body, _mode(call, scene), scene.target.session_id
    )

    async def start(commit: Callable[[], None]) -> Json:
        return await _send(call, scene, wish, commit)

    return await call.state.sends.run(wish, start)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What makes two sends the same. Versions are no part of it: saving may tidy a document up.

    Without a session, one is to be made.
    """

    uri: str
    text: str
    mode: Mode
    session_id: str | None


async def _send(call: Call, scene: Scene, wish: _Wish, commit: Callable[[], None]) -> Json:
    state = call.state
    document = scene.document

    def is_current() -> bool:
        wanted = call.arguments.version
        open_now = state.documents.get(document.uri)
        return open_now is document and wanted in (None, document.version)

    def created(session_id: str) -> None:
        state.created[document.uri] = session_id
        state.sends.also(wish, replace(wish, session_id=session_id))

    await call.report("preparing")
    if is_current():
        preparation = await _prepare(call, scene)
    else:
        preparation = _stale(document)
    order = Order(
        request_id=str(uuid.uuid4()),
        preparation=preparation,
        target=scene.target,
        mode=_mode(call, scene),
        cwd=await cwd_of(scene),
        is_current=is_current,
        commit=commit,
        created=created,
        document=document.uri,
        may_expand=state.settings.send.expand,
    )
    services = scene.services
    sent = await send(order, services.harness, services.delivery, call.report)
    return results.sent_json(document, sent, state.client.unit)


async def sessions(call: Call) -> Json:
    """The candidates for a picker; without a document those of the first folder."""
    state = call.state
    asked = call.arguments
    if asked.uri is None:
        target = Target(None, next(iter(state.folders.paths), None))
    else:
        target = await reference_target(state.scene(state.document(asked.uri), asked.target))
    limit = asked.limit or state.settings.references.candidate_limit
    if asked.purpose is Purpose.TARGET:
        found = await _possible_targets(state, target.cwd, asked.query, limit)
    else:
        found = await state.memory.resolver.list_candidates(target, asked.query, limit)
    now = time.time_ns() // 1_000_000
    return {
        "items": [results.candidate_json(candidate, now) for candidate in found],
        "incomplete": len(found) == limit,
    }


async def select_target(call: Call) -> Json:
    """Choose the target of a document; without one the choice is taken back."""
    document = call.document()
    choice = call.arguments.target
    refused = await _refused_choice(call.state, choice)
    if refused is None:
        if choice is None:
            call.state.choices.pop(document.uri, None)
        else:
            call.state.choices[document.uri] = choice
    return await _target_answer(call, document, refused)


async def new_session(call: Call) -> Json:
    """Create a session now, and make it the target of a document."""
    document = call.document()
    scene = call.state.scene(document, Choice(None))
    try:
        session_id = await scene.services.harness.create_session(
            call.arguments.cwd or await cwd_of(scene)
        )
    except HarnessError as fault:
        return await _target_answer(call, document, harness_refusal(fault))
    call.state.created[document.uri] = session_id
    call.state.choices[document.uri] = Choice(None)
    return await _target_answer(call, document, None)


async def login(call: Call) -> Json:
    """Enter a harness with the link that it printed."""
    link = call.arguments.link
    if link is None:
        raise ArgumentError("expects link, as `dsh web` printed it")
    return await _entered(call, call.state.services.login(link))


async def start_harness(call: Call) -> Json:
    """Start a harness, in `cwd` or the first folder."""
    state = call.state
    cwd = call.arguments.cwd or next(iter(state.folders.paths), None)
    await call.report("starting a harness")
    return await _entered(call, state.services.start(cwd))


async def outbox(call: Call) -> Json:
    """Prompts whose end is not known, after looking for each; one is sent again or forgotten."""
    delivery = call.state.services.delivery
    asked = call.arguments
    answer: Json = {"problems": []}
    try:
        if asked.resend is not None:
            await call.report("looking for it, and sending it again")
            receipt = await delivery.resend(asked.resend)
            answer["receipt"] = receipt_json(receipt)
            answer["problems"] = _nowhere(call, difference_problems(receipt))
        elif asked.discard is not None:
            await delivery.discard(asked.discard)
    except HarnessError as fault:
        answer["problems"] = _nowhere(call, [outbox_refusal(fault)])
    await call.report("looking into the sessions")
    view = await delivery.look()
    answer["items"] = [results.pending_json(item) for item in view.items]
    answer["faults"] = [results.outbox_fault_json(fault) for fault in view.faults]
    return answer


def _nowhere(call: Call, problems: Sequence[Problem]) -> list[Json]:
    """Problems that belong to no document."""
    return results.problems_json(Document("", 0, ""), problems, call.state.client.unit)


async def status(call: Call) -> Json:
    """Store, harness, versions and counts; with a document its target and budget too."""
    state = call.state
    description, problem = await _description(state)
    listing = await state.services.query.list_sessions()
    answer: Json = {
        "version": __version__,
        "store": state.services.store,
        "stores": [
            {"place": place, "sessions": count}
            for place, count in sessions_by_place(listing, state.services.store).items()
        ],
        "sessions": len(listing.sessions),
        "faults": [
            {"place": fault.place, "reason": fault.reason.value, "message": fault.message}
            for fault in listing.faults
            # The embedded harness makes its own store when it needs it.
            if fault.reason is not ReadFault.NOT_FOUND or fault.place == state.services.store
        ],
        "settingFaults": [
            {"path": fault.path, "message": fault.message} for fault in state.setting_faults
        ],
        "mode": state.settings.harness.mode.value,
        "harness": description and results.harness_json(description),
        "harnessProblem": problem,
        "documents": len(state.documents),
        "pendingSends": len((await state.services.delivery.view()).items),
    }
    if call.arguments.uri is not None:
        scene = state.scene(call.document(), call.arguments.target)
        answer["target"] = await _target_json(scene)
        answer["budget"] = budget_json(await budget_of(scene))
    return answer


COMMANDS: dict[str, Callable[[Call], Awaitable[Json]]] = {
    "dsh.copyPrepared": copy_prepared,
    "dsh.login": login,
    "dsh.newSession": new_session,
    "dsh.outbox": outbox,
    "dsh.prepare": prepare,
    "dsh.preview": preview,
    "dsh.selectTarget": select_target,
    "dsh.send": send_prompt,
    "dsh.sessions": sessions,
    "dsh.startHarness": start_harness,
    "dsh.status": status,
}


async def _prepared(call: Call) -> tuple[Document, Preparation]:
    document = call.document()
    scene = call.state.scene(document, call.arguments.target)
    if call.arguments.version not in (None, document.version):
        return document, _stale(document)
    await call.report("preparing")
    return document, await _prepare(call, scene)


async def _prepare(call: Call, scene: Scene) -> Preparation:
    budget = await budget_of(scene)
    return await prepare_part(scene, _part(call, scene.document), limits_of(scene, budget))


def _stale(document: Document) -> Preparation:
    return Preparation(document.prompt, None, (document_changed(),))


def _part(call: Call, document: Document) -> Prompt:
    if call.arguments.place is None:
        return document.prompt
    unit = call.state.client.unit
    start, end = (document.lines.offset(*position, unit) for position in call.arguments.place)
    return part_of(document.prompt, Span(start, max(start, end)))


def _mode(call: Call, scene: Scene) -> Mode:
    front_matter = scene.document.prompt.front_matter
    written = front_matter.mode if front_matter else None
    if call.arguments.mode is not None:
        return call.arguments.mode
    return Mode(written) if written else scene.settings.send.mode


async def _possible_targets(
    state: State, cwd: str | None, query: str, limit: int
) -> Sequence[Candidate]:
    """Sessions that the harness, or else the store, knows."""
    nearby = Target(None, cwd)  # the present target can be chosen as well
    try:
        return await state.memory.targets.list_candidates(nearby, query, limit)
    except ReadFailedError:
        return await state.memory.resolver.list_candidates(nearby, query, limit)


async def _refused_choice(state: State, choice: Choice | None) -> Problem | None:
    """Why a session cannot be chosen: the harness, or else the store, does not know it."""
    if choice is None or choice.session_id is None:
        return None
    description, _ = await _description(state)
    if description is not None:
        known = await state.services.harness.has_session(choice.session_id)
        place = f"{description.name} {description.version}"
    else:
        listing = await state.services.query.list_sessions()
        known = any(entry.header.id == choice.session_id for entry in listing.sessions)
        place = f"the store {state.services.store}"
    if known:
        return None
    return refusal(
        "unknown-target",
        f"There is no such session in {place}; choose one of its own, or a new one.",
    )


async def _entered(call: Call, entering: Awaitable[Description]) -> Json:
    """Which harness there is now, or why there is none."""
    try:
        description = await entering
    except HarnessError as fault:
        return {"harness": None, "harnessProblem": str(fault)}
    call.state.memory.harness.forget()
    return {"harness": results.harness_json(description), "harnessProblem": None}


async def _description(state: State) -> tuple[Description | None, str | None]:
    try:
        return await state.services.harness.describe(), None
    except HarnessError as fault:
        return None, str(fault)


async def _target_answer(call: Call, document: Document, problem: Problem | None) -> Json:
    unit = call.state.client.unit
    return {
        "target": await _target_json(call.state.scene(document)),
        "problems": results.problems_json(document, [problem] if problem else [], unit),
    }


async def _target_json(scene: Scene) -> Json:
    session_id = scene.target.session_id
    title = None
    if session_id is not None:
        try:
            surface = await scene.services.query.read_surface(session_id)
            title = surface.display_title
        except SessionReferenceError:
            title = None
    return results.target_json(scene.target, title, await cwd_of(scene))
