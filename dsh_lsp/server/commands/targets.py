"""Commands that choose where a document goes."""

from __future__ import annotations

from dsh_lsp.core.failures import SessionReferenceError
from dsh_lsp.core.problem import Problem
from dsh_lsp.harness.port import HarnessError
from dsh_lsp.server.commands import results
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.commands.harness import described
from dsh_lsp.server.documents import Document
from dsh_lsp.server.facts_json import Json
from dsh_lsp.server.preparing import refusal
from dsh_lsp.server.scene import Scene, cwd_of
from dsh_lsp.server.sending import harness_refusal
from dsh_lsp.server.state import State
from dsh_lsp.server.target import Choice


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


async def _refused_choice(state: State, choice: Choice | None) -> Problem | None:
    """Why a session cannot be chosen: the harness, or else the store, does not know it."""
    if choice is None or choice.session_id is None:
        return None
    description, _ = await described(state)
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


async def _target_answer(call: Call, document: Document, problem: Problem | None) -> Json:
    unit = call.state.client.unit
    return {
        "target": await target_json(call.state.scene(document)),
        "problems": results.problems_json(document, [problem] if problem else [], unit),
    }


async def target_json(scene: Scene) -> Json:
    """Where a document goes."""
    session_id = scene.target.session_id
    title = None
    if session_id is not None:
        try:
            surface = await scene.services.query.read_surface(session_id)
            title = surface.display_title
        except SessionReferenceError:
            title = None
    return results.target_json(scene.target, title, await cwd_of(scene))
