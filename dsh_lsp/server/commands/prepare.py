"""Commands that prepare a prompt and send nothing."""

from __future__ import annotations

from dsh_lsp.server.budgets import budget_of, limits_of
from dsh_lsp.server.commands import results
from dsh_lsp.server.commands.call import Call
from dsh_lsp.server.documents import Document
from dsh_lsp.server.facts_json import Json
from dsh_lsp.server.preparing import Preparation, prepare_part
from dsh_lsp.server.scene import Scene
from dsh_lsp.server.sending import document_changed


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


async def _prepared(call: Call) -> tuple[Document, Preparation]:
    document = call.document()
    scene = call.state.scene(document, call.arguments.target)
    if call.arguments.version not in (None, document.version):
        return document, stale(document)
    await call.report("preparing")
    return document, await prepare_now(call, scene)


async def prepare_now(call: Call, scene: Scene) -> Preparation:
    """The part that is meant, with the limits that hold now."""
    budget = await budget_of(scene)
    return await prepare_part(scene, call.part(scene.document), limits_of(scene, budget))


def stale(document: Document) -> Preparation:
    """In place of a preparation, when another version was meant."""
    return Preparation(document.prompt, None, (document_changed(),))
