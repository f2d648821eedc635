"""`/api`: the command line's `graph` and `call` over HTTP, as JSON, and the page that describes them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field, field_validator

from app.access import Access
from app.answers import Answers
from app.client.settings import CAPABILITIES, DEFAULT_CAPABILITIES, MAX_ROUNDS, ClientSettings
from app.documents import graph_document
from app.headers import header_from
from app.pages import Place, render
from app.pages.reference import Reference
from app.routes.context import OwnWorkspace
from app.routes.responses import Document
from app.surveys import Misuse, find_tool
from resolver_runtime import events as ev
from resolver_runtime.events import Era

ACCESS: Mapping[str, Access] = {
    "GET /api": "read",
    "GET /api/openapi.json": "read",
    "GET /api/modules": "read",
    "GET /api/graph": "read",
    "POST /api/call": "write",
}

router = APIRouter(prefix="/api")


class ModuleEntry(BaseModel):
    """One module of the workspace."""

    id: str
    label: str


class CallRequest(BaseModel):
    """What `playground call` takes."""

    model_config = ConfigDict(extra="forbid")

    tool: str
    module: str | None = Field(None, description="A module's id; the first module without it.")
    arguments: dict[str, Any] = Field(default_factory=dict)
    answers: dict[str, Any] = Field(
        default_factory=dict,
        description="A resolver's name or wire key, or a wire method, and its answer or a list of answers.",
    )
    era: Era = "2026-07-28"
    capabilities: frozenset[str] = Field(
        DEFAULT_CAPABILITIES, description=f"What the client declares, of: {', '.join(CAPABILITIES)}."
    )
    headers: dict[str, str] = Field(default_factory=dict, description="HTTP headers of the client.")
    max_rounds: Annotated[int, Field(ge=0, description="Retries before the client gives up.")] = MAX_ROUNDS
    timeout: Annotated[float | None, Field(gt=0, description="Seconds for the whole call.")] = None

    @field_validator("headers")
    @classmethod
    def _can_be_sent(cls, headers: dict[str, str]) -> dict[str, str]:
        return dict(header_from(f"{name}: {value}") for name, value in headers.items())


@router.get("/modules", response_model=list[ModuleEntry])
async def list_modules(workspace: OwnWorkspace) -> Any:
    """The modules of the workspace."""
    return [{"id": module.id, "label": module.label} for module in workspace.modules]


@router.get("/graph", response_model=dict[str, Any])
async def graph(workspace: OwnWorkspace, module: str | None = None, tool: str | None = None) -> Document:
    """A module's tools with their schemas, graphs and problems: the document of `playground graph --json`."""
    loaded = await workspace.load(workspace.module(module))
    return Document(graph_document(loaded.survey, tool))


@router.post("/call", response_model=dict[str, Any])
async def call(workspace: OwnWorkspace, asked: CallRequest) -> Document:
    """Call a tool and answer its questions: the document of `playground call --json`."""
    if unknown := sorted(asked.capabilities - set(CAPABILITIES)):
        raise Misuse(f"{', '.join(unknown)}: no such capability. There are: {', '.join(CAPABILITIES)}.")
    loaded = await workspace.load(workspace.module(asked.module))
    index, tool = find_tool(loaded.survey, asked.tool)
    answers = Answers(asked.answers, tool["nodes"])
    client = ClientSettings(asked.era, asked.capabilities, asked.max_rounds, asked.headers)
    calling = await anyio.to_thread.run_sync(importlib.import_module, "app.calling")
    running = await workspace.start_call(loaded, Place(loaded.module.id, index, asked.tool), asked.arguments, client)
    async with calling.answered(running.call, calling.answered_from(answers), asked.timeout):
        await running.call.log.wait_for(ev.CallEnded)
    return Document(calling.document_of(running.call.log))


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> dict[str, Any]:
    return _description(request)


@router.get("", include_in_schema=False, response_class=HTMLResponse)
async def reference(request: Request) -> str:
    """The same for people: FastAPI's own page needs scripts of another host."""
    return render(Reference.of(_description(request)))


def _description(request: Request) -> dict[str, Any]:
    return get_openapi(title="Resolver Playground", version="1", routes=request.app.routes)
