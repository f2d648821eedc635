"""The documents of `graph` and `call` as trees for people. Pure: a document in, something to print out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.text import Text
from rich.tree import Tree

from app.cli.terminal import harmless
from app.surveys import problem_lines
from resolver_runtime import events as ev
from resolver_runtime.graph import TOOL

_ASKS: Mapping[str, str] = {"elicit": "the user", "sample": "the LLM", "list_roots": "for the roots"}
_KINDS: Mapping[str, str] = {
    "elicit": "the user",
    "elicit_url": "the user to open an address",
    "sample": "the LLM",
    "list_roots": "for the roots",
}


def call_tree(document: Mapping[str, Any]) -> Tree:
    """A call: its rounds with what ran and what was asked, then how it ended."""
    arguments = ", ".join(f"{name}={_json(value)}" for name, value in document["arguments"].items())
    tree = Tree(
        _styled(f"{document['tool']}({arguments})", "bold") + _dim(f"  {document['era']}, {document['engine']}")
    )
    for each in document["rounds"]:
        _add_round(tree, each)
    _add_end(tree, document)
    return tree


def graph_trees(document: Mapping[str, Any]) -> Iterable[Tree]:
    """Each server with its tools, and under each tool what fills its parameters."""
    for server in document["servers"]:
        tree = Tree(_styled(server["name"], "bold"))
        for tool in server["tools"]:
            branch = tree.add(_styled(tool["name"], "bold cyan") + _dim(f"  {_first_line(tool['description'])}"))
            _add_inputs(branch, tool, TOOL, set())
        yield tree


def problems_text(problems: Sequence[Mapping[str, Any]]) -> Text:
    """Every problem: what and where, then what to do."""
    text = Text()
    for problem in problems:
        first, *others = problem_lines(problem)
        text.append_text(_styled(f"{first}\n", "red"))
        for line in others:
            text.append_text(harmless(f"  {line}\n"))
    return text


def output_line(event: ev.Event) -> Text | None:
    """What the module printed or logged, as one line; None for events that are no output."""
    match event:
        case ev.Printed(_, text):
            return harmless(text.removesuffix("\n"))
        case ev.Logged(level, logger, text):
            return _dim(f"{level.lower()} {logger}: {text}")
        case ev.ClientLogged(level, logger, data):
            return _dim(f"{level} {logger or 'server'}: {data if isinstance(data, str) else _json(data)}")
        case ev.Progressed(progress, total, message):
            return _dim(f"progress {progress:g}{'' if total is None else f' of {total:g}'} {message or ''}".rstrip())
        case ev.OutputDropped(lines):
            return _dim(f"{lines} lines dropped")
        case _:
            return None


def _add_round(tree: Tree, each: Mapping[str, Any]) -> None:
    branch = tree.add(f"Round {each['number']}")
    for key, runs in (each["runs"] or {}).items():
        branch.add(harmless(f"{key.partition(':')[2] or key} ran" + ("" if runs == 1 else f" {runs} times")))
    for question in each["questions"]:
        _add_question(branch, question)


def _add_question(branch: Tree, question: Mapping[str, Any]) -> None:
    who = question["resolver"] or question["key"] or "the tool"
    again = " again" if question["asked_before"] else ""
    message = question["request"].get("message")
    asked = branch.add(
        _styled(f"{who} asked {_KINDS[question['kind']]}{again}", "yellow")
        + harmless(f": {message}" if message else "")
    )
    if question["reason"]:
        asked.add(harmless(question["reason"]))
    answer = question["answer"]
    asked.add(_styled("no answer", "red") if answer is None else _styled(_answer(answer), "green"))


def _add_end(tree: Tree, document: Mapping[str, Any]) -> None:
    error, result = document["error"], document["result"]
    if error is not None:
        code = "" if error["code"] is None else f" {error['code']}"
        branch = tree.add(_styled(f"Error{code}: {error['message']}", "red"))
        if error["data"] is not None:
            branch.add(harmless(_json(error["data"])))
    if result is not None:
        failed = bool(result.get("isError"))
        branch = tree.add(_styled("Result, an error" if failed else "Result", "red" if failed else "green"))
        for block in result.get("content", ()):
            branch.add(harmless(block["text"] if block.get("type") == "text" else f"[{block.get('type')}]"))
    if document["unanswered"]:
        tree.add(_styled("No answer for: " + ", ".join(document["unanswered"]), "red"))
    _add_cause(tree, document["events"])


def _add_cause(tree: Tree, events: Sequence[Mapping[str, Any]]) -> None:
    """What was raised in the module: the client is told less."""
    for event in events:
        if event["type"] != ev.ToolFailed.type:
            continue
        failure = event["failure"]
        branch = tree.add(_styled(f"Raised: {failure['kind']}: {failure['message']}", "red"))
        for frame in failure["frames"]:
            if frame["user"]:
                branch.add(_dim(f"{frame['file']}:{frame['line']} in {frame['function']}: {frame['code']}"))


def _add_inputs(branch: Tree, tool: Mapping[str, Any], target: str, above: set[str]) -> None:
    nodes = {node["id"]: node for node in tool["nodes"]}
    for edge in tool["edges"]:
        if edge["to"] != target:
            continue
        node = nodes[edge["from"]]
        child = branch.add(harmless(f"{edge['parameter']} \N{LEFTWARDS ARROW} ") + _node(node, edge["receives"]))
        if node["id"] in above:
            child.add(_dim("as above"))
        elif node["kind"] == "resolver":
            above.add(node["id"])
            _add_inputs(child, tool, node["id"], above)


def _node(node: Mapping[str, Any], receives: str) -> Text:
    asks = " and ".join(_ASKS[ask] for ask in node["asks"])
    told = [node["kind"], f"may ask {asks}" if asks else "", "with the whole outcome" if receives == "outcome" else ""]
    return _styled(node["name"], "cyan") + _dim(f"  {', '.join(part for part in told if part)}")


def _answer(answer: Mapping[str, Any]) -> str:
    match answer:
        case {"error": {"message": message}}:
            return f"refused: {message}"
        case {"action": "accept", "content": content}:
            return f"accept {_json(content)}"
        case {"action": str(action)}:
            return action
        case {"content": {"text": str(text)}}:
            return text
        case _:
            return _json(answer)


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


def _styled(text: str, style: str) -> Text:
    shown = harmless(text)
    shown.stylize(style)
    return shown


def _dim(text: str) -> Text:
    return _styled(text, "dim")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
