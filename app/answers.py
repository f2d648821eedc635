"""Answers written down beforehand: which of them goes to which question.

Pure: knows the command line's and the API's spelling of answers, neither calls nor processes. An answer goes out as it
was written, also when it does not fit its question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.surveys import Misuse
from resolver_runtime.events import QuestionAsked, QuestionKind

Answer = Mapping[str, Any]

WIRE_METHODS: Mapping[QuestionKind, str] = {
    "elicit": "elicitation/create",
    "elicit_url": "elicitation/create",
    "sample": "sampling/createMessage",
    "list_roots": "roots/list",
}


REJECTED: Answer = {"error": {"code": -1, "message": "User rejected sampling request"}}
"""What the specification says a client answers when its user does not want to sample."""


class AnswersError(Misuse):
    """Raised when written answers cannot be read, or do not say which resolver they mean."""


class Answers:
    """The answers of one call, handed out question by question."""

    def __init__(self, answers: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]]) -> None:
        """`answers`: a resolver's name, wire key or a wire method → an answer or a list of them. `nodes`: the tool's.

        Raises:
            AnswersError: an answer is no object, or a name belongs to several resolvers.
        """
        self.unknown: list[str] = []
        self._single: dict[str, Answer] = {}
        self._lists: dict[str, list[Answer]] = {}
        keys = _keys_by_name(nodes)
        for name, given in answers.items():
            self._file(self._target(name, keys), name, given)

    def next_for(self, question: QuestionAsked) -> Answer | None:
        """The answer to this question, or None. One from a list is used up; a single one answers each time."""
        target = question.key or WIRE_METHODS[question.kind]
        if waiting := self._lists.get(target):
            return written_out(waiting.pop(0), question.kind)
        single = self._single.get(target)
        return None if single is None else written_out(single, question.kind)

    def _target(self, name: str, keys: Mapping[str, Sequence[str]]) -> str:
        if name in WIRE_METHODS.values() or any(name in group for group in keys.values()):
            return name
        found = keys.get(name, ())
        if len(found) > 1:
            raise AnswersError(
                f"The answers name {name!r}, which {len(found)} resolvers are called. Name each by its wire key: "
                + ", ".join(found)
            )
        if not found:
            self.unknown.append(name)
        return found[0] if found else name

    def _file(self, target: str, name: str, given: Any) -> None:
        for answer in given if isinstance(given, list) else [given]:
            if not isinstance(answer, Mapping):
                raise AnswersError(
                    f"The answer for {name!r} is {answer!r}. Write an object, for example "
                    '{"action": "accept", "content": {...}}, or a list of objects.'
                )
        if isinstance(given, list):
            self._lists.setdefault(target, []).extend(given)
        else:
            self._single[target] = given


def written_out(answer: Answer, kind: QuestionKind) -> Answer:
    """`{"text": ...}` for a sampling question as the whole completion it stands for; anything else as it is."""
    if kind != "sample" or set(answer) != {"text"}:
        return answer
    return {
        "role": "assistant",
        "content": {"type": "text", "text": answer["text"]},
        "model": "playground",
        "stopReason": "endTurn",
    }


def _keys_by_name(nodes: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    keys: dict[str, list[str]] = {}
    for node in nodes:
        if node["key"] is not None:
            keys.setdefault(node["name"], []).append(node["key"])
    return keys
