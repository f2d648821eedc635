"""Asking the person at the terminal: what is shown, what is typed, what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from app.answers import REJECTED
from app.cli.asking import Person
from resolver_runtime.events import QuestionAsked, QuestionKind

pytestmark = pytest.mark.anyio

YES_NO = {"properties": {"confirm": {"type": "boolean", "title": "Order anyway"}}, "required": ["confirm"]}
FORM = {
    "properties": {
        "name": {"type": "string", "title": "Name"},
        "copies": {"type": "integer", "title": "Copies", "minimum": 1},
        "note": {"type": "string", "title": "Note"},
        "gift": {"type": "boolean", "title": "Gift", "default": False},
        "tags": {"type": "array", "title": "Tags", "items": {"enum": ["new", "used"]}},
    },
    "required": ["name", "copies"],
}


class Terminal:
    """Types these lines, one after the other, and keeps what was shown."""

    def __init__(self, typed: Iterable[str]) -> None:
        self._typed = iter(typed)
        self.shown: list[str] = []

    async def read(self, prompt: str) -> str | None:
        self.shown.append(prompt)
        return next(self._typed, None)


def question(kind: QuestionKind, request: Mapping[str, Any], reason: str | None = None) -> QuestionAsked:
    return QuestionAsked("q1", 1, "shop:ask", "ask", kind, request, reason is not None, reason)


async def answer(kind: QuestionKind, request: Mapping[str, Any], *typed: str) -> Mapping[str, Any] | None:
    terminal = Terminal(typed)
    return await Person(terminal.read, terminal.shown.append).answer(question(kind, request))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("y", {"action": "accept", "content": {"confirm": True}}),
        ("No", {"action": "accept", "content": {"confirm": False}}),
        ("d", {"action": "decline"}),
        ("cancel", {"action": "cancel"}),
    ],
)
async def test_a_required_boolean_takes_one_line_for_either(typed: str, expected: dict[str, Any]) -> None:
    assert await answer("elicit", {"message": "Sure?", "requestedSchema": YES_NO}, typed) == expected


async def test_a_choice_that_is_none_is_asked_for_again() -> None:
    assert await answer("elicit", {"requestedSchema": YES_NO}, "perhaps", "", "d") == {"action": "decline"}


async def test_a_form_is_filled_in_field_by_field() -> None:
    typed = ["a", "Ana", "3", "", "yes", "new, used"]
    assert await answer("elicit", {"requestedSchema": FORM}, *typed) == {
        "action": "accept",
        "content": {"name": "Ana", "copies": 3, "gift": True, "tags": ["new", "used"]},
    }


async def test_an_empty_line_takes_the_default_and_leaves_an_optional_field_out() -> None:
    given = await answer("elicit", {"requestedSchema": FORM}, "a", "Ana", "3", "", "", "")
    assert given == {"action": "accept", "content": {"name": "Ana", "copies": 3, "gift": False}}


async def test_only_the_fields_that_do_not_fit_are_asked_for_again_with_the_reason() -> None:
    terminal = Terminal(["a", "Ana", "zero", "", "", "", "2"])
    given = await Person(terminal.read, terminal.shown.append).answer(question("elicit", {"requestedSchema": FORM}))
    assert given is not None
    assert given["content"]["copies"] == 2
    assert "  Copies must be a whole number, such as 3." in terminal.shown
    assert sum(line.startswith("  Name") for line in terminal.shown) == 1


async def test_an_empty_form_is_accepted_with_empty_content() -> None:
    assert await answer("elicit", {"requestedSchema": {}}, "a") == {"action": "accept", "content": {}}


async def test_an_address_is_shown_and_not_filled_in() -> None:
    terminal = Terminal(["a"])
    request = {"mode": "url", "message": "Log in", "url": "https://example.org/login"}
    given = await Person(terminal.read, terminal.shown.append).answer(question("elicit_url", request))
    assert given == {"action": "accept"}
    assert "  Address to open: https://example.org/login" in terminal.shown


async def test_a_sampling_question_shows_its_messages_and_takes_a_text() -> None:
    terminal = Terminal(["a", "Dune"])
    request = {
        "systemPrompt": "Be brief.",
        "messages": [{"role": "user", "content": {"type": "text", "text": "Name a book"}}],
    }
    given = await Person(terminal.read, terminal.shown.append).answer(question("sample", request))
    assert given is not None
    assert given["content"] == {"type": "text", "text": "Dune"}
    assert "  system: Be brief." in terminal.shown
    assert "  user: Name a book" in terminal.shown


async def test_a_sampling_question_can_be_rejected() -> None:
    assert await answer("sample", {"messages": []}, "r") == REJECTED


async def test_roots_are_typed_until_an_empty_line() -> None:
    given = await answer("list_roots", {}, "file:///a", "file:///b", "")
    assert given == {"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]}


async def test_the_reason_of_a_question_asked_again_is_shown() -> None:
    terminal = Terminal(["d"])
    asked = question("elicit", {"message": "Sure?", "requestedSchema": YES_NO}, "The question was reworded.")
    await Person(terminal.read, terminal.shown.append).answer(asked)
    assert "  Asked again: The question was reworded." in terminal.shown


@pytest.mark.parametrize("kind", ["elicit", "elicit_url", "sample", "list_roots"])
async def test_nobody_at_the_terminal_is_no_answer(kind: QuestionKind) -> None:
    assert await answer(kind, {}) is None
