"""What a route cannot do, told to whoever asked: a page, a part of one, or JSON.

A page in use gets the sentence in its notice and stays as it is; nothing typed is lost.
"""

from __future__ import annotations

import math
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from app.client.questions import QuestionSettled
from app.documents import error_json
from app.pages import Notice, Refused, Waiting, render
from app.routes.responses import Document
from app.surveys import Misuse
from app.workers import WorkerFailed
from app.workspace import Unknown
from app.workspaces import Full


def refusal(request: Request, status: HTTPStatus, sentence: str) -> Response:
    if request.url.path.startswith("/api/"):
        return Document({"error": error_json(sentence)}, status)
    if "hx-request" in request.headers:
        return HTMLResponse(render(Notice(sentence), oob=True), status, headers={"HX-Reswap": "none"})
    return HTMLResponse(render(Refused(status.phrase, sentence)), status)


def turned_away(request: Request, full: Full) -> Response:
    """For who opens a page, the queue, which is no error; for who uses one, or is a program, the way to it."""
    if request.url.path.startswith("/api/") or "hx-request" in request.headers:
        answer = refusal(request, HTTPStatus.SERVICE_UNAVAILABLE, f"{full} Open the page, or load it again, to queue.")
        answer.headers["retry-after"] = str(math.ceil(full.ask_again))
        return answer
    return HTMLResponse(render(Waiting(str(full), full.place, math.ceil(full.ask_again))))


def add_refusals(app: FastAPI) -> None:
    """What our own errors become over HTTP."""

    @app.exception_handler(Unknown)
    async def on_unknown(request: Request, error: Exception) -> Response:
        return refusal(request, HTTPStatus.NOT_FOUND, str(error))

    @app.exception_handler(Misuse)
    async def on_misuse(request: Request, error: Exception) -> Response:
        return refusal(request, HTTPStatus.UNPROCESSABLE_ENTITY, str(error))

    @app.exception_handler(QuestionSettled)
    async def on_settled(request: Request, error: Exception) -> Response:
        return refusal(request, HTTPStatus.CONFLICT, str(error))

    @app.exception_handler(WorkerFailed)
    async def on_worker_failed(request: Request, error: WorkerFailed) -> Response:
        sentence = f"{error.death.sentence} {error.death.next_step}"
        return refusal(request, HTTPStatus.BAD_GATEWAY, sentence)

    @app.exception_handler(Full)
    async def on_full(connection: HTTPConnection, error: Full) -> Response | None:
        if isinstance(connection, WebSocket):
            await connection.close()
            return None
        assert isinstance(connection, Request)
        return turned_away(connection, error)

    @app.exception_handler(ClientDisconnect)
    async def on_gone(_request: Request, _error: Exception) -> Response:
        return Response(status_code=HTTPStatus.BAD_REQUEST)  # nobody is there to read it

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> Response:
        faults = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg'].rstrip('.')}" for one in error.errors())
        return refusal(request, HTTPStatus.UNPROCESSABLE_ENTITY, f"The request does not fit: {faults}.")

    @app.exception_handler(HTTPException)
    async def on_refused(request: Request, error: HTTPException) -> Response:
        answer = refusal(request, HTTPStatus(error.status_code), _sentence(request, error))
        answer.headers.update(error.headers or {})
        return answer


def _sentence(request: Request, error: HTTPException) -> str:
    """What the framework refuses by itself, in a sentence."""
    match error.status_code:
        case HTTPStatus.NOT_FOUND:
            return "There is nothing at this address. Begin at the first page."
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return f"This address does not take {request.method}. Begin at the first page."
        case _:
            detail = error.detail.rstrip(".")
            return f"The request cannot be read: {detail}. Load the page again, or look at what was sent."
