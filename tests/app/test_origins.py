"""Whose value a node holds, as the page says it: in a call, under the node, and in its panel."""

from __future__ import annotations

import html
import re
from itertools import count
from pathlib import Path
from typing import get_args

import pytest

from app import pages
from app.calls import Recorded
from app.pages import Place, render
from app.pages.origins import caption_of, provenance_in
from app.provenance import Origin, Origins
from app.view import CallView, NodeState
from resolver_runtime import events as ev
from resolver_runtime.graph import CONTEXT, TOOL, Edge, Graph, Node, argument_id, resolver_id

PLACE = Place("0-shop", 0, "order")
RULES = (Path(__file__).parents[2] / "docs" / "provenance.md").read_text()
TITLE, STOCK, CONFIRM = argument_id("title"), resolver_id("stock"), resolver_id("confirm")
SHOP = Graph(
    (
        Node(TITLE, "argument", "title"),
        Node(CONTEXT, "context", "Context"),
        Node(STOCK, "resolver", "check_stock", (), "stock"),
        Node(CONFIRM, "resolver", "confirm", ("elicit",), "confirm"),
        Node(TOOL, "tool", "order"),
    ),
    (
        Edge(TITLE, STOCK, "title"),
        Edge(STOCK, CONFIRM, "stock"),
        Edge(STOCK, TOOL, "price"),
        Edge(CONFIRM, TOOL, "word", "outcome"),
        Edge(CONTEXT, TOOL, "ctx"),
    ),
)

STARTED = (
    ev.CallStarted("order", {"title": "Dune"}, "2026-07-28", (), "playground"),
    ev.RoundStarted(1),
    ev.ArgumentsValidated({"title": "'Dune'"}),
    ev.ResolverStarted(STOCK, "stock"),
    ev.ResolverReturned(STOCK, "stock", "7", 0.001),
)
FAILURE = ev.Failure("KeyError", "'Dune'")


def asked(kind: ev.QuestionKind = "elicit") -> ev.Event:
    return ev.QuestionAsked("q1", 1, "confirm", "confirm", kind, {}, False, None)


def second_round(outcome: ev.Event, kind: ev.QuestionKind = "elicit") -> tuple[ev.Event, ...]:
    answer = ev.QuestionAnswered("q1", {"action": "accept"})
    again = ev.ResolverReturned(STOCK, "stock", "7", 0.001)
    return asked(kind), answer, ev.RoundStarted(2), ev.ArgumentsValidated({"title": "'Dune'"}), again, outcome


def answered(action: ev.Action, kind: ev.QuestionKind = "elicit") -> tuple[ev.Event, ...]:
    return second_round(ev.OutcomeAnswered(CONFIRM, "confirm", action, None), kind)


def view(*events: ev.Event) -> CallView:
    numbers = count(1)
    return CallView.of(SHOP, "c1", [Recorded(next(numbers), 0.1, event) for event in (*STARTED, *events)])


REUSED = ev.ResolverReused(CONFIRM, "confirm", TOOL, "word")
RETURNED = ev.ResolverReturned(CONFIRM, "confirm", "True", 0.1)
STATES: dict[NodeState, tuple[CallView, Origins]] = {
    "idle": (view(), ("person", "server")),
    "running": (view(ev.ResolverStarted(CONFIRM, "confirm")), ("person", "server")),
    "waiting": (view(asked()), ("person",)),
    "answered": (view(*answered("accept")), ("person",)),
    "restored": (view(*second_round(ev.OutcomeRestored(CONFIRM, "confirm", "accept", "True"))), ("person",)),
    "declined": (view(*answered("decline")), ("person",)),
    "cancelled": (view(*answered("cancel")), ("person",)),
    "done": (view(RETURNED), ("server",)),
    "reused": (view(RETURNED, REUSED), ("server",)),
    "failed": (view(ev.ResolverFailed(CONFIRM, "confirm", FAILURE)), ()),
    "not_reached": (view(ev.NodeNotReached(CONFIRM, "Another question is open.")), ()),
}


@pytest.mark.parametrize("state", STATES)
def test_who_supplied_a_value_follows_from_the_nodes_state(state: NodeState) -> None:
    call, supplied = STATES[state]
    assert call.nodes[CONFIRM].state == state
    assert provenance_in(call)[CONFIRM].supplied == supplied


def test_the_page_on_the_rules_names_every_state_once() -> None:
    table = RULES.split("## In a call\n")[1].split("\n## ")[0]
    named = [
        word.strip().replace(" ", "_")
        for row in re.findall(r"^\| ([a-z, ]+) \| (?!got)", table, re.MULTILINE)
        for word in row.split(",")
    ]
    assert sorted(named) == sorted(get_args(NodeState)) == sorted(STATES)


@pytest.mark.parametrize(
    ("kind", "origin"), [("elicit", "person"), ("elicit_url", "person"), ("sample", "llm"), ("list_roots", "client")]
)
def test_an_answer_is_of_whoever_was_asked_whatever_the_annotation_says(kind: ev.QuestionKind, origin: Origin) -> None:
    for call in (view(asked(kind)), view(*answered("accept", kind))):
        assert provenance_in(call)[CONFIRM].supplied == (origin,)


def test_of_an_answer_whose_question_nobody_told_the_annotation_counts() -> None:
    call = view(ev.OutcomeAnswered(CONFIRM, "confirm", "accept", "True"))
    assert provenance_in(call)[CONFIRM].supplied == ("person", "server")


def test_a_question_that_was_not_asked_takes_its_person_out() -> None:
    done = ev.ToolStarted(), ev.ToolReturned("'Ordered'", 0.1)
    assert provenance_in(view(RETURNED, *done))[TOOL].influenced == ("model", "client")
    assert provenance_in(view(*answered("decline"), *done))[TOOL].influenced == ("person", "model", "client")


def test_an_argument_left_out_is_the_servers_and_influenced_by_the_model() -> None:
    call = view()
    call.arguments = {}
    assert caption_of(provenance_in(call)[TITLE]) == caption_of(provenance_in(call)[STOCK])
    assert provenance_in(call)[TITLE].supplied == ("server",)
    assert text_of(render(pages.NodePanel.of(call, TITLE))).endswith(
        "Supplied by server, by its default Influenced by model, by leaving it out"
    )


def test_in_a_broken_graph_the_members_of_a_cycle_and_the_tool_have_no_value() -> None:
    nodes = (Node("resolver:a", "resolver", "a"), Node("resolver:b", "resolver", "b"), Node(TOOL, "tool", "order"))
    edges = (
        Edge("resolver:a", "resolver:b", "x"),
        Edge("resolver:b", "resolver:a", "y"),
        Edge("resolver:b", TOOL, "b"),
    )
    assert {whose.supplied for whose in provenance_in(CallView.idle(Graph(nodes, edges))).values()} == {()}


def captions(call: CallView) -> dict[str, str | None]:
    return {card.node.name: card.caption.text if card.caption else None for card in pages.cards_of(call, PLACE)}


def test_a_caption_stands_under_each_node_before_the_call_and_in_it() -> None:
    assert captions(CallView.idle(SHOP)) == {
        "title": "supplied by the model",
        "Context": "supplied by the server, influenced by the client",
        "check_stock": "supplied by the server, influenced by the model",
        "confirm": "supplied by the person or the server, influenced by the model",
        "order": "supplied by the server, influenced by the person, the model and the client",
    }
    assert captions(view(asked()))["confirm"] == "supplied by the person, influenced by the model and the server"
    assert captions(view(ev.ResolverFailed(CONFIRM, "confirm", FAILURE)))["confirm"] is None


def test_a_caption_has_an_icon_for_each_and_the_word_of_a_single_supplier() -> None:
    cards = {card.node.name: render(card) for card in pages.cards_of(CallView.idle(SHOP), PLACE)}
    marks = {name: re.search(r'role="img".*?>(.*?)</span>\s*</span>', card, re.DOTALL) for name, card in cards.items()}
    drawn = {
        name: re.sub(r'<svg[^>]*><use href="#i-(\w+)"/></svg>', r"[\1]", mark[1])
        for name, mark in marks.items()
        if mark
    }
    assert {
        name: re.sub(r"</?span>", "", mark).replace("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "<")
        for name, mark in drawn.items()
    } == {
        "title": "[model]model",
        "Context": "[server]server<[client]",
        "check_stock": "[server]server<[model]",
        "confirm": "[person] or [server]<[model]",
        "order": "[server]server<[person][model][client]",
    }


def test_card_and_row_of_a_node_are_described_by_the_same_words() -> None:
    drawn = render(pages.GraphPane.of(CallView.idle(SHOP), PLACE))
    for text in filter(None, captions(CallView.idle(SHOP)).values()):
        assert drawn.count(f'aria-description="{text}"') == 2


def text_of(drawn: str) -> str:
    return " ".join(html.unescape(re.sub(r"<(?!/?code)[^>]*>", " ", drawn)).split()).replace(" ,", ",")


SENTENCES = {
    "price": "supplied by the server; the model influences it through <code>title</code>",
    "word": "supplied by the person or the server; the model influences it through <code>title</code>",
    "ctx": "supplied by the server; the client influences it through its headers",
}


def test_the_panel_of_the_tool_says_of_each_parameter_who_could_have_shaped_it() -> None:
    panel = text_of(render(pages.NodePanel.of(CallView.idle(SHOP), TOOL)))
    assert {name: name in panel and sentence in panel for name, sentence in SENTENCES.items()} == dict.fromkeys(
        SENTENCES, True
    )


def test_the_panel_of_an_answered_question_says_who_and_how() -> None:
    panel = text_of(render(pages.NodePanel.of(view(*answered("accept")), CONFIRM)))
    assert "Supplied by person, by answering" in panel
    assert "Influenced by model, through <code>title</code>" in panel
    assert "server, by writing the question and through <code>check_stock</code>" in panel


def test_a_value_that_never_was_is_nobodys() -> None:
    panel = text_of(render(pages.NodePanel.of(view(ev.ResolverFailed(CONFIRM, "confirm", FAILURE)), CONFIRM)))
    assert "Supplied by" not in panel
    assert "Influenced by" not in panel


@pytest.mark.parametrize(
    ("number", "named"),
    [(1, "r0"), (2, "r0 and r1"), (3, "r0, r1 and r2"), (4, "r0, r1, r2 and 1 more"), (9, "r0, r1, r2 and 6 more")],
)
def test_of_many_ways_a_sentence_names_three_and_counts_the_rest(number: int, named: str) -> None:
    nodes = [Node(resolver_id(f"r{n}"), "resolver", f"r{n}", ("elicit",), f"r{n}") for n in range(number)]
    edges = [Edge(node.id, TOOL, node.name) for node in nodes]
    graph = Graph((*nodes, Node(TOOL, "tool", "order")), tuple(edges))
    panel = text_of(render(pages.NodePanel.of(CallView.idle(graph), TOOL)))
    assert f"Influenced by person, through {named}" in re.sub(r"</?code>", "", panel)
