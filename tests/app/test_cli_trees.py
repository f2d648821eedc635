"""What people see: the trees of a graph and of a call, and text that must not steer their terminal."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console, RenderableType

from app.cli.terminal import harmless
from app.cli.trees import call_tree, graph_trees, output_line, problems_text
from resolver_runtime import events as ev


def shown(*things: RenderableType) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=200, highlight=False)
    for thing in things:
        console.print(thing)
    return [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]


def node(kind: str, name: str, *asks: str) -> dict[str, Any]:
    ids = {"argument": f"argument:{name}", "resolver": f"resolver:shop:{name}", "context": "context", "tool": "tool"}
    return {"id": ids[kind], "kind": kind, "name": name, "asks": list(asks)}


def edge(source: str, target: str, parameter: str, receives: str = "value") -> dict[str, str]:
    return {"from": source, "to": target, "parameter": parameter, "receives": receives}


def test_a_graph_is_a_tree_of_what_fills_each_parameter() -> None:
    tool = {
        "name": "order",
        "description": "Orders a book.\nMore.",
        "nodes": [
            node("argument", "title"),
            node("context", "Context"),
            node("resolver", "stock"),
            node("resolver", "confirm", "elicit"),
            node("tool", "order"),
        ],
        "edges": [
            edge("argument:title", "resolver:shop:stock", "title"),
            edge("context", "resolver:shop:stock", "ctx"),
            edge("resolver:shop:stock", "resolver:shop:confirm", "stock"),
            edge("resolver:shop:stock", "tool", "copies"),
            edge("resolver:shop:confirm", "tool", "answer", "outcome"),
        ],
    }
    document = {"servers": [{"name": "Shop", "tools": [tool]}]}
    assert shown(*graph_trees(document)) == [
        "Shop",
        "└── order  Orders a book.",
        "    ├── copies ← stock  resolver",
        "    │   ├── title ← title  argument",
        "    │   └── ctx ← Context  context",
        "    └── answer ← confirm  resolver, may ask the user, with the whole outcome",
        "        └── stock ← stock  resolver",
        "            └── as above",
    ]


def question(**changes: Any) -> dict[str, Any]:
    return {
        "key": "shop:confirm",
        "resolver": "confirm",
        "kind": "elicit",
        "request": {"message": "Sure?"},
        "answer": {"action": "accept", "content": {"yes": True}},
        "asked_before": False,
        "reason": None,
        **changes,
    }


def call(**changes: Any) -> dict[str, Any]:
    return {
        "era": "2026-07-28",
        "engine": "playground",
        "tool": "order",
        "arguments": {"title": "Dune"},
        "rounds": [],
        "result": None,
        "error": None,
        "unanswered": [],
        "events": [],
        **changes,
    }


def test_a_call_is_a_tree_of_rounds_runs_questions_and_the_result() -> None:
    rounds = [
        {"number": 1, "runs": {"shop:stock": 1, "shop:confirm": 2}, "questions": [question()]},
        {"number": 2, "runs": None, "questions": []},
    ]
    result = {"content": [{"type": "text", "text": "Ordered."}, {"type": "image", "data": ""}], "isError": False}
    assert shown(call_tree(call(rounds=rounds, result=result))) == [
        'order(title="Dune")  2026-07-28, playground',
        "├── Round 1",
        "│   ├── stock ran",
        "│   ├── confirm ran 2 times",
        "│   └── confirm asked the user: Sure?",
        '│       └── accept {"yes": true}',
        "├── Round 2",
        "└── Result",
        "    ├── Ordered.",
        "    └── [image]",
    ]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"asked_before": True}, "confirm asked the user again: Sure?"),
        ({"reason": "It was reworded."}, "It was reworded."),
        ({"resolver": None, "key": None}, "the tool asked the user: Sure?"),
        ({"kind": "sample", "request": {}}, "confirm asked the LLM"),
        ({"answer": None}, "no answer"),
        ({"answer": {"action": "decline"}}, "decline"),
        ({"answer": {"error": {"code": -1, "message": "Not now"}}}, "refused: Not now"),
        ({"answer": {"content": {"type": "text", "text": "Dune"}, "role": "assistant"}}, "Dune"),
        ({"answer": {"roots": []}}, '{"roots": []}'),
    ],
)
def test_a_question_says_who_asked_whom_and_what_was_answered(changes: dict[str, Any], line: str) -> None:
    rounds = [{"number": 1, "runs": {}, "questions": [question(**changes)]}]
    assert any(each.endswith(f" {line}") for each in shown(call_tree(call(rounds=rounds))))


def test_an_error_shows_its_code_its_text_and_its_data() -> None:
    error = {"code": -32021, "message": "Missing", "data": {"requiredCapabilities": {}}}
    assert shown(call_tree(call(error=error)))[1:] == [
        "└── Error -32021: Missing",
        '    └── {"requiredCapabilities": {}}',
    ]


def test_what_was_raised_in_the_module_is_shown_with_the_users_lines() -> None:
    frames = [
        {"file": "lib.py", "line": 1, "function": "run", "code": "fn()", "user": False},
        {"file": "shop.py", "line": 7, "function": "stock", "code": "return SHELF[title]", "user": True},
    ]
    failure = {"kind": "KeyError", "message": "'Emma'", "frames": frames, "cause": None}
    events = [{"type": "tool_failed", "phase": "resolvers", "failure": failure}]
    assert shown(call_tree(call(events=events)))[1:] == [
        "└── Raised: KeyError: 'Emma'",
        "    └── shop.py:7 in stock: return SHELF[title]",
    ]


def test_a_problem_says_what_and_where_and_then_what_to_do() -> None:
    problem = {"code": "cycle", "message": "a needs b needs a", "file": "shop.py", "line": 3, "hint": "Break it."}
    assert shown(problems_text([problem])) == ["cycle: a needs b needs a (shop.py:3)", "  Break it."]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (ev.Printed("stdout", "hello\n"), "hello"),
        (ev.Logged("WARNING", "shop", "low stock"), "warning shop: low stock"),
        (ev.ClientLogged("info", None, {"a": 1}), 'info server: {"a": 1}'),
        (ev.Progressed(1, 4, "begun"), "progress 1 of 4 begun"),
        (ev.Progressed(1, None, None), "progress 1"),
        (ev.OutputDropped(3), "3 lines dropped"),
    ],
)
def test_output_of_the_module_is_one_line(event: ev.Event, line: str) -> None:
    text = output_line(event)
    assert text is not None
    assert text.plain == line


def test_events_that_are_no_output_are_no_line() -> None:
    assert output_line(ev.ToolStarted()) is None


@pytest.mark.parametrize("text", ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "a\rb", "\u202e"])
def test_text_of_a_module_cannot_steer_the_terminal(text: str) -> None:
    assert harmless(text).plain.isprintable()


def test_text_of_a_module_is_not_read_as_markup() -> None:
    assert shown(harmless("[red]x[/red] [link=x]")) == ["[red]x[/red] [link=x]"]
