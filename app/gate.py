"""The outermost layer: who may come in, over HTTP and over WebSocket, and under which rules a browser shows our pages.

Pure ASGI. Knows headers, cookies and the token; knows no route but `/healthz`, and calls the application only for
requests that have passed, with the name of the browser that sent them (`BROWSER`). The rules answer three attackers:
another page in the same browser (`Host`, `Origin`), someone on the network (the token), and text from a module that
would like to be script (the response headers).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.passes import Passes
from app.settings import Settings
from app.strangers import Strangers

FREE_PATHS = frozenset({"/healthz"})
"""Answered without a token; the `Host` is checked all the same."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
TOKEN_PARAMETER = "token"
BROWSER = "playground.browser"
"""Where the application finds, in the scope, whose cookie a request brought: a name, or None with the token alone."""


@dataclass(frozen=True)
class Refusal:
    """Why a request does not come in: what happened, and what to do next. Repeats nothing of the request."""

    status: HTTPStatus
    happened: str
    next_step: str

    def response(self, path: str) -> Response:
        if path.startswith("/api/"):
            body = {"error": {"code": self.status.value, "message": self.happened, "next_step": self.next_step}}
            return JSONResponse(body, self.status)
        return HTMLResponse(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{self.status.phrase}</title>'
            f"<h1>{self.status.phrase}</h1><p>{self.happened}<p>{self.next_step}</html>",
            self.status,
        )


WRONG_HOST = Refusal(
    HTTPStatus.MISDIRECTED_REQUEST,
    "This playground does not go by the name it was called by.",
    "Open the address that the playground command printed. Behind a proxy, start it with --public-url.",
)
WRONG_ORIGIN = Refusal(
    HTTPStatus.FORBIDDEN,
    "The request was sent by another site, or does not say where it comes from.",
    "Use the playground's own page, or send the token in the header 'Authorization: Bearer ...'.",
)
NO_TOKEN = Refusal(
    HTTPStatus.UNAUTHORIZED,
    "The playground runs code, so it opens only with its access token, and this request brought none that is valid.",
    "Open the whole address that the playground command printed, its token included: each start has a new one.",
)


@dataclass(frozen=True)
class Rules:
    """What the gate compares with. `hosts` and `origins` are exact and in lower case; `scripts_from` is the origin of
    the CDN while its scripts are needed, else None; `secure` marks the cookie for https only."""

    hosts: frozenset[str]
    origins: frozenset[str]
    passes: Passes
    cookie: str
    secure: bool = False
    scripts_from: str | None = None

    @classmethod
    def of(cls, settings: Settings, scripts_from: str | None = None) -> Rules:
        """The rules of one start; `settings.port` must be the port that was really bound."""
        return cls(
            hosts=settings.hosts,
            origins=settings.origins,
            passes=Passes(settings.token, settings.workspaces == "browser"),
            cookie=f"playground_{settings.port}",
            secure=(settings.public_url or "").startswith("https:"),
            scripts_from=scripts_from,
        )

    def refusal(self, scope: Scope) -> Refusal | None:
        """Why this request must not reach the application, or None if it may."""
        headers = Headers(scope=scope)
        if not self._host_is_ours(headers):
            return WRONG_HOST
        bearer = self.passes.is_token(_bearer(headers))
        if _has_effects(scope) and not self._comes_from_us(headers, bearer):
            return WRONG_ORIGIN
        if scope["type"] == "http" and scope["path"] in FREE_PATHS:
            return None
        return None if bearer or self.browser(headers) is not None else NO_TOKEN

    def browser(self, headers: Headers) -> str | None:
        """Whose cookie this is; None without one that is valid."""
        holders = (self.passes.holder(value) for value in self._cookies(headers))
        return next((holder for holder in holders if holder is not None), None)

    def brings_something(self, scope: Scope) -> bool:
        """Whether a request that was refused has tried a token, rather than come without any."""
        headers = Headers(scope=scope)
        return any((_bearer(headers), any(self._cookies(headers)), any(_tokens(scope))))

    def exchange(self, scope: Scope) -> Response | None:
        """The answer to an address that carries the token: the cookie, and the same address without it."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        if not any(self.passes.is_token(value) for value in _tokens(scope)):
            return None
        rest = urlencode([(name, value) for name, value in _query(scope) if name != TOKEN_PARAMETER])
        # One slash only: an address that begins with two names another host.
        path = "/" + quote(scope["path"].lstrip("/"), safe="/:@!$&'()*+,;=~-._")
        return self._onward(path + (f"?{rest}" if rest else ""), Headers(scope=scope))

    def security_headers(self) -> dict[str, str]:
        """For every response; the policy lets a page load our own files, and nothing that stands in its text."""
        scripts = " ".join(filter(None, ("'self'", self.scripts_from)))
        policy = (
            f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
        return {
            "content-security-policy": policy,
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
        }

    def _host_is_ours(self, headers: Headers) -> bool:
        names = headers.getlist("host")
        return len(names) == 1 and names[0].lower() in self.hosts

    def _comes_from_us(self, headers: Headers, bearer: bool) -> bool:
        origins, sites = headers.getlist("origin"), headers.getlist("sec-fetch-site")
        if origins or sites:
            return all(origin in self.origins for origin in origins) and all(site == "same-origin" for site in sites)
        return bearer

    def _cookies(self, headers: Headers) -> Iterator[str]:
        given = headers.getlist("cookie")
        for name in (self.cookie, self._first_cookie):
            yield from _cookies(given, name)

    @property
    def _first_cookie(self) -> str:
        """The name under which a browser gets its cookie while we cannot see whether it has one."""
        return f"{self.cookie}_first"

    def _onward(self, address: str, headers: Headers) -> Response:
        """A redirect with the cookie; for someone who followed a link on another site, a page that leads on.

        A strict cookie stays at home all along a chain of redirects that another site began, but not on a way of our
        own. So this browser may have a workspace already, and must not lose it: its old cookie goes before the new.
        """
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            held = (value for value in self._cookies(headers) if self.passes.holder(value) is not None)
            return self._with_cookie(RedirectResponse(address, HTTPStatus.SEE_OTHER), self.cookie, next(held, None))
        name = self._first_cookie if self.passes.per_browser else self.cookie
        return self._with_cookie(HTMLResponse(_LEADS_ON.format(escape(address))), name)

    def _with_cookie(self, response: Response, name: str, held: str | None = None) -> Response:
        value = held or self.passes.new()
        response.set_cookie(name, value, httponly=True, samesite="strict", path="/", secure=self.secure)
        return response


class Gate:
    """ASGI middleware round the whole application."""

    def __init__(self, app: ASGIApp, rules: Rules, strangers: Strangers | None = None) -> None:
        self.app = app
        self.rules = rules
        self._strangers = strangers or Strangers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] == "websocket":
            return await self._on_websocket(scope, receive, send)
        answer = await self._answer(scope) or self.app
        return await answer(self._named(scope), receive, self._guarded(send))

    async def _answer(self, scope: Scope) -> ASGIApp | None:
        refusal = self.rules.refusal(scope)
        if refusal in (None, NO_TOKEN) and (exchange := self.rules.exchange(scope)):
            return exchange
        await self._hold_up(refusal, scope)
        return refusal.response(scope["path"]) if refusal else None

    async def _on_websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self.rules.refusal(scope)
        if refusal is None:
            return await self.app(self._named(scope), receive, self._guarded(send))
        await self._hold_up(refusal, scope)
        # Only a wrong name gets its own status: uvicorn logs an error for each response in the place of a handshake,
        # and a page that outlived its server's token tries again and again. It gets the 403 of a closed handshake.
        if refusal is WRONG_HOST and "websocket.http.response" in scope.get("extensions", {}):
            return await refusal.response(scope["path"])(scope, receive, self._guarded(send))
        return await send({"type": "websocket.close", "code": 1008, "reason": refusal.status.phrase})

    async def _hold_up(self, refusal: Refusal | None, scope: Scope) -> None:
        if refusal is NO_TOKEN and self.rules.brings_something(scope):
            await self._strangers.hold_up((scope.get("client") or ("",))[0])

    def _named(self, scope: Scope) -> Scope:
        return {**scope, BROWSER: self.rules.browser(Headers(scope=scope))}

    def _guarded(self, send: Send) -> Send:
        async def guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message = {**message, "headers": list(message.get("headers", ()))}
                self._add_headers(MutableHeaders(scope=message))
            await send(message)

        return guarded

    def _add_headers(self, headers: MutableHeaders) -> None:
        for name, value in self.rules.security_headers().items():
            headers[name] = value
        is_page = headers.get("content-type", "").startswith("text/html")
        if is_page or "cache-control" not in headers:
            # A file that has an ETag may be kept, and is asked about each time.
            headers["cache-control"] = "no-cache" if "etag" in headers and not is_page else "no-store"


_LEADS_ON = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Resolver Playground</title>'
    '<meta http-equiv="refresh" content="0;url={0}"><p><a href="{0}">To the playground</a></html>'
)


def _has_effects(scope: Scope) -> bool:
    return scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS


def _bearer(headers: Headers) -> str:
    return headers.get("authorization", "").removeprefix("Bearer ")


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _tokens(scope: Scope) -> list[str]:
    return [value for name, value in _query(scope) if name == TOKEN_PARAMETER]


def _cookies(headers: Iterable[str], name: str) -> Iterator[str]:
    """The values of every cookie of that name. By hand: one odd cookie of another server must not hide ours."""
    for header in headers:
        for pair in header.split(";"):
            key, _, value = pair.strip().partition("=")
            if key == name:
                yield value
