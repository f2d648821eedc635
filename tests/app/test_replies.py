"""A question's posted form, and the answer it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.answers import REJECTED
from app.pages import Draft
from app.replies import reply_to
from app.view import QuestionView
from resolver_runtime.events import QuestionKind

ONE_BOOLEAN = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}
STAY = {
    "type": "object",
    "properties": {"nights": {"type": "integer", "title": "Nights", "maximum": 30}},
    "required": ["nights"],
}


def question(kind: QuestionKind = "elicit", schema: Mapping[str, Any] | None = None) -> QuestionView:
    request = {"message": "How long?", "requestedSchema": schema or STAY} if kind == "elicit" else {}
    return QuestionView("q1", 1, 1, "shop:ask", "ask", kind, request, False, None)


SETTLED: list[tuple[QuestionKind, list[tuple[str, str]], Any]] = [
    ("elicit", [("field:nights", "3"), ("action", "accept")], {"action": "accept", "content": {"nights": 3}}),
    ("elicit", [("field:nights", "99"), ("action", "force")], {"action": "accept", "content": {"nights": 99}}),
    ("elicit", [("field:nights", "99"), ("action", "decline")], {"action": "decline"}),
    ("elicit", [("action", "cancel")], {"action": "cancel"}),
    ("elicit", [("raw", '{"nights": "x"}'), ("action", "accept")], {"action": "accept", "content": {"nights": "x"}}),
    ("elicit", [("raw", "[1]"), ("action", "accept")], {"action": "accept", "content": [1]}),
    ("elicit", [("raw", '{"action": "shrug"}'), ("action", "raw")], {"action": "shrug"}),
    ("elicit", [("raw", "{"), ("action", "decline")], {"action": "decline"}),
    ("elicit_url", [("action", "accept")], {"action": "accept"}),
    ("sample", [("action", "reject")], REJECTED),
    ("sample", [("raw", '{"role": "user"}'), ("action", "answer")], {"role": "user"}),
    ("list_roots", [("roots", ""), ("action", "answer")], {"roots": []}),
    (
        "list_roots",
        [("roots", "file:///a My books\nfile:///b"), ("action", "answer")],
        {"roots": [{"uri": "file:///a", "name": "My books"}, {"uri": "file:///b"}]},
    ),
    ("list_roots", [("roots", "/a"), ("action", "force")], {"roots": [{"uri": "/a"}]}),
]


@pytest.mark.parametrize(("kind", "posted", "answer"), SETTLED)
def test_a_form_that_fits_is_the_answer_it_stands_for(
    kind: QuestionKind, posted: list[tuple[str, str]], answer: Any
) -> None:
    assert reply_to(question(kind), posted) == answer


@pytest.mark.parametrize(("action", "value"), [("yes", True), ("no", False)])
def test_yes_and_no_fill_the_only_property(action: str, value: bool) -> None:
    reply = reply_to(question(schema=ONE_BOOLEAN), [("action", action)])
    assert reply == {"action": "accept", "content": {"confirm": value}}


def test_a_text_for_the_model_becomes_a_whole_completion() -> None:
    reply = reply_to(question("sample"), [("text", "Dune"), ("raw", " "), ("action", "answer")])
    assert not isinstance(reply, Draft)
    assert reply["content"] == {"type": "text", "text": "Dune"}


DRAFTS: list[tuple[QuestionKind, list[tuple[str, str]], str]] = [
    ("elicit", [("field:nights", "99"), ("action", "accept")], "Nights"),
    ("elicit", [("raw", "{"), ("action", "accept")], "This is not JSON"),
    ("elicit", [("raw", "[1]"), ("action", "raw")], "An answer is a JSON object"),
    ("elicit", [("raw", " "), ("action", "raw")], "There is nothing to send yet"),
    ("sample", [("raw", "7"), ("action", "answer")], "An answer is a JSON object"),
    ("list_roots", [("roots", "/a Books"), ("action", "answer")], "begins with file://"),
]


@pytest.mark.parametrize(("kind", "posted", "sentence"), DRAFTS)
def test_a_form_that_does_not_fit_comes_back_with_a_sentence(
    kind: QuestionKind, posted: list[tuple[str, str]], sentence: str
) -> None:
    reply = reply_to(question(kind), posted)
    assert isinstance(reply, Draft)
    assert sentence in " ".join(filter(None, [*reply.errors.values(), reply.raw_error, reply.problem]))


@pytest.mark.parametrize(("kind", "posted", "sentence"), DRAFTS)
def test_what_was_typed_comes_back_with_it(kind: QuestionKind, posted: list[tuple[str, str]], sentence: str) -> None:
    reply = reply_to(question(kind), posted)
    assert isinstance(reply, Draft)
    for name, text in posted[:-1]:
        assert text in (reply.raw, reply.text, *reply.posted.get(name.removeprefix("field:"), ()))
