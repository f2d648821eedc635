"""The questions of one call, as records that wait without a clock.

State apart from I/O: what asks and what answers both come here, and each answer is taken once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio

from app.answers import WIRE_METHODS, Answer
from resolver_runtime.events import Emit, QuestionAnswered, QuestionAsked, QuestionKind, QuestionReopened


class QuestionSettled(Exception):
    """Raised when a question is answered that is not open: it has its answer, it is gone, or it never was."""


@dataclass(slots=True)
class Question:
    """A question and its answer so far. `gone`: the answer is on its way, or the call is over."""

    asked: QuestionAsked
    answer: Answer | None = None
    gone: bool = False

    @property
    def refusal(self) -> Mapping[str, Any] | None:
        """The JSON-RPC error (`code`, `message`, `data`) that the client answers with, if it refuses."""
        match (self.answer or {}).get("error"):
            case {"code": int(code), "message": str(message), **rest}:
                return {"code": code, "message": message, "data": rest.get("data")}
            case _:
                return None


class Questions:
    """All questions of a call by id, and the waiting for their answers."""

    def __init__(self, record: Emit) -> None:
        self._record = record
        self._by_id: dict[str, Question] = {}
        self._changed = anyio.Event()

    def next_id(self) -> str:
        return f"q{len(self._by_id) + 1}"

    def add(self, asked: QuestionAsked, refusal: Answer | None = None) -> Question:
        """A new question: open, or refused from the start."""
        self._by_id[asked.id] = question = Question(asked, refusal, gone=refusal is not None)
        self._record(asked)
        if refusal is not None:
            self._record(QuestionAnswered(asked.id, refusal))
        return question

    def answer(self, question_id: str, answer: Answer) -> None:
        """Settle an open question.

        Raises:
            QuestionSettled: it is not open.
        """
        question = self._waiting(question_id)
        if question.answer is not None:
            raise QuestionSettled(f"Question {question_id} already has an answer. Reopen it to give another one.")
        question.answer = dict(answer)
        self._record(QuestionAnswered(question_id, question.answer))
        self._wake()

    def reopen(self, question_id: str) -> None:
        """Take an answer back; an open question stays open.

        Raises:
            QuestionSettled: the answer has gone.
        """
        question = self._waiting(question_id)
        if question.answer is not None:
            question.answer = None
            self._record(QuestionReopened(question_id))

    async def settled(self, batch: Iterable[Question]) -> None:
        """Wait until every question of the batch has its answer, or one of them is refused; then they are gone."""
        questions = list(batch)
        while not (all(q.answer is not None for q in questions) or any(q.refusal for q in questions)):
            await self._changed.wait()
        for question in questions:
            question.gone = True

    def close(self) -> None:
        """The call is over: no question can be answered any more."""
        for question in self._by_id.values():
            question.gone = True

    def _waiting(self, question_id: str) -> Question:
        question = self._by_id.get(question_id)
        if question is None or question.gone:
            raise QuestionSettled(f"Question {question_id} is not open: its round has gone, or the call is over.")
        return question

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


def kind_of(method: str, params: Mapping[str, Any]) -> QuestionKind | None:
    """The kind of question a server's request is; None for a request that is none (a ping)."""
    if method == WIRE_METHODS["elicit"]:
        return "elicit_url" if params.get("mode") == "url" else "elicit"
    return next((kind for kind, known in WIRE_METHODS.items() if known == method), None)
