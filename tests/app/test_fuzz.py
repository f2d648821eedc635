"""Whatever is sent, and wherever to: no answer is a fault of ours, and every refusal says a sentence.

A fault is an exception that the application lets through: it ends a test here, and would be a 500 elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import Message

from app.main import ACCESS
from app.settings import Settings
from tests.app.housing import House, housed
from tests.app.sending import Answer, Headers, opened, sent
from tests.served import ROOT

SAMPLES = tuple(str(ROOT / "sample_tools" / name) for name in ("step1_reserve.py", "try_three_questions.py"))
TRIES = settings(deadline=None, max_examples=settings().max_examples // 4)
"""A fourth as many as elsewhere: each route has its own."""

OPEN = "OPEN"
"""Stands for the id of a call whose questions wait."""
GOOD: Mapping[str, tuple[str, ...]] = {
    "module": ("0-step1_reserve", "1-try_three_questions"),
    "server": ("0",),
    "tool": ("reserve_book", "write_card"),
    "node": ("tool", "argument:title"),
    "call": (OPEN, "idle"),
    "seq": ("1", "2"),
    "question": ("q1", "q2", "q3"),
    "action": ("accept", "decline", "cancel", "answer", "reject", "yes", "no", "raw", "force"),
    "raw": ("", '{"title": "Dune"}', '{"roots": []}', '{"error": {"code": 1, "message": ""}}'),
    "anyway": ("1",),
    "era": ("2026-07-28", "2025-11-25"),
    "capability": ("sampling", "roots"),
    "max_rounds": ("10",),
    "headers": ("X-Branch: Lisbon",),
    "field:title": ("Dune",),
    "field:tone": ("warm",),
    "text": ("All the best!",),
    "roots": ("file:///cards Cards",),
    "after": ("0", "5"),
    "epoch": ("0", "1"),
    "path": ("page.js", "lib/htmx.min.js"),
}
"""What the parameters of routes and the controls of forms are called, and values that they take; the first will do."""
FORMS: Mapping[str, tuple[str, ...]] = {
    "POST /calls": ("module", "server", "tool", "raw", "anyway", "field:title"),
    "POST /calls/{call}/questions/{question}": ("action", "raw", "text", "roots", "field:tone"),
    "POST /client": ("era", "capability", "max_rounds", "headers"),
}
ODD = ("", "0", "-1", "1e9", "9" * 5000, "null", "\x00", "..", "../../etc/passwd", "//", "%", "{{7*7}}", "[" * 5000)
ODD_JSON: tuple[Any, ...] = (None, True, -1, 1.5, 10**400, float("nan"), "", "\ud800", "\x00", [], {}, [[]], {"": {}})

FORM = "application/x-www-form-urlencoded"
TYPES = (
    FORM,
    "application/json",
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "text/plain; charset=no",
    "",
)
BODIES: Mapping[str, tuple[str, bytes]] = {
    "no JSON": ("application/json", b'{"tool":'),
    "JSON that ends in NUL": ("application/json", b'{"tool": "reserve_book"}\x00'),
    "JSON that is not UTF-8": ("application/json", b'{"tool": "\xff\xfe"}'),
    "JSON in another encoding": ("application/json", '{"tool": "reserve_book"}'.encode("utf-16")),
    "JSON of 4 MiB": ("application/json", json.dumps({"tool": "x" * 2**22}).encode()),
    "JSON nested too deeply": ("application/json", b"[" * 100_000),
    "a number of 100,000 digits": ("application/json", b'{"max_rounds": ' + b"9" * 100_000 + b"}"),
    "a form that is not UTF-8": (FORM, b"module=%ff&tool=\xff&=&&%"),
    "a form of 10,000 fields": (FORM, b"field:title=x&" * 10_000),
    "raw JSON nested too deeply": (FORM, b"module=0-step1_reserve&server=0&tool=reserve_book&raw=" + b"[" * 100_000),
    "a form of parts without a boundary": ("multipart/form-data", b"--x\r\n"),
    "a form of parts that breaks off": (
        "multipart/form-data; boundary=x",
        b"--x\r\ncontent-disposition: form-data; na",
    ),
    "a file in the place of a text": (
        "multipart/form-data; boundary=x",
        b'--x\r\ncontent-disposition: form-data; name="raw"; filename="a"\r\n\r\n\xff\r\n--x--\r\n',
    ),
    "a part without a name": (
        "multipart/form-data; boundary=x",
        b"--x\r\ncontent-disposition: form-data\r\n\r\n\r\n--x--",
    ),
}


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    body: bytes = b""
    content_type: str = FORM
    by_htmx: bool = False

    @property
    def headers(self) -> Headers:
        content_type = self.content_type.encode("latin-1", "replace")
        return ((b"content-type", content_type), *([(b"hx-request", b"true")] if self.by_htmx else ()))


@dataclass
class Target:
    """A playground in a thread of its own, a browser that was let in, and a call of its that waits for answers."""

    portal: BlockingPortal
    house: House
    cookie: Headers
    call: str = ""

    @property
    def app(self) -> FastAPI:
        app = self.house.gate.app
        assert isinstance(app, FastAPI)
        return app

    def answer(self, request: Request) -> Answer:
        if OPEN in request.target:
            request = replace(request, target=request.target.replace(OPEN, self._open_call()))
        headers = (*self.cookie, *request.headers)
        return self.portal.call(sent, self.house.gate, request.method, request.target.encode(), headers, request.body)

    def frames(self, target: str) -> list[Message]:
        return self.portal.call(opened, self.house.gate, target.replace(OPEN, self._open_call()).encode(), self.cookie)

    def _open_call(self) -> str:
        """The call, or another if its questions have been answered by now."""
        if not self.call or self.answer(Request("POST", f"/calls/{self.call}/questions/q1/reopen")).status != 200:
            form = {"module": GOOD["module"][1], "server": 0, "tool": "write_card", "field:recipient": "Ana"}
            answer = self.answer(Request("POST", "/calls", urlencode(form).encode()))
            self.call = json.loads(answer.headers["hx-trigger"])["call-started"]["call"]
        return self.call


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    settings = Settings(SAMPLES, workspaces="browser", offline=True)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(housed(settings, seconds=None)) as house,
    ):
        cookie = f"playground_8000={house.gate.rules.passes.new()}".encode()
        yield Target(portal, house, ((b"cookie", cookie),))


def is_in_order(answer: Answer) -> bool:
    """Whether it is an answer, or a refusal that says a sentence."""
    if answer.status < 400:
        return True
    return answer.status < 500 and re.fullmatch(r"\S+ \S+ .*\.", answer.sentence, re.DOTALL) is not None


def address(path: str, values: Mapping[str, str]) -> str:
    """The route's path with values in the place of its parameters."""
    filled = re.sub(r"\{(\w+)[^}]*\}", lambda found: quote(values[found[1]], safe=""), path)
    return f"{filled}/{quote(values['path'])}" if path == "/static" else filled


def placeholders(path: str) -> list[str]:
    return ["path"] if path == "/static" else re.findall(r"\{(\w+)", path)


def parameters_of(app: FastAPI, path: str) -> set[str]:
    """What stands in the path of a route, and what it takes from the query."""
    found = [one.original_route for one in iter_route_contexts(list(app.routes)) if one.path == path]
    queries = {one.name for route in found if isinstance(route, APIRoute) for one in route.dependant.query_params}
    return queries | set(placeholders(path))


def fitting(route: str, instead: dict[str, str]) -> Request:
    """A request that the route serves, but for what stands there `instead` of what fits."""
    method, _, path = route.partition(" ")
    values = {name: good[0] for name, good in GOOD.items()} | ({"call": "idle"} if method == "GET" else {}) | instead
    body = urlencode({field: values[field] for field in FORMS.get(route, ())})
    return Request(method.replace("MOUNT", "GET"), f"{address(path, values)}?{urlencode(values)}", body.encode())


@pytest.mark.parametrize("route", sorted(route for route in ACCESS if not route.startswith("WS")))
def test_an_odd_value_in_any_place_gets_an_answer_or_a_sentence(target: Target, route: str) -> None:
    names = {*FORMS.get(route, ()), *parameters_of(target.app, route.partition(" ")[2])}
    for name, odd in product(sorted(names), ODD):
        answer = target.answer(fitting(route, {name: odd}))
        assert is_in_order(answer), (name, odd, answer)


@pytest.mark.parametrize("route", sorted(route for route in ACCESS if route.startswith("POST")))
def test_a_body_that_cannot_be_read_gets_an_answer_or_a_sentence(target: Target, route: str) -> None:
    for name, (content_type, body) in BODIES.items():
        answer = target.answer(replace(fitting(route, {}), body=body, content_type=content_type))
        assert is_in_order(answer), (name, answer)


def documented(target: Target) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The path and the body's schema of each operation that the API describes with one."""
    description = json.loads(target.answer(Request("GET", "/api/openapi.json")).body)
    for path, operations in description["paths"].items():
        for operation in operations.values():
            if "requestBody" in operation:
                reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
                yield path, description["components"]["schemas"][reference.rpartition("/")[2]]


def test_an_odd_value_in_any_place_of_a_document_for_the_api_gets_an_answer_or_a_sentence(target: Target) -> None:
    asked = 0
    for path, schema in documented(target):
        odds = [*ODD_JSON, *([one] for one in ODD_JSON), *({"x": one} for one in ODD_JSON)]
        for name, odd in product([*schema["properties"], "nothing known"], odds):
            document = {"tool": "reserve_book", "arguments": {"title": "Dune"}} | {name: odd}
            answer = target.answer(Request("POST", path, json.dumps(document).encode(), "application/json"))
            assert is_in_order(answer), (name, odd, answer)
            asked += 1
    assert asked > 100


@pytest.mark.parametrize("name", ["call", "after", "epoch", "more"])
def test_a_socket_with_an_odd_parameter_is_closed_with_a_code(target: Target, name: str) -> None:
    for odd in ODD:
        query = {"call": OPEN, "after": "0", "epoch": "0", name: odd}
        frames = target.frames(f"/live?{urlencode(query)}")
        closed = [frame["code"] for frame in frames if frame["type"] == "websocket.close"]
        assert closed in ([1008], [4404]) or (not closed and name != "call"), (odd, frames)


texts = st.text(max_size=20) | st.sampled_from(ODD)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.sampled_from(ODD_JSON),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def values_of(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from(GOOD[name]) | texts if name in GOOD else texts


@st.composite
def pairs(draw: st.DrawFn) -> list[tuple[str, str]]:
    """As in a query or a form: known names and others, some missing and some doubled."""
    names = draw(st.lists(st.sampled_from([*GOOD]) | texts, max_size=10))
    return [(name, draw(values_of(name))) for name in names]


@st.composite
def targets(draw: st.DrawFn, path: str) -> str:
    filled = address(path, {name: draw(values_of(name)) for name in placeholders(path)})
    broken = st.sampled_from(["", "module", "&&=&", "module=%ff%fe", "server=%00", "tool=%"])
    return f"{filled}?{draw(pairs().map(urlencode) | broken)}"


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """A document for the API, mostly with a tool that there is."""
    return (
        draw(json_values)
        if draw(st.booleans())
        else {"tool": "reserve_book", **draw(st.dictionaries(texts, json_values))}
    )


bodies = st.one_of(
    pairs().map(lambda found: urlencode(found).encode()),
    documents().map(lambda document: json.dumps(document).encode()),
    st.binary(max_size=60),
)


def requests(route: str) -> st.SearchStrategy[Request]:
    """Requests to addresses of the route, mostly by its own method."""
    method, _, path = route.partition(" ")
    own = method.replace("MOUNT", "GET").replace("WS", "GET")
    methods = st.sampled_from([own] * 4 + ["GET", "POST", "HEAD", "PUT", "OPTIONS", "ODD"])
    return st.builds(Request, methods, targets(path), bodies, st.sampled_from(TYPES) | texts, st.booleans())


@pytest.mark.parametrize("route", sorted(ACCESS))
@TRIES
@given(data=st.data())
def test_whatever_is_sent_gets_an_answer_or_a_sentence(target: Target, route: str, data: st.DataObject) -> None:
    answer = target.answer(data.draw(requests(route)))
    assert is_in_order(answer), answer


@TRIES
@given(query=pairs())
def test_whatever_a_socket_is_opened_with_it_is_served_or_closed_with_a_code(
    target: Target, query: list[tuple[str, str]]
) -> None:
    frames = target.frames(f"/live?{urlencode(query)}")
    assert {frame["code"] for frame in frames if frame["type"] == "websocket.close"} <= {1000, 1008, 4404}
