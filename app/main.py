"""The web process: puts the parts together, opens the port, prints the address.

Knows no rule of its own: who may come in is `gate`'s, what is shown `pages`', what runs `workspace`'s.
"""

from __future__ import annotations

import importlib
import logging
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus

import anyio
import uvicorn
from anyio.abc import TaskGroup
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse
from starlette.staticfiles import StaticFiles

from app.access import Access, check_routes
from app.assets import directory, fallback_origin, script_tags
from app.gate import Gate, Rules
from app.routes import api, calls, documents, live
from app.routes.context import Playground
from app.routes.refusals import add_refusals
from app.settings import Settings
from app.store import Store, kept_calls
from app.workers import Workers, holes
from app.workspace import Module, Workspace, modules_at
from app.workspaces import IDLE_WORKERS, BrowserWorkspaces, Limits, OneWorkspace, Workspaces

GRACE_SECONDS = 1
"""For answers on their way when the playground is told to end."""

ACCESS: dict[str, Access] = {
    "GET /healthz": "free",
    "MOUNT /static": "read",
    **documents.ACCESS,
    **calls.ACCESS,
    **live.ACCESS,
    **api.ACCESS,
}


class CannotServe(RuntimeError):
    """Raised when the playground cannot begin; the message says why, and what to do."""


def create_app(settings: Settings, limits: Limits | None = None) -> Gate:
    """The application behind its gate. `settings.port` must be the port that is bound; `limits` are those of
    `--workspaces browser`.

    Raises:
        UndeclaredRoute: a route whose access nobody declared.
    """
    app = FastAPI(title="Resolver Playground", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_lifespan)
    app.state.settings = settings
    app.state.limits = limits
    app.add_api_route("/healthz", _healthy, include_in_schema=False)
    for part in (documents, calls, live, api):
        app.include_router(part.router)
    app.mount("/static", StaticFiles(directory=directory("static")))
    add_refusals(app)
    check_routes(app, ACCESS)
    return Gate(app, Rules.of(settings, fallback_origin(directory("static"), offline=settings.offline)))


def serve(settings: Settings, limits: Limits | None = None) -> None:
    """Serve until the process is told to end.

    Raises:
        CannotServe: the port is taken, a path is not there, or browsers' workspaces cannot be kept apart.
    """
    # The SDK's client logs what a call tells in its own words: a connection that breaks when a worker is ended.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    with _bound(settings) as listener:
        settings = replace(_with_paths(settings), port=listener.getsockname()[1])
        if settings.isolate:
            _look_for_holes(settings)
        config = uvicorn.Config(
            create_app(settings, limits),
            ws="websockets-sansio",
            log_level="warning",
            lifespan="on",
            timeout_graceful_shutdown=GRACE_SECONDS,
            # Wrong tokens are counted by address: it is the one that is there, not one that somebody says.
            proxy_headers=False,
        )
        _Server(config, settings).run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, settings: Settings) -> None:
        super().__init__(config)
        self._settings = settings

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.should_exit:
            return
        print(f"Resolver Playground: {self._settings.url}", flush=True)
        if not self._settings.no_browser:
            await anyio.to_thread.run_sync(webbrowser.open, self._settings.url)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    scripts = script_tags(directory("static"), offline=settings.offline)
    async with kept_calls(settings.port) as store, Workers() as workers, anyio.create_task_group() as tasks:
        workspaces = _workspaces(settings, app.state.limits, workers, tasks, store)
        app.state.playground = Playground(settings, workspaces, tuple(scripts))
        # The first call needs `mcp`, the first page does not: it must not wait for it.
        tasks.start_soon(_import_client)
        yield
        tasks.cancel_scope.cancel()


def _look_for_holes(settings: Settings) -> None:
    """Say what the walls leave open. Raises: CannotServe where strangers would share a machine with holes."""
    found = holes(settings.python)
    for hole in found:
        print(f"Not closed by --isolate: {hole}", file=sys.stderr)
    if found and settings.workspaces == "browser" and not settings.despite_holes:
        raise CannotServe(
            f"--workspaces browser needs walls between its visitors, and {len(found)} of them cannot be had here. "
            "If you trust every visitor with this account, add --despite-holes."
        )


def _workspaces(
    settings: Settings, limits: Limits | None, workers: Workers, tasks: TaskGroup, store: Store
) -> Workspaces:
    modules = _modules(settings)
    if settings.workspaces == "one":
        return OneWorkspace(Workspace(workers, modules, tasks, store=store))

    def make() -> Workspace:
        # In memory: what is on disk belongs to no browser that a later start could know.
        return Workspace(workers, modules, tasks, idle_workers=IDLE_WORKERS)

    workspaces = BrowserWorkspaces(make, limits)
    tasks.start_soon(workspaces.keep)
    return workspaces


def _modules(settings: Settings) -> tuple[Module, ...]:
    """The command line's modules, which every workspace reads. How their workers are run is decided here alone."""
    return modules_at(settings.paths, settings.python, settings.isolate)


async def _import_client() -> None:
    await anyio.to_thread.run_sync(importlib.import_module, "app.client.call")


async def _healthy() -> PlainTextResponse:
    return PlainTextResponse("ok", HTTPStatus.OK)


def _bound(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    # Windows lets two programs share a port with this option.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, sys.platform != "win32")
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise CannotServe(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}. "
            "Choose another with --port (0 takes a free one), or end the program that has it."
        ) from None
    return listener


def _with_paths(settings: Settings) -> Settings:
    """The samples where nothing was named. Raises: CannotServe if a path is not there."""
    paths = settings.paths or (str(directory("sample_tools")),)
    try:
        found = modules_at(paths, settings.python)
    except FileNotFoundError as error:
        raise CannotServe(str(error)) from None
    if not found:
        raise CannotServe(f"There is no Python module in {', '.join(paths)}. Name a file, or another directory.")
    return replace(settings, paths=paths)
