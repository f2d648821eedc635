"""Each route's declared access, and the check that none was forgotten: what is not declared stops the start-up.

Knows routes by method and path only. The gate decides about requests; this holds what it relies on: that nothing which
is read with GET has an effect, and that only the gate's free paths are free.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from fastapi.routing import iter_route_contexts
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, WebSocketRoute

from app.gate import FREE_PATHS

Access = Literal["free", "read", "write"]
"""free: no token. read: with the token, no effect. write: with the token, and only from our own pages or with a bearer
token."""

READING = ("GET", "MOUNT")
"""HEAD goes with GET; a mount without routes of its own serves files."""


class UndeclaredRoute(RuntimeError):
    """Raised when routes and declarations do not agree; the message names each and says what to do."""


def check_routes(app: Starlette, declared: Mapping[str, Access]) -> None:
    """Compare every route of `app`, mounts and WebSockets included, with what was declared for it.

    `declared` is keyed by method and path: "GET /", "POST /calls", "WS /live", "MOUNT /static".

    Raises:
        UndeclaredRoute: a route without declaration, one that does what its access excludes, or one that is not there.
    """
    routes = set(_walk(app.routes))
    faults = [fault for route in sorted(routes) if (fault := _fault(route, declared.get(route)))]
    faults += [f"{route} is declared and does not exist." for route in sorted(declared.keys() - routes)]
    if faults:
        raise UndeclaredRoute("\n".join(faults))


def _walk(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[str]:
    for context in iter_route_contexts(list(routes)):
        route, path = context.original_route, f"{prefix}{context.path or ''}"
        if isinstance(route, Mount) and route.routes:
            yield from _walk(route.routes, path)
        elif isinstance(route, Mount | WebSocketRoute):
            yield f"{'MOUNT' if isinstance(route, Mount) else 'WS'} {path}"
        else:
            # A route without methods answers to all of them, which no declaration covers.
            yield from (f"{method} {path}" for method in (context.methods or {"ANY"}) if method != "HEAD")


def _fault(route: str, access: Access | None) -> str | None:
    method, _, path = route.partition(" ")
    if access is None:
        return f"{route} has no declared access. Declare it as free, read or write, beside the routes."
    if (access == "free") != (path in FREE_PATHS):
        return f"{route} is declared as {access}, and the gate's FREE_PATHS say otherwise."
    if (access == "write") == (method in READING):
        return f"{route} is declared as {access}; what is read has no effects, and what has effects is never read."
    return None
