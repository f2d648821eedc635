"""Calls: begin one, stop it, answer its questions, take an answer back; and the simulated client that makes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData

from app import forms
from app.access import Access
from app.client.questions import QuestionSettled
from app.client.settings import CAPABILITIES, ClientSettings
from app.headers import HeadersError, headers_from
from app.pages import Arguments, ClientNote, ClientSummary, Draft, Place, Question, posted_fields, render
from app.pages.fragments import whole
from app.replies import NO_OBJECT, reply_to
from app.routes.context import OwnWorkspace, scene_of
from app.running import Running
from app.view import CallView
from app.workspace import Loaded, Unknown, Workspace
from resolver_runtime.events import Era

ACCESS: Mapping[str, Access] = {
    "POST /calls": "write",
    "POST /calls/{call}/stop": "write",
    "POST /calls/{call}/again": "write",
    "POST /calls/{call}/questions/{question}": "write",
    "POST /calls/{call}/questions/{question}/reopen": "write",
    "POST /client": "write",
}
ERAS: Sequence[Era] = ("2026-07-28", "2025-11-25")

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


@router.post("/calls")
async def begin(workspace: OwnWorkspace, request: Request) -> Response:
    """Call a tool with the posted arguments; the form comes back, with sentences when something does not fit."""
    form = await _posted(request)
    loaded = await workspace.load(workspace.module(_text(form, "module")))
    place = Place(loaded.module.id, _whole_number(_text(form, "server")), _text(form, "tool"))
    schema = loaded.tool(place.server, place.tool)["input_schema"]
    arguments, refused = _arguments(form, schema, loaded, place)
    if refused is not None:
        return HTMLResponse(render(refused))
    return _begun(workspace, await workspace.start_call(loaded, place, arguments, raw=_text(form, "raw").strip()))


@router.post("/calls/{call}/stop")
async def stop(workspace: OwnWorkspace, call: str) -> Response:
    """End the call; what the page shows then comes over its socket."""
    (await workspace.running(call)).call.stop()
    return Response(status_code=204)


@router.post("/calls/{call}/again")
async def begin_again(workspace: OwnWorkspace, call: str) -> Response:
    """Call the tool as an interrupted call did, and give its answers; the page shows the new call."""
    return _begun(workspace, await workspace.start_again(await workspace.running(call)), before=call)


@router.post("/calls/{call}/questions/{question}")
async def answer(workspace: OwnWorkspace, request: Request, call: str, question: str) -> str:
    """Settle a question as its form says; the question's group comes back."""
    running = await workspace.running(call)
    asked = _asked(running, question)
    reply = reply_to(asked, _texts(await _posted(request)))
    if isinstance(reply, Draft):
        return _question(workspace, running, question, reply)
    running.call.answer(question, reply)
    await workspace.store.written()
    if "roots" in reply:
        workspace.roots = tuple(reply["roots"])
    return _question(workspace, running, question)


@router.post("/calls/{call}/questions/{question}/reopen")
async def reopen(workspace: OwnWorkspace, call: str, question: str) -> str:
    """Take an answer back while its round has not gone."""
    running = await workspace.running(call)
    _asked(running, question)
    running.call.reopen(question)
    return _question(workspace, running, question)


@router.post("/client")
async def shape_client(workspace: OwnWorkspace, request: Request) -> str:
    """Shape the simulated client; calls that run keep the client they began with."""
    form = await _posted(request)
    error = None
    try:
        workspace.client = _client(form, headers_from(_text(form, "headers")))
    except HeadersError as wrong:
        error = str(wrong)
    summary = ClientSummary(len(workspace.client.headers))
    return render(summary, oob=True) + render(ClientNote(error), oob=True)


async def _posted(request: Request) -> FormData:
    """The posted form; no form of the page holds a file. Raises: HTTPException (400) for what is none."""
    return await request.form(max_files=0)


def _arguments(
    form: FormData, schema: Mapping[str, Any], loaded: Loaded, place: Place
) -> tuple[dict[str, Any], Arguments | None]:
    """What goes on the wire, and the form with its sentences when that should not go."""
    raw, posted = _text(form, "raw"), posted_fields(_texts(form))
    idle = CallView.idle(loaded.graphs[place.server, place.tool])
    if raw.strip():
        value, error = forms.parse_json(raw)
        if error is None and not isinstance(value, dict):
            error = NO_OBJECT.replace("An answer is", "Arguments are")
        return value, Arguments.of(idle, place, schema, posted, raw=raw, raw_error=error) if error else None
    content, errors = forms.parse(schema, posted)
    if errors and not _text(form, "anyway"):
        return content, Arguments.of(idle, place, schema, posted, errors)
    return content, None


def _begun(workspace: Workspace, running: Running, before: str = "") -> Response:
    """The page's parts for a call that has begun; `before` is the call in whose place it comes."""
    view = running.view()
    parts = scene_of(workspace, running).fragments(view)
    # The page takes up the call where this drawing ends.
    place = {"call": running.call.id, "seq": view.seq, "epoch": workspace.store.epoch, "before": before}
    started = {"call-started": place}
    return HTMLResponse(
        render(parts["arguments"], oob=bool(before)) + whole(view, parts), headers={"HX-Trigger": json.dumps(started)}
    )


def _asked(running: Running, question: str) -> Any:
    asked = running.view().questions.get(question)
    if asked is None:
        raise Unknown("This question is not here any more. Press Call to run the tool again.")
    if asked.sent:
        raise QuestionSettled("This question has had its answer: its round has gone, or the call is over.")
    return asked


def _question(workspace: Workspace, running: Running, question: str, draft: Draft | None = None) -> str:
    view = running.view()
    return render(Question.of(view, view.questions[question], draft, workspace.roots))


def _client(form: FormData, headers: Mapping[str, str]) -> ClientSettings:
    era = _text(form, "era")
    capabilities = frozenset(str(name) for name in form.getlist("capability")) & frozenset(CAPABILITIES)
    rounds = _whole_number(_text(form, "max_rounds"))
    return ClientSettings(cast(Era, era) if era in ERAS else ERAS[0], capabilities, rounds, headers)


def _texts(form: FormData) -> list[tuple[str, str]]:
    return [(name, value) for name, value in form.multi_items() if isinstance(value, str)]


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def _whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
