"""Answers given again: to the same questions, in the same order, and no more than there were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from app.again import answer_as_before
from app.calls import CallLog
from app.client.questions import QuestionSettled
from app.view import CallView
from resolver_runtime import events as ev
from resolver_runtime.graph import Graph
from tests.app.serving import END_SECONDS

pytestmark = pytest.mark.anyio


class Answers:
    """A call that only hears answers; it refuses those to the questions in `settled`."""

    def __init__(self, *settled: str) -> None:
        self.log = CallLog()
        self.heard: dict[str, Mapping[str, Any]] = {}
        self._settled = settled

    def answer(self, question_id: str, answer: Mapping[str, Any]) -> None:
        if question_id in self._settled:
            raise QuestionSettled(question_id)
        self.heard[question_id] = answer


def asked(question: str, key: str | None, kind: ev.QuestionKind = "elicit") -> ev.QuestionAsked:
    return ev.QuestionAsked(question, 1, key, key, kind, {}, False, None)


async def answers_again(call: Answers, before: list[ev.Event], now: list[ev.Event]) -> dict[str, Mapping[str, Any]]:
    log = CallLog()
    for event in (ev.RoundStarted(1), *before):
        log.append(event)
    view = CallView.of(Graph(), "before", log.records())
    for event in (*now, ev.CallEnded("done")):
        call.log.append(event)
    with anyio.fail_after(END_SECONDS):
        await answer_as_before(call, view.questions.values())
    return call.heard


YES, NO = {"action": "accept", "content": {"yes": True}}, {"action": "decline"}


async def test_an_answer_goes_to_the_question_of_the_same_key_under_whatever_id() -> None:
    before: list[ev.Event] = [
        asked("q1", "a:x"),
        asked("q2", "a:y"),
        ev.QuestionAnswered("q1", YES),
        ev.QuestionAnswered("q2", NO),
    ]
    heard = await answers_again(Answers(), before, [asked("q1", "a:y"), asked("q2", "a:x")])
    assert heard == {"q1": NO, "q2": YES}


async def test_a_question_asked_twice_gets_its_first_answer_first_and_then_waits() -> None:
    before: list[ev.Event] = [
        asked("q1", "a:x"),
        ev.QuestionAnswered("q1", NO),
        asked("q2", "a:x"),
        ev.QuestionAnswered("q2", YES),
    ]
    heard = await answers_again(Answers(), before, [asked("q1", "a:x"), asked("q2", "a:x"), asked("q3", "a:x")])
    assert heard == {"q1": NO, "q2": YES}


async def test_what_had_no_answer_or_lost_it_again_waits() -> None:
    before: list[ev.Event] = [
        asked("q1", "a:x"),
        asked("q2", "a:y"),
        ev.QuestionAnswered("q2", YES),
        ev.QuestionReopened("q2"),
    ]
    assert await answers_again(Answers(), before, [asked("q1", "a:x"), asked("q2", "a:y")]) == {}


async def test_a_question_of_the_tools_body_is_known_by_its_method() -> None:
    before: list[ev.Event] = [asked("q1", None, "list_roots"), ev.QuestionAnswered("q1", {"roots": []})]
    heard = await answers_again(Answers(), before, [asked("q1", None, "elicit"), asked("q2", None, "list_roots")])
    assert heard == {"q2": {"roots": []}}


async def test_a_question_that_is_already_settled_is_passed_over() -> None:
    before: list[ev.Event] = [
        asked("q1", "a:x"),
        asked("q2", "a:y"),
        ev.QuestionAnswered("q1", YES),
        ev.QuestionAnswered("q2", NO),
    ]
    heard = await answers_again(Answers("q1"), before, [asked("q1", "a:x"), asked("q2", "a:y")])
    assert heard == {"q2": NO}
