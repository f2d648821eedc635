"""What a loaded module holds, as one JSON document: its servers, tools, schemas, graphs, problems and sources."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mcp.server.mcpserver.tools.base import Tool

from resolver_runtime.analysis import function_graph, tool_graph
from resolver_runtime.annotations import filled_by, hints_of, inner_type
from resolver_runtime.describe import annotation_text, location_of, name_of, short
from resolver_runtime.graph import CONTEXT, TOOL, Graph
from resolver_runtime.host.loading import Loaded, Server
from resolver_runtime.host.problem import Problem
from resolver_runtime.host.registration import BrokenTool
from resolver_runtime.rules import Refusal, Sources, Subject, findings_of

MAX_SOURCE = 256 * 1024
"""Bytes of a file that is shown; a larger one is generated, not written."""
MAX_SOURCES = 4 * 1024 * 1024
"""Characters of all of them: the document is one frame on the wire."""


def survey(module: str, loaded: Loaded, engine: str, note: str | None) -> dict[str, Any]:
    """The document; `note` says why the engine is another than was asked for."""
    served = not loaded.problems
    code = Sources()
    servers = [{**_server(one, loaded, code), "served": served} for one in loaded.servers]
    problems = [problem.to_json() for problem in loaded.problems]
    return {
        "module": module,
        "mcp": version("mcp"),
        "python": platform.python_version(),
        "engine": engine,
        "engine_note": note,
        "servers": servers,
        "problems": problems,
        "sources": _sources(servers, problems),
    }


def with_problem(document: Mapping[str, Any], problem: Problem) -> dict[str, Any]:
    """The document of a module that has one more problem, and so serves nothing."""
    servers = [{**server, "served": False} for server in document["servers"]]
    return {**document, "servers": servers, "problems": [*document["problems"], problem.to_json()]}


def _server(one: Server, loaded: Loaded, code: Sources) -> dict[str, Any]:
    manager = one.server._tool_manager
    tools = [_tool(tool, code) for tool in manager.list_tools()]
    tools += [_broken(broken, code) for broken in loaded.registry.broken if broken.manager is manager]
    return {"name": one.server.name, "variable": one.variable, "tools": tools}


def _tool(tool: Tool, code: Sources) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "input_schema": tool.parameters,
        "output_schema": tool.output_schema,
        **_drawn(tool.fn, tool_graph(tool)),
        **_checked(Subject.registered(tool, code)),
    }


def _broken(broken: BrokenTool, code: Sources) -> dict[str, Any]:
    function, problem = broken.function, broken.problem
    return {
        "name": broken.name,
        "title": None,
        "description": function.__doc__ or "",
        "input_schema": {"type": "object", "properties": {}},
        "output_schema": None,
        "broken": True,
        **_drawn(function, function_graph(function, broken.name)),
        **_checked(Subject.refused(broken.name, function, Refusal(problem.message, problem.hint), code)),
    }


def _checked(subject: Subject) -> dict[str, Any]:
    return {"findings": [finding.to_json() for finding in findings_of(subject)]}


def _drawn(function: Callable[..., Any], graph: Graph) -> dict[str, Any]:
    file, line = location_of(function)
    returns = hints_of(function).get("return")
    return {
        **graph.to_json(),
        "signature": _signature(function, graph),
        "returns": "" if returns is None else annotation_text(returns),
        "source": {"file": file, "line": line},
    }


def _signature(function: Callable[..., Any], graph: Graph) -> list[dict[str, Any]]:
    hints = hints_of(function)
    context = {edge.parameter for edge in graph.inputs(TOOL) if edge.source == CONTEXT}
    return [
        _parameter(parameter, hints.get(parameter.name, parameter.annotation), parameter.name in context)
        for parameter in inspect.signature(function).parameters.values()
    ]


def _parameter(parameter: inspect.Parameter, annotation: Any, is_context: bool) -> dict[str, Any]:
    filled = filled_by(annotation)
    kind = "context" if is_context else "argument" if filled is None else "resolver"
    return {
        "name": parameter.name,
        "annotation": "" if annotation is parameter.empty else annotation_text(inner_type(annotation)),
        "default": None if parameter.default is parameter.empty else short(parameter.default),
        "filled_by": None if filled is None else name_of(filled.marker.fn),
        "kind": kind,
    }


def _sources(servers: list[dict[str, Any]], problems: list[dict[str, Any]]) -> dict[str, str]:
    """The files that hold a node or a problem, as far as there is room."""
    nodes = [node["file"] for server in servers for tool in server["tools"] for node in tool["nodes"]]
    sources: dict[str, str] = {}
    room = MAX_SOURCES
    for file in dict.fromkeys(file for file in [*nodes, *(problem["file"] for problem in problems)] if file):
        text = _text(Path(file))
        if text is not None and len(text) <= room:
            sources[file] = text
            room -= len(text)
    return sources


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace") if path.stat().st_size <= MAX_SOURCE else None
    except (OSError, ValueError):  # a function made from a string has a file that is none
        return None
