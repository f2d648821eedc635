"""The page: a module, one of its tools, the panel of a node. Reading only; nothing here has an effect on a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.access import Access
from app.pages import Client, Loading, Main, ModuleLink, NodePanel, Page, Place, module_href, render
from app.routes.context import OwnPlayground, OwnWorkspace, Playground
from app.routes.responses import Document
from app.view import CallView
from app.workers import WorkerFailed
from app.workspace import Loaded, Module, Unknown, Workspace

ACCESS: Mapping[str, Access] = {
    "GET /": "read",
    "GET /tools/{server}/{tool}": "read",
    "GET /calls/{call}/nodes/{node:path}": "read",
    "GET /calls/{call}/events/{seq}": "read",
}

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


@router.get("/")
async def show_module(
    playground: OwnPlayground, workspace: OwnWorkspace, request: Request, module: str | None = None
) -> str:
    """A module's first tool, or what keeps it from having one."""
    return await _answer(playground, workspace, request, workspace.module(module), None)


@router.get("/tools/{server}/{tool}")
async def show_tool(
    playground: OwnPlayground,
    workspace: OwnWorkspace,
    request: Request,
    server: int,
    tool: str,
    module: str | None = None,
) -> str:
    """One tool with its last call."""
    chosen = workspace.module(module)
    return await _answer(playground, workspace, request, chosen, Place(chosen.id, server, tool))


@router.get("/calls/{call}/nodes/{node:path}")
async def show_node(workspace: OwnWorkspace, call: str, node: str, module: str, server: int, tool: str) -> str:
    """What there is to know of a node: of this call, or before any (`call` is "idle")."""
    loaded = await workspace.load(workspace.module(module))
    loaded.tool(server, tool)
    running = await workspace.running(call) if call in workspace.calls else None
    view = running.view() if running else CallView.idle(loaded.graphs[server, tool])
    if node not in view.graph.by_id:
        raise Unknown(f"{tool} has no node {node!r} any more. Choose one in the graph.")
    return render(NodePanel.of(view, node))


@router.get("/calls/{call}/events/{seq}")
async def show_event(workspace: OwnWorkspace, call: str, seq: int) -> Document:
    """One event, whole, as `playground call --json` lists it: of long texts the page shows the beginning."""
    running = await workspace.running(call)
    for record in running.call.log.records(max(0, seq - 1)):
        if record.seq == seq:
            return Document(record.to_json())
    raise Unknown(f"This call has no event {seq}.")


async def _answer(
    playground: Playground, workspace: Workspace, request: Request, module: Module, place: Place | None
) -> str:
    """For htmx the page's middle; else the whole page, which asks for its middle if the module has to be imported."""
    if "hx-request" in request.headers:
        return render(await _middle(workspace, module, place))
    if not workspace.is_loaded(module):
        address = module_href(module.id) if place is None else place.href
        return render(_page(playground, workspace, module, Loading(module.label, address), place))
    main = await _middle(workspace, module, place)
    engine_note = (await workspace.load(module)).survey.get("engine_note")
    return render(_page(playground, workspace, module, main, main.place, engine_note))


async def _middle(workspace: Workspace, module: Module, place: Place | None) -> Main:
    """The tool at `place`; without a place, or if it is not there any more, the module's first."""
    nowhere = Place(module.id, 0, "")
    try:
        loaded = await workspace.load(module)
    except WorkerFailed as failed:
        return Main.without_tool(_failed_survey(module, failed), nowhere)
    if place is not None and (place.server, place.tool) in loaded.graphs:
        return await _main(workspace, loaded, place)
    first = loaded.first_tool()
    return (
        Main.without_tool(loaded.survey, nowhere)
        if first is None
        else await _main(workspace, loaded, Place(module.id, *first))
    )


async def _main(workspace: Workspace, loaded: Loaded, place: Place) -> Main:
    graph = loaded.graphs[place.server, place.tool]
    running = await workspace.latest(place, graph)
    view = running.view() if running else CallView.idle(graph)
    served = loaded.survey["servers"][place.server].get("served", True)
    raw = running.raw if running else ""
    return Main.of(loaded.survey, place, view, workspace.roots, served, raw, workspace.store.epoch)


def _page(
    playground: Playground,
    workspace: Workspace,
    module: Module,
    main: Main | Loading,
    place: Place | None,
    note: str | None = None,
) -> Page:
    return Page(
        title=place.tool if place and place.tool else module.label,
        modules=tuple(ModuleLink(one.label, module_href(one.id), one is module) for one in workspace.modules),
        client=Client.of(workspace.client),
        main=main,
        scripts=playground.scripts,
        note=" ".join(filter(None, (note, workspace.store.trouble))) or None,
    )


def _failed_survey(module: Module, failed: WorkerFailed) -> dict[str, Any]:
    output = f"\n\n{failed.output}" if failed.output else ""
    problem = {
        "code": "worker_failed",
        "message": f"{failed.death.sentence}{output}",
        "tool": None,
        "resolver": None,
        "parameter": None,
        "file": None,
        "line": None,
        "hint": failed.death.next_step,
    }
    return {"module": module.label, "servers": [], "problems": [problem], "sources": {}}
