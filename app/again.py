"""Answers a call as an earlier one was answered; what had no answer then waits for the person.

Knows questions by their wire keys, which mean the same in both calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol

from app.answers import WIRE_METHODS, Answer
from app.calls import CallLog
from app.client.questions import QuestionSettled
from app.view import QuestionView
from resolver_runtime import events as ev


class Answered(Protocol):
    """What is needed of the call."""

    @property
    def log(self) -> CallLog: ...
    def answer(self, question_id: str, answer: Answer, /) -> None: ...


async def answer_as_before(call: Answered, before: Iterable[QuestionView]) -> None:
    """Give each question of the call the answer that the same question had before: the first its first, and so on."""
    answers = _by_key(before)
    async for record in call.log.follow():
        asked = record.event
        if isinstance(asked, ev.QuestionAsked) and (waiting := answers.get(_key(asked))):
            # The person, or the client itself, may have been faster.
            with suppress(QuestionSettled):
                call.answer(asked.id, waiting.pop(0))


def _by_key(questions: Iterable[QuestionView]) -> dict[str, list[Answer]]:
    answers: dict[str, list[Answer]] = {}
    for question in questions:
        if question.answer is not None:
            answers.setdefault(_key(question), []).append(question.answer)
    return answers


def _key(question: QuestionView | ev.QuestionAsked) -> str:
    return question.key or WIRE_METHODS[question.kind]
