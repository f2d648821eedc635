"""Written answers: which one goes to which question."""

from __future__ import annotations

from typing import Any

import pytest

from app.answers import Answers, AnswersError
from resolver_runtime.events import QuestionAsked, QuestionKind

ACCEPT = {"action": "accept", "content": {"confirm": True}}
DECLINE = {"action": "decline"}
NODES: list[dict[str, Any]] = [
    {"key": "shop:confirm", "name": "confirm"},
    {"key": "shop:pick", "name": "pick"},
    {"key": "shop:pick#1", "name": "pick"},
    {"key": None, "name": "title"},
]


def asked(key: str | None = "shop:confirm", kind: QuestionKind = "elicit") -> QuestionAsked:
    return QuestionAsked("q1", 1, key, None, kind, {}, False, None)


@pytest.mark.parametrize("name", ["confirm", "shop:confirm"])
def test_an_answer_is_found_by_name_and_by_wire_key(name: str) -> None:
    assert Answers({name: ACCEPT}, NODES).next_for(asked()) == ACCEPT


def test_a_single_answer_answers_each_time() -> None:
    answers = Answers({"confirm": ACCEPT}, NODES)
    assert [answers.next_for(asked()) for _ in range(3)] == [ACCEPT] * 3


def test_a_list_is_used_in_order_and_runs_out() -> None:
    answers = Answers({"confirm": [ACCEPT, DECLINE]}, NODES)
    assert [answers.next_for(asked()) for _ in range(3)] == [ACCEPT, DECLINE, None]


def test_a_question_without_a_name_in_the_answers_has_none() -> None:
    assert Answers({"confirm": ACCEPT}, NODES).next_for(asked("shop:pick")) is None


def test_a_name_that_two_resolvers_share_is_refused_with_their_keys() -> None:
    with pytest.raises(AnswersError, match="shop:pick, shop:pick#1"):
        Answers({"pick": ACCEPT}, NODES)


def test_resolvers_that_share_a_name_are_told_apart_by_key() -> None:
    answers = Answers({"shop:pick": ACCEPT, "shop:pick#1": DECLINE}, NODES)
    assert answers.next_for(asked("shop:pick#1")) == DECLINE


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("elicit", "elicitation/create"),
        ("elicit_url", "elicitation/create"),
        ("sample", "sampling/createMessage"),
        ("list_roots", "roots/list"),
    ],
)
def test_a_question_of_the_body_is_named_by_its_wire_method(kind: QuestionKind, method: str) -> None:
    assert Answers({method: DECLINE}, NODES).next_for(asked(None, kind)) == DECLINE


def test_a_wire_method_answers_no_resolver() -> None:
    assert Answers({"elicitation/create": DECLINE}, NODES).next_for(asked()) is None


def test_a_text_for_sampling_becomes_a_completion() -> None:
    answer = Answers({"confirm": {"text": "Dune"}}, NODES).next_for(asked(kind="sample"))
    assert answer == {
        "role": "assistant",
        "content": {"type": "text", "text": "Dune"},
        "model": "playground",
        "stopReason": "endTurn",
    }


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"text": "Dune"}, "elicit"),
        ({"role": "assistant", "content": {"type": "text", "text": "Dune"}, "model": "m"}, "sample"),
        ({"roots": []}, "elicit"),
        ({"error": {"code": -1, "message": "no"}}, "sample"),
    ],
)
def test_any_other_answer_is_sent_as_written(answer: dict[str, Any], kind: QuestionKind) -> None:
    assert Answers({"confirm": answer}, NODES).next_for(asked(kind=kind)) == answer


@pytest.mark.parametrize("answer", ["yes", 5, None, ["yes"], [[ACCEPT]]])
def test_an_answer_that_is_no_object_is_refused(answer: Any) -> None:
    with pytest.raises(AnswersError, match="Write an object"):
        Answers({"confirm": answer}, NODES)


def test_a_name_that_no_resolver_has_is_remembered_and_harmless() -> None:
    answers = Answers({"confrim": ACCEPT}, NODES)
    assert answers.unknown == ["confrim"]
    assert answers.next_for(asked()) is None
