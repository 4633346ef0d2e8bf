"""`dsh.send`: sending a prompt, or keeping it; two equal calls within a moment are one."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from dsh_lsp.harness.port import Mode
from dsh_lsp.server.commands import results
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.commands.prepare import prepare_now, stale
from dsh_lsp.server.facts_json import Json
from dsh_lsp.server.keeping import keep
from dsh_lsp.server.scene import Scene, cwd_of
from dsh_lsp.server.sending import Order, Sent, send


async def send_prompt(call: Call) -> Json:
    """Send or keep a document or a part of it; two equal calls within a moment are one."""
    document = call.document()
    scene = call.state.scene(document, call.arguments.target)
    wish = _Wish(
        document.uri,
        call.part(document).body,
        call.mode(scene),
        scene.target.session_id,
        call.arguments.keep,
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
    keep: bool


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
        preparation = await prepare_now(call, scene)
    else:
        preparation = stale(document)
    order = Order(
        request_id=str(uuid.uuid4()),
        preparation=preparation,
        target=scene.target,
        mode=call.mode(scene),
        cwd=await cwd_of(scene),
        is_current=is_current,
        commit=commit,
        created=created,
        document=document.uri,
        may_expand=state.settings.send.expand,
    )
    return results.sent_json(document, await _carried_out(call, scene, order), state.client.unit)


async def _carried_out(call: Call, scene: Scene, order: Order) -> Sent:
    services = scene.services
    if call.arguments.keep:
        return await keep(order, services.delivery)
    return await send(order, services.harness, services.delivery, call.report)
