"""The documents of `graph`, `check` and `call`, and the page that lists the events in them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from app.calls import CallLog
from app.documents import call_document, check_document, graph_document
from resolver_runtime import events as ev
from resolver_runtime.graph import TOOL, Edge, Graph, Node, argument_id, resolver_id

START = ev.CallStarted("decide", {"n": 1}, "2026-07-28", ("roots",), "playground")
EVENTS_PAGE = Path(__file__).parents[2] / "docs" / "events.md"


def asked(question: str, key: str | None = "shop:ask", kind: ev.QuestionKind = "elicit") -> ev.QuestionAsked:
    return ev.QuestionAsked(question, 1, key, "ask", kind, {"message": "Sure?"}, False, None)


def document(*events: ev.Event, start: ev.CallStarted = START) -> dict[str, Any]:
    log = CallLog()
    for event in (start, *events):
        log.append(event, 0.0)
    return call_document(start, log.records())


def test_a_call_document_has_the_fields_of_the_contract() -> None:
    result = {"content": [], "isError": False}
    made = document(ev.RoundStarted(1), ev.RoundEnded(1), ev.CallEnded("done", result))
    assert {name: value for name, value in made.items() if name != "events"} == {
        "era": "2026-07-28",
        "engine": "playground",
        "tool": "decide",
        "arguments": {"n": 1},
        "rounds": [{"number": 1, "runs": {}, "questions": []}],
        "result": result,
        "error": None,
        "unanswered": [],
    }


def test_runs_are_counted_per_round_and_wire_key() -> None:
    run = ev.ResolverStarted("resolver:shop:ask", "shop:ask")
    made = document(ev.RoundStarted(1), run, run, ev.RoundStarted(2), run)
    assert [each["runs"] for each in made["rounds"]] == [{"shop:ask": 2}, {"shop:ask": 1}]


def test_runs_are_null_when_the_sdks_executor_does_not_tell() -> None:
    start = ev.CallStarted("decide", {}, "2026-07-28", (), "sdk")
    assert document(ev.RoundStarted(1), start=start)["rounds"][0]["runs"] is None


def test_a_question_stands_in_its_round_with_its_answer() -> None:
    made = document(ev.RoundStarted(1), asked("q1"), ev.QuestionAnswered("q1", {"action": "decline"}))
    assert made["rounds"][0]["questions"] == [
        {
            "key": "shop:ask",
            "resolver": "ask",
            "kind": "elicit",
            "request": {"message": "Sure?"},
            "answer": {"action": "decline"},
            "asked_before": False,
            "reason": None,
        }
    ]


def test_a_reopened_question_has_no_answer() -> None:
    made = document(
        ev.RoundStarted(1), asked("q1"), ev.QuestionAnswered("q1", {"action": "decline"}), ev.QuestionReopened("q1")
    )
    assert made["rounds"][0]["questions"][0]["answer"] is None


def test_questions_left_open_are_listed_by_key_or_by_wire_method() -> None:
    made = document(ev.RoundStarted(1), asked("q1"), asked("q2", None, "list_roots"), ev.CallEnded("unanswered"))
    assert made["unanswered"] == ["shop:ask", "roots/list"]


def test_the_events_are_the_records_of_the_call() -> None:
    assert document(ev.RoundStarted(1))["events"][1] == {"seq": 2, "at": 0.0, "type": "round_started", "number": 1}


def test_a_call_document_is_json() -> None:
    made = json.loads(json.dumps(document(ev.RoundStarted(1), asked("q1"), ev.CallEnded("unanswered"))))
    assert made["events"][0]["capabilities"] == ["roots"]


def survey() -> dict[str, Any]:
    tool: dict[str, Any] = {
        "name": "decide",
        "title": None,
        "description": "Decides.",
        "input_schema": {},
        "output_schema": None,
        "nodes": [],
        "edges": [],
        "signature": [],
        "findings": [{"code": "RP001", "tool": "decide"}],
    }
    about = {"code": "c", "message": "m"}
    problems = [{**about, "tool": None}, {**about, "tool": "decide"}, {**about, "tool": "other"}]
    servers = [{"name": "shop", "variable": "mcp", "tools": [tool, {**tool, "name": "other"}]}]
    return {"module": "shop.py", "mcp": "2.3.0", "servers": servers, "problems": problems, "sources": {}}


def test_a_graph_document_holds_what_the_contract_names_and_no_more() -> None:
    made = graph_document(survey())
    assert set(made) == {"module", "servers", "problems"}
    assert set(made["servers"][0]) == {"name", "tools"}
    assert set(made["servers"][0]["tools"][0]) == {
        "name", "description", "input_schema", "output_schema", "nodes", "edges",
    }  # fmt: skip


def test_a_node_of_a_graph_document_says_whose_its_value_is_before_any_call() -> None:
    ask = Node(resolver_id("shop:ask"), "resolver", "ask", ("elicit",), "shop:ask", plain_value=True)
    graph = Graph(
        (Node(argument_id("n"), "argument", "n"), ask, Node(TOOL, "tool", "decide")),
        (Edge(argument_id("n"), ask.id, "n"), Edge(ask.id, TOOL, "sure")),
    )
    surveyed = survey()
    surveyed["servers"][0]["tools"][0] |= graph.to_json()
    nodes = graph_document(surveyed, "decide")["servers"][0]["tools"][0]["nodes"]
    assert {node["id"]: (node["supplied_by"], node["influenced_by"]) for node in nodes} == {
        argument_id("n"): (["model"], []),
        ask.id: (["person", "server"], ["model"]),
        TOOL: (["server"], ["person", "model"]),
    }
    assert set(nodes[0]) == {
        "id", "kind", "name", "asks", "key", "file", "line", "signature", "returns", "supplied_by", "influenced_by",
    }  # fmt: skip


def test_a_graph_document_of_one_tool_holds_its_problems_and_those_of_the_module() -> None:
    made = graph_document(survey(), "decide")
    assert [tool["name"] for tool in made["servers"][0]["tools"]] == ["decide"]
    assert [problem["tool"] for problem in made["problems"]] == [None, "decide"]


def test_a_check_document_holds_what_stops_the_module_and_what_was_found_about_its_tools() -> None:
    found = survey()
    found["servers"][0]["tools"][0]["broken"] = True
    found["problems"] = [{**one, "hint": "h", "file": "f", "line": 1} for one in found["problems"][:2]]
    made = check_document(found)
    assert made == {
        "module": "shop.py",
        "findings": [
            {
                "code": "RP007",
                "severity": "error",
                "message": "m",
                "hint": "h",
                "tool": None,
                "file": "f",
                "line": 1,
                "column": None,
                "related": [],
            },
            {"code": "RP001", "tool": "decide"},
            {"code": "RP001", "tool": "decide"},
        ],
    }


@pytest.mark.parametrize("kind", sorted(ev.EVENT_CLASSES))
def test_the_page_on_events_lists_each_type_with_its_fields(kind: str) -> None:
    rows = [line for line in EVENTS_PAGE.read_text().splitlines() if line.startswith(f"| `{kind}` ")]
    assert len(rows) == 1
    named = [name.strip(" `") for name in rows[0].split("|")[2].split(",") if name.strip()]
    assert named == [field.name for field in dataclasses.fields(ev.EVENT_CLASSES[kind])]
