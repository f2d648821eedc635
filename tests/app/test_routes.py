"""The served application over HTTP and WebSocket, without a browser."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from resolver_runtime.host.process import tree_of
from tests.served import ROOT, START_SECONDS, Served, served

WAIT_SECONDS = 20
SETTLED = ("has had its answer", "already has an answer", "Question q1 is not open")
"""What refuses a second answer: which of the three depends on how far the call has come by then."""


@pytest.fixture(scope="module")
def playground() -> Iterator[Served]:
    with served("sample_tools") as running:
        yield running


@pytest.fixture
def bearer(playground: Served) -> Iterator[httpx2.Client]:
    """A program with the token."""
    headers = {"authorization": f"Bearer {playground.token}"}
    with httpx2.Client(base_url=playground.base, headers=headers, timeout=WAIT_SECONDS, trust_env=False) as client:
        yield client


@pytest.fixture
def page(playground: Served) -> Iterator[httpx2.Client]:
    """A browser that has opened the address; what it sends comes from our own page."""
    with httpx2.Client(base_url=playground.base, timeout=WAIT_SECONDS, trust_env=False) as client:
        assert client.get(playground.address).status_code == HTTPStatus.SEE_OTHER
        client.headers["origin"] = playground.base
        client.headers["hx-request"] = "true"
        yield client


def begun(page: httpx2.Client, title: str = "Neuromancer") -> str:
    """The id of a call of order_book that has begun."""
    form = {"module": module_id(page), "server": "0", "tool": "order_book", "field:title": title}
    started: str = json.loads(page.post("/calls", data=form).headers["hx-trigger"])["call-started"]["call"]
    return started


def module_id(page: httpx2.Client) -> str:
    modules = page.get("/api/modules").json()
    return str(next(one["id"] for one in modules if one["label"] == "bookshop.py"))


def test_its_health_is_told_without_a_token(playground: Served) -> None:
    assert httpx2.get(f"{playground.base}/healthz", trust_env=False).status_code == HTTPStatus.OK


@pytest.mark.parametrize("path", ["/", "/api", "/api/graph", "/static/page.css", "/nowhere"])
def test_everything_else_needs_the_token(playground: Served, path: str) -> None:
    assert httpx2.get(playground.base + path, trust_env=False).status_code == HTTPStatus.UNAUTHORIZED


def test_the_token_is_exchanged_for_a_cookie_and_stands_in_no_page(playground: Served, page: httpx2.Client) -> None:
    opened = page.get("/", headers={"hx-request": ""})
    assert opened.status_code == HTTPStatus.OK
    assert playground.token not in opened.text


def test_an_address_that_leads_nowhere_says_so(bearer: httpx2.Client) -> None:
    answer = bearer.get("/nowhere")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "There is nothing at this address" in answer.text


UNREADABLE = [
    ("PUT", "/calls", "", HTTPStatus.METHOD_NOT_ALLOWED, "This address does not take PUT."),
    ("POST", "/calls", "multipart/form-data", HTTPStatus.BAD_REQUEST, "The request cannot be read: Missing boundary"),
    ("POST", "/api/call", "application/json; charset=utf-16", HTTPStatus.BAD_REQUEST, "The request cannot be read: "),
]


@pytest.mark.parametrize(("method", "path", "content_type", "status", "words"), UNREADABLE)
def test_what_no_route_can_read_is_said(
    bearer: httpx2.Client, method: str, path: str, content_type: str, status: HTTPStatus, words: str
) -> None:
    answer = bearer.request(method, path, content=b"\xff", headers={"content-type": content_type})
    assert answer.status_code == status
    assert words in answer.text


NOT_THERE = [
    ("GET", "/calls/idle/nodes/tool?module=0-bookshop&server=-1&tool=order_book", "has no tool"),
    ("GET", "/?module=none", "There is no module"),
    ("GET", "/calls/idle/nodes/tool?module=none&server=0&tool=x", "There is no module"),
    ("POST", "/calls/none/stop", "This call is not here any more"),
    ("POST", "/calls/none/questions/q1", "This call is not here any more"),
    ("POST", "/calls", "has no tool"),
]


@pytest.mark.parametrize(("method", "path", "words"), NOT_THERE)
def test_what_is_not_there_is_said_in_the_notice_and_the_page_stays(
    page: httpx2.Client, method: str, path: str, words: str
) -> None:
    answer = page.request(method, path, data={"server": "0"} if method == "POST" else None)
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert answer.headers["hx-reswap"] == "none"
    assert 'id="notice"' in answer.text
    assert words in answer.text


def test_a_tool_that_is_gone_leads_to_the_first_of_its_module(page: httpx2.Client) -> None:
    answer = page.get("/tools/0/no_tool")
    assert answer.status_code == HTTPStatus.OK
    assert "<b>order_book</b>(" in answer.text


def test_a_page_answers_before_its_module_is_imported() -> None:
    with served("sample_tools/bookshop.py") as running:
        cookies = httpx2.Cookies()
        with httpx2.Client(cookies=cookies, trust_env=False, timeout=WAIT_SECONDS, follow_redirects=True) as browser:
            first = browser.get(running.address).text
            assert "Importing bookshop.py" in first
            middle = browser.get(f"{running.base}/", headers={"hx-request": "true"}).text
            assert "<b>order_book</b>(" in middle


def test_a_second_answer_is_refused_with_a_sentence(page: httpx2.Client) -> None:
    call = begun(page)
    until_asked(page, call)
    first = page.post(f"/calls/{call}/questions/q1", data={"action": "yes"})
    second = page.post(f"/calls/{call}/questions/q1", data={"action": "no"})
    assert first.status_code == HTTPStatus.OK
    assert second.status_code == HTTPStatus.CONFLICT
    assert any(sentence in second.text for sentence in SETTLED)


def until_asked(page: httpx2.Client, call: str) -> None:
    """Follow the call on its socket until its question can be answered; its text is on the wire before that."""
    with following(page, call) as socket_:
        while 'id="question-q1"' not in json.loads(socket_.recv(WAIT_SECONDS))["html"]:
            pass


def following(page: httpx2.Client, call: str, after: int = 0, epoch: int = 1) -> Any:
    base = str(page.base_url).replace("http", "ws", 1).rstrip("/")
    cookie = "; ".join(f"{name}={value}" for name, value in page.cookies.items())
    origin = Origin(page.headers["origin"])
    return connect(
        f"{base}/live?call={call}&after={after}&epoch={epoch}",
        additional_headers={"cookie": cookie},
        origin=origin,
        proxy=None,
    )


def test_the_socket_gives_exactly_what_came_after_the_last_event_seen(page: httpx2.Client) -> None:
    call = begun(page, "Dune")
    with following(page, call) as first:
        frames = [json.loads(frame) for frame in first]
    with following(page, call, after=frames[-1]["seq"]) as second:
        assert list(second) == []
    assert "Ordered &#39;Dune&#39;." in frames[-1]["html"]


def test_the_socket_of_an_unknown_call_says_so_and_closes(page: httpx2.Client) -> None:
    with following(page, "none") as socket_, pytest.raises(ConnectionClosedError, match="not here any more") as closed:
        socket_.recv(WAIT_SECONDS)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_the_socket_opens_for_no_other_origin(page: httpx2.Client) -> None:
    page.headers["origin"] = "http://127.0.0.1:1"
    with pytest.raises(InvalidStatus):
        following(page, "none")


def test_the_api_lists_modules_and_gives_their_graphs(bearer: httpx2.Client) -> None:
    graph = bearer.get("/api/graph", params={"module": module_id(bearer), "tool": "order_book"}).json()
    assert [tool["name"] for tool in graph["servers"][0]["tools"]] == ["order_book"]
    assert graph["problems"] == []


def test_the_api_calls_a_tool_and_answers_its_questions(bearer: httpx2.Client) -> None:
    answers = {"confirm_backorder": {"action": "accept", "content": {"confirm": True}}}
    body = {"tool": "order_book", "arguments": {"title": "Neuromancer"}, "answers": answers}
    document = bearer.post("/api/call", json=body).json()
    assert document["result"]["content"][0]["text"] == "Backordered 'Neuromancer'; it ships in 2-3 weeks."
    assert [one["number"] for one in document["rounds"]] == [1, 2]


def test_a_call_over_the_api_whose_question_has_no_answer_ends(bearer: httpx2.Client) -> None:
    document = bearer.post("/api/call", json={"tool": "order_book", "arguments": {"title": "Neuromancer"}}).json()
    assert document["unanswered"] == ["bookshop:confirm_backorder"]


REFUSED = [
    ({"tool": "no_tool"}, "It has: order_book"),
    ({"tool": "order_book", "capabilities": ["telepathy"]}, "no such capability"),
    ({"tool": "order_book", "answers": {"confirm_backorder": 5}}, "Write an object"),
    ({"tool": "order_book", "surprise": 1}, "surprise"),
    ({"tool": "order_book", "headers": {"X-Branch": "Lisbon\nX: y"}}, "is no header. Write name, colon and value"),
    ({"tool": "order_book", "timeout": -1}, "timeout"),
    ({}, "tool"),
]


@pytest.mark.parametrize(("body", "words"), REFUSED)
def test_the_api_refuses_what_does_not_fit_and_says_why(bearer: httpx2.Client, body: Any, words: str) -> None:
    answer = bearer.post("/api/call", json=body)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert words in answer.json()["error"]["message"]


def test_the_api_is_described_for_programs_and_for_people(bearer: httpx2.Client) -> None:
    description = bearer.get("/api/openapi.json").json()
    assert set(description["paths"]) == {"/api/modules", "/api/graph", "/api/call"}
    reference = bearer.get("/api").text
    assert "POST /api/call" in reference
    assert "max_rounds" in reference


def test_a_port_that_is_taken_is_said_with_the_way_out() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [sys.executable, "-m", "app.cli", "serve", "--port", str(taken.getsockname()[1]), "--no-browser"]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=START_SECONDS)
    assert ended.returncode == 64
    assert "Choose another with --port" in ended.stderr


@pytest.mark.parametrize(("arguments", "words"), [(["no.py"], "There is no file"), (["docs"], "no Python module")])
def test_a_path_without_a_module_is_said(arguments: list[str], words: str) -> None:
    command = [sys.executable, "-m", "app.cli", "serve", *arguments, "--port", "0", "--no-browser"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=START_SECONDS)
    assert ended.returncode == 64
    assert words in ended.stderr


def test_when_the_playground_ends_no_process_of_it_is_left() -> None:
    with served("sample_tools") as running:
        bearer = {"authorization": f"Bearer {running.token}"}
        httpx2.get(f"{running.base}/api/graph", headers=bearer, trust_env=False, timeout=WAIT_SECONDS)
        family = tree_of(running.process.pid)
        assert len(family) >= 3
    assert [pid for pid in family if Path(f"/proc/{pid}").exists()] == []


LONE_SURROGATE = "\ud800"


@pytest.mark.parametrize(
    "body",
    [
        {"tool": "order_book", "arguments": {"title": LONE_SURROGATE}},
        {"tool": "order_book", "arguments": {"title": "Dune", LONE_SURROGATE: 1}},
        {"tool": LONE_SURROGATE},
        {"tool": "order_book", "module": LONE_SURROGATE},
        {"tool": "order_book", "capabilities": [LONE_SURROGATE]},
        {"tool": "order_book", "answers": {LONE_SURROGATE: {"action": "decline"}}},
        {"tool": "order_book", "answers": {"confirm_backorder": LONE_SURROGATE}},
        {"tool": "order_book", "arguments": {"title": float("nan")}},
        {"tool": "order_book", "arguments": {"title": float("inf")}},
    ],
    ids=str,
)
def test_the_api_answers_in_json_what_utf_8_or_json_cannot_hold(bearer: httpx2.Client, body: Any) -> None:
    headers = {"content-type": "application/json"}
    answer = bearer.post("/api/call", content=json.dumps(body).encode(), headers=headers)
    assert answer.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    json.loads(answer.text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_a_page_shows_half_of_a_surrogate_pair_as_its_escape(page: httpx2.Client) -> None:
    form = {"module": "0-bookshop", "server": "0", "tool": "order_book", "raw": '{"title": "\\ud800"}'}
    assert page.post("/calls", data=form).status_code == HTTPStatus.OK
    assert "\\ud800" in page.get("/tools/0/order_book?module=0-bookshop").text


def test_a_message_too_long_for_the_page_can_be_opened_whole(page: httpx2.Client) -> None:
    title = "x" * 70_000
    call = begun(page, title)
    until_asked(page, call)
    shown = page.get("/tools/0/order_book?module=0-bookshop").text
    assert "more characters" in shown
    addresses = re.findall(rf"/calls/{call}/events/[0-9]+", shown)
    events = [page.get(address).json() for address in addresses]
    assert title in [event["message"].get("params", {}).get("arguments", {}).get("title") for event in events]


def test_an_event_that_is_not_there_is_said(page: httpx2.Client) -> None:
    answer = page.get(f"/calls/{begun(page)}/events/1000000")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "This call has no event 1000000." in answer.text
