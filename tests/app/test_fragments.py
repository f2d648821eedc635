"""What a page that follows a call is sent: the parts that changed, and no others."""

from __future__ import annotations

from app.calls import Recorded
from app.pages import Place, Result, Scene, lines, render, update
from app.view import CallView
from resolver_runtime import events as ev
from resolver_runtime.graph import TOOL, Edge, Graph, Node, resolver_id

ASKS = ("shop:first", "shop:second")
GRAPH = Graph(
    (*(Node(resolver_id(key), "resolver", key[5:], ("elicit",), key) for key in ASKS), Node(TOOL, "tool", "order")),
    tuple(Edge(resolver_id(key), TOOL, key[5:]) for key in ASKS),
)
SCENE = Scene(Place("0-shop", 0, "order"), {"type": "object", "properties": {}})
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
BEGIN: tuple[ev.Event, ...] = (
    ev.CallStarted("order", {}, "2026-07-28", (), "playground"),
    ev.RoundStarted(1),
    *(
        ev.QuestionAsked(f"q{n}", 1, key, key[5:], "elicit", {"message": "?", "requestedSchema": SCHEMA}, False, None)
        for n, key in enumerate(ASKS, start=1)
    ),
)


def view(*events: ev.Event) -> CallView:
    return CallView.of(GRAPH, "c1", [Recorded(n, 0.1, event) for n, event in enumerate(events, start=1)])


def between(before: tuple[ev.Event, ...], after: tuple[ev.Event, ...]) -> str:
    return update(SCENE.fragments(view(*before)), SCENE.fragments(view(*after)))


def test_nothing_is_sent_when_nothing_changed() -> None:
    assert between(BEGIN, BEGIN) == ""


def test_a_resolver_that_starts_changes_its_node_and_leaves_the_others() -> None:
    html = between(BEGIN[:2], (*BEGIN[:2], ev.ResolverStarted("resolver:shop:first", "shop:first")))
    assert 'id="node-resolver_3a_shop_3a_first"' in html
    assert 'id="node-resolver_3a_shop_3a_second"' not in html
    assert 'id="dialog"' not in html


def test_questions_open_the_dialog() -> None:
    assert "<dialog open" in between(BEGIN[:2], BEGIN)


def test_an_answer_to_one_question_leaves_the_other_and_the_dialog_in_place() -> None:
    html = between(BEGIN, (*BEGIN, ev.QuestionAnswered("q1", {"action": "decline"})))
    assert 'id="question-q1"' in html
    assert "1 of 2 settled" in html
    assert 'id="question-q2"' not in html
    assert "<dialog" not in html


def test_the_end_of_the_call_closes_the_dialog() -> None:
    html = between(BEGIN, (*BEGIN, ev.CallEnded("stopped")))
    assert 'id="dialog"' in html
    assert "<dialog" not in html


def test_lines_are_added_and_those_already_there_are_not_sent_again() -> None:
    call = view(*BEGIN, *(ev.Printed("stdout", f"line {n}") for n in (1, 2)))
    html = lines(call, 0, 1)
    assert "line 2" in html
    assert "line 1" not in html


def test_milestones_are_announced() -> None:
    assert "Two questions in round 1: first, second." in between(BEGIN[:2], BEGIN)
    assert "Call of order: Stopped." in between(BEGIN, (*BEGIN, ev.CallEnded("stopped")))


def test_values_that_are_equal_and_look_different_are_drawn_as_they_look() -> None:
    def drawn(value: object) -> str:
        end = ev.CallEnded("done", {"content": [], "structuredContent": value})
        return str(render(Result.of(view(*BEGIN[:2], end))))

    assert [">true<" in drawn(True), ">true<" in drawn(1), ">1.0<" in drawn(1.0)] == [True, False, True]
