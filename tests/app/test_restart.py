"""The playground killed and started again: its calls are there, those under way interrupted, and none runs again."""

from __future__ import annotations

import json
import re
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.app.test_routes import WAIT_SECONDS, following, until_asked
from tests.served import START_SECONDS, Served, served

MODULE = """
from typing import Annotated
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from pydantic import BaseModel
mcp = MCPServer("cards")
class Text(BaseModel):
    text: str
def greeting() -> Elicit[Text]:
    print("asked for a greeting")
    return Elicit("Order anyway?", Text)
def wish(first: Annotated[Text, Resolve(greeting)]) -> Elicit[Text]:
    return Elicit(f"And after {first.text}?", Text)
@mcp.tool()
def write(to: str, first: Annotated[Text, Resolve(greeting)], then: Annotated[Text, Resolve(wish)]) -> str:
    return f"{first.text} {to}, {then.text}"
"""
QUESTION = 'id="question-{}"'
SCENE = {"module": "0-cards", "server": "0", "tool": "write", "field:to": "Ana"}


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "cards.py"
    path.write_text(MODULE)
    return path


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


@contextmanager
def visited(playground: Served) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=playground.base, timeout=WAIT_SECONDS, trust_env=False) as client:
        client.get(playground.address)
        client.headers |= {"origin": playground.base, "hx-request": "true"}
        yield client


def begun(page: httpx2.Client) -> str:
    """The id of a call whose first question waits."""
    page.get("/")
    call = started(page.post("/calls", data=SCENE))["call"]
    until_asked(page, call)
    return str(call)


def started(answer: httpx2.Response) -> Any:
    return json.loads(answer.headers["hx-trigger"])["call-started"]


def accept(page: httpx2.Client, call: str, question: str, text: str) -> httpx2.Response:
    return page.post(f"/calls/{call}/questions/{question}", data={"action": "accept", "field:text": text})


def frames(page: httpx2.Client, call: str, after: int = 0, until: str = "", epoch: int = 1) -> list[Any]:
    """What the socket brings, until it closes or these words stand in a frame."""
    got: list[Any] = []
    with following(page, call, after, epoch) as socket_:
        for frame in socket_:
            got.append(json.loads(frame))
            if until and until in got[-1]["html"]:
                break
    return got


def kill(playground: Served) -> None:
    playground.process.send_signal(signal.SIGKILL)
    playground.process.wait(START_SECONDS)


def kept_events(data: Path, call: str) -> list[dict[str, Any]]:
    (path,) = data.glob("calls-*.db")
    sql = "SELECT seq, event FROM events WHERE call = (SELECT number FROM calls WHERE id = ?) ORDER BY seq"
    with closing(sqlite3.connect(path)) as file:
        return [{"seq": seq, **json.loads(event)} for seq, event in file.execute(sql, (call,))]


def test_a_call_that_waited_when_the_playground_was_killed_is_interrupted_and_nothing_is_lost(
    module: Path, port: int, tmp_path: Path
) -> None:
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        call = begun(page)
        seen = frames(page, call, until=QUESTION.format("q1"))[-1]["seq"]
        kill(playground)
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        rest = frames(page, call, after=seen)
        whole = page.get("/").text
        late = accept(page, call, "q1", "too late")
    assert [frame["seq"] for frame in rest] == [seen + 1]
    assert "The playground ended while this call was under way" in rest[0]["html"]
    assert "asked for a greeting" not in rest[0]["html"]
    assert f'data-call="{call}"' in whole
    assert "asked for a greeting" in whole
    assert "Run again with the same answers" in whole
    assert "The last 200 calls are kept" in whole
    assert late.status_code == HTTPStatus.CONFLICT
    events = kept_events(tmp_path / "data", call)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [event["status"] for event in events if event["type"] == "call_ended"] == ["interrupted"]
    assert sum(event["type"] == "printed" for event in events) == 1


def test_run_again_gives_the_answers_so_far_and_then_asks(module: Path, port: int, tmp_path: Path) -> None:
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        call = begun(page)
        assert accept(page, call, "q1", "Hello").status_code == HTTPStatus.OK
        kill(playground)  # right after the answer was confirmed: it must be there
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        again = page.post(f"/calls/{call}/again")
        new = started(again)["call"]
        assert started(again)["before"] == call != new
        frames(page, new, until=QUESTION.format("q2"), epoch=2)
        accept(page, new, "q2", "welcome")
        assert "Hello Ana, welcome" in frames(page, new, epoch=2)[-1]["html"]
        assert "Run again" not in page.get("/").text
    answers = [event["answer"] for event in kept_events(tmp_path / "data", new) if event["type"] == "question_answered"]
    assert [answer["content"]["text"] for answer in answers] == ["Hello", "welcome"]


def test_a_playground_that_is_told_to_end_interrupts_its_calls_too(module: Path, port: int, tmp_path: Path) -> None:
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        call = begun(page)
    assert kept_events(tmp_path / "data", call)[-1]["status"] == "interrupted"


def test_a_page_that_saw_what_was_not_kept_is_drawn_anew(module: Path, port: int, tmp_path: Path) -> None:
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        call = begun(page)
        kill(playground)
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        last = last_drawn(page)
        (frame,) = frames(page, call, after=last, epoch=1)
        assert frame["seq"] == last
        assert 'id="pane-log"' in frame["html"]
        assert frames(page, call, after=last, epoch=frame["epoch"]) == []


def last_drawn(page: httpx2.Client) -> int:
    """The number of the last event that the page shows."""
    found = re.search(r'data-seq="(\d+)"', page.get("/").text)
    assert found is not None
    return int(found[1])


def test_a_tool_that_has_changed_shows_no_call_of_before_and_the_call_is_still_there(
    module: Path, port: int, tmp_path: Path
) -> None:
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        call = begun(page)
        kill(playground)
    module.write_text(MODULE.replace("def write(to: str", "def write(to: int"))
    with served(str(module), port=port, data=tmp_path / "data") as playground, visited(playground) as page:
        assert 'data-call=""' in page.get("/").text
        assert "Interrupted" in frames(page, call)[-1]["html"]
        panel = page.get(f"/calls/{call}/nodes/resolver:cards:greeting", params=SCENE)
        assert panel.status_code == HTTPStatus.OK


def test_a_playground_without_a_place_to_keep_calls_says_so_and_works(module: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with served(str(module), data=tmp_path / "file" / "below") as playground, visited(playground) as page:
        call = begun(page)
        accept(page, call, "q1", "Hello")
        frames(page, call, until=QUESTION.format("q2"), epoch=0)
        accept(page, call, "q2", "welcome")
        assert "Hello Ana, welcome" in frames(page, call, epoch=0)[-1]["html"]
        del page.headers["hx-request"]
        assert "Calls are not kept on disk" in page.get("/").text
