"""Two answers to one question at the same moment, over HTTP: one is taken, the other is refused."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from threading import Barrier

import httpx2

from tests.app.test_restart import MODULE, SCENE, accept, kept_events, started, visited
from tests.app.test_routes import SETTLED, WAIT_SECONDS, until_asked
from tests.served import Served, served

RACES = 40
TEXTS = ("left", "right")


@contextmanager
def rivals(playground: Served) -> Iterator[list[httpx2.Client]]:
    """One page in as many tabs as there are answers."""
    with visited(playground) as one, visited(playground) as other:
        yield [one, other]


def raced(tabs: list[httpx2.Client], call: str) -> list[httpx2.Response]:
    """What each tab was told of its answer to the first question; all are sent when all are ready."""
    together = Barrier(len(tabs))

    def send(tab: httpx2.Client, text: str) -> httpx2.Response:
        together.wait(WAIT_SECONDS)
        return accept(tab, call, "q1", text)

    with ThreadPoolExecutor(len(tabs)) as threads:
        return list(threads.map(send, tabs, TEXTS))


def test_of_two_answers_at_the_same_moment_exactly_one_is_taken_and_the_other_is_told_so(tmp_path: Path) -> None:
    module = tmp_path / "cards.py"
    module.write_text(MODULE)
    winners: dict[str, list[str]] = {}
    with served(str(module), data=tmp_path / "data") as playground, rivals(playground) as tabs:
        tabs[0].get("/")
        for _ in range(RACES):
            call = str(started(tabs[0].post("/calls", data=SCENE))["call"])
            until_asked(tabs[0], call)
            answers = raced(tabs, call)
            told = [answer.status_code for answer in answers]
            winners[call] = [text for text, status in zip(TEXTS, told, strict=True) if status == HTTPStatus.OK]
            assert sorted(told) == [HTTPStatus.OK, HTTPStatus.CONFLICT]
            assert any(sentence in answers[told.index(HTTPStatus.CONFLICT)].text for sentence in SETTLED)
            tabs[0].post(f"/calls/{call}/stop")
    kept = {call: answers_of(tmp_path / "data", call) for call in winners}
    assert kept == winners
    assert len(kept) == RACES


def answers_of(data: Path, call: str) -> list[str]:
    events = kept_events(data, call)
    return [event["answer"]["content"]["text"] for event in events if event["type"] == "question_answered"]
