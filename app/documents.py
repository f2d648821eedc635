"""The JSON documents of `graph`, `check` and `call`, the same on the command line and over HTTP.

Pure: a survey or a call's records in, a dictionary out. The shapes are a contract; nothing leaves it but by decision.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.answers import WIRE_METHODS
from app.calls import Recorded
from app.provenance import provenance_of
from resolver_runtime import events as ev
from resolver_runtime.graph import Graph

NOT_LOADED = "RP007"
"""The code of what keeps a module from being loaded; all others are the rules' own."""

_TOOL_FIELDS = ("name", "description", "input_schema", "output_schema", "edges")


def json_of(document: Mapping[str, Any], indent: int | None = None) -> str:
    """The document as a text of ASCII alone. What JSON has no word for, NaN and the infinities, becomes null."""
    try:
        return json.dumps(document, indent=indent, allow_nan=False)
    except ValueError:
        finite = json.loads(json.dumps(document), parse_constant=lambda _: None)
        return json.dumps(finite, indent=indent)


def graph_document(survey: Mapping[str, Any], tool: str | None = None) -> dict[str, Any]:
    """The document of `graph`: of every tool, or of those called `tool` with the problems that concern them."""
    servers = [
        {
            "name": server["name"],
            "tools": [_tool(entry) for entry in server["tools"] if tool is None or entry["name"] == tool],
        }
        for server in survey["servers"]
    ]
    problems = [problem for problem in survey["problems"] if tool is None or problem["tool"] in (None, tool)]
    return {"module": survey["module"], "servers": servers, "problems": problems}


def check_document(survey: Mapping[str, Any]) -> dict[str, Any]:
    """The document of `check`: what stops the whole module, then what the rules found about each of its tools."""
    tools = [tool for server in survey["servers"] for tool in server["tools"]]
    of_tools = {tool["name"] for tool in tools if tool.get("broken")}
    stopping = [_stopping(problem) for problem in survey["problems"] if problem["tool"] not in of_tools]
    return {"module": survey["module"], "findings": [*stopping, *(one for tool in tools for one in tool["findings"])]}


def _stopping(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A problem that no rule is about, because there is nothing that a rule could look at."""
    return {**problem, "code": NOT_LOADED, "severity": "error", "column": None, "related": []}


def _tool(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {**{field: entry[field] for field in _TOOL_FIELDS}, "nodes": list(_nodes(Graph.from_json(entry)))}


def _nodes(graph: Graph) -> Iterator[dict[str, Any]]:
    """Each node as it was surveyed, with its provenance for what that follows from."""
    provenance = provenance_of(graph)
    for node in graph.nodes:
        fields = node.to_json()
        del fields["plain_value"]
        whose = provenance[node.id]
        yield {**fields, "supplied_by": list(whose.supplied), "influenced_by": list(whose.influenced)}


def error_json(message: str, data: Any = None) -> dict[str, Any]:
    """An error that is none of the protocol's: its code is null."""
    return {"code": None, "message": message, "data": data}


def call_document(start: ev.CallStarted, records: Iterable[Recorded]) -> dict[str, Any]:
    """The document of `call`, of as much as has been recorded."""
    fold = _Fold(start)
    for record in records:
        fold.apply(record)
    return fold.document


class _Fold:
    def __init__(self, start: ev.CallStarted) -> None:
        self._questions: dict[str, dict[str, Any]] = {}
        self._blind = start.engine == "sdk"
        self.document: dict[str, Any] = {
            "era": start.era,
            "engine": start.engine,
            "tool": start.tool,
            "arguments": dict(start.arguments),
            "rounds": [],
            "result": None,
            "error": None,
            "unanswered": [],
            "events": [],
        }

    def apply(self, record: Recorded) -> None:
        self.document["events"].append(record.to_json())
        match record.event:
            case ev.RoundStarted(number):
                self.document["rounds"].append({"number": number, "runs": None if self._blind else {}, "questions": []})
            case ev.ResolverStarted(key=key):
                self._count(key)
            case ev.QuestionAsked():
                self._ask(record.event)
            case ev.QuestionAnswered(question, answer):
                self._questions[question]["answer"] = dict(answer)
            case ev.QuestionReopened(question):
                self._questions[question]["answer"] = None
            case ev.CallEnded():
                self._end(record.event)
            case _:
                pass

    def _count(self, key: str) -> None:
        if not self.document["rounds"]:
            return
        current = self.document["rounds"][-1]
        current["runs"] = current["runs"] or {}
        current["runs"][key] = current["runs"].get(key, 0) + 1

    def _ask(self, asked: ev.QuestionAsked) -> None:
        self._questions[asked.id] = question = {
            "key": asked.key,
            "resolver": asked.resolver,
            "kind": asked.kind,
            "request": dict(asked.request),
            "answer": None,
            "asked_before": asked.asked_before,
            "reason": asked.reason,
        }
        self.document["rounds"][-1]["questions"].append(question)

    def _end(self, end: ev.CallEnded) -> None:
        self.document["result"] = None if end.result is None else dict(end.result)
        self.document["error"] = None if end.error is None else dict(end.error)
        self.document["unanswered"] = [
            question["key"] or WIRE_METHODS[question["kind"]]
            for question in self._questions.values()
            if question["answer"] is None
        ]
