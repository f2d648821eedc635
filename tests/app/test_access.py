"""A route that nobody thought about stops the start-up."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import APIRouter, FastAPI, WebSocket
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from app.access import Access, UndeclaredRoute, check_routes

DECLARED: dict[str, Access] = {
    "GET /healthz": "free",
    "GET /page": "read",
    "POST /page": "write",
    "WS /live": "write",
    "MOUNT /static": "read",
}


def application() -> FastAPI:
    app = FastAPI(openapi_url=None)
    router = APIRouter()

    @app.get("/healthz")
    async def healthz() -> str:
        return "ok"

    @router.get("/page")
    async def show() -> str:
        return "page"

    @router.post("/page")
    async def change() -> str:
        return "page"

    @router.websocket("/live")
    async def live(websocket: WebSocket) -> None:
        await websocket.accept()

    app.include_router(router)
    app.mount("/static", StaticFiles(directory=Path(__file__).parent))
    return app


def test_routes_that_are_all_declared_pass() -> None:
    check_routes(application(), DECLARED)


@pytest.mark.parametrize("forgotten", sorted(DECLARED))
def test_a_forgotten_route_is_named(forgotten: str) -> None:
    with pytest.raises(UndeclaredRoute, match=f"^{forgotten} has no declared access"):
        check_routes(application(), {route: access for route, access in DECLARED.items() if route != forgotten})


@pytest.mark.parametrize(
    ("route", "access"),
    [
        ("GET /page", "write"),
        ("GET /page", "free"),
        ("POST /page", "read"),
        ("WS /live", "read"),
        ("MOUNT /static", "free"),
        ("GET /healthz", "read"),
    ],
)
def test_a_route_that_does_not_go_with_its_access_is_named(route: str, access: Access) -> None:
    with pytest.raises(UndeclaredRoute, match=f"^{route} is declared as {access}"):
        check_routes(application(), {**DECLARED, route: access})


def test_a_declaration_without_a_route_is_named() -> None:
    with pytest.raises(UndeclaredRoute, match="GET /gone is declared and does not exist"):
        check_routes(application(), {**DECLARED, "GET /gone": "read"})


def test_the_frameworks_own_pages_are_not_let_through() -> None:
    with pytest.raises(UndeclaredRoute, match="GET /docs"):
        check_routes(FastAPI(), {})


def test_routes_inside_a_mount_are_found() -> None:
    app = Starlette(routes=[Mount("/api", routes=[Route("/tools", lambda request: Response(), methods=["GET"])])])
    with pytest.raises(UndeclaredRoute, match="GET /api/tools"):
        check_routes(app, {})
