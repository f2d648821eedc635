"""Contexts of what a module holds: tools, signature, problems; and of the simulated client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, ClassVar, Protocol

from app.headers import headers_text
from app.layout import draw
from app.pages import words
from app.pages.naming import Place, dom_id
from app.pages.words import Mark
from resolver_runtime.graph import Graph


@dataclass(frozen=True, slots=True)
class ToolLink:
    """One link of the navigation; `asks` are marks of whom its resolvers may ask."""

    id: str
    name: str
    summary: str
    href: str
    current: bool
    asks: tuple[Mark, ...]
    broken: bool


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """The tools of one server; `name` is shown where a module holds several."""

    name: str
    tools: tuple[ToolLink, ...]


@dataclass(frozen=True, slots=True)
class Tools:
    """`_tools.html`: the navigation "Tools"."""

    template: ClassVar[str] = "_tools.html"
    groups: tuple[ToolGroup, ...]
    broken: bool
    key: tuple[Mark, ...]

    @classmethod
    def of(cls, survey: Mapping[str, Any], module: str, place: Place | None) -> Tools:
        """`module` is the id the addresses carry; `place` the tool that is shown, if any."""
        broken = {problem["tool"] for problem in survey["problems"] if problem["tool"]}
        groups = [
            ToolGroup(server["name"], tuple(_tool_links(server, index, module, place, broken)))
            for index, server in enumerate(survey["servers"])
        ]
        return cls(tuple(groups), bool(survey["problems"]), words.KEY)


def _tool_links(
    server: Mapping[str, Any], index: int, module: str, place: Place | None, broken: set[str]
) -> Iterator[ToolLink]:
    for tool in server["tools"]:
        here = Place(module, index, tool["name"])
        asked = {ask for node in tool["nodes"] for ask in node["asks"]}
        yield ToolLink(
            id=f"tool-{index}-{dom_id(tool['name'])}",
            name=tool["name"],
            summary=_first_line(tool.get("description")),
            href=here.href,
            current=here == place,
            asks=tuple(mark for ask, mark in words.MAY_ASK.items() if ask in asked),
            broken=tool["name"] in broken,
        )


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as it was written. `filled_by`: the resolver that fills it, hidden from the model."""

    name: str
    annotation: str
    default: str | None
    filled_by: str | None
    kind: str

    @property
    def hidden(self) -> bool:
        return self.kind != "argument"


@dataclass(frozen=True, slots=True)
class Signature:
    """`_signature.html`: the tool's signature in one line, as the page's heading."""

    template: ClassVar[str] = "_signature.html"
    name: str
    parameters: tuple[Parameter, ...]
    description: str

    @classmethod
    def of(cls, tool: Mapping[str, Any]) -> Signature:
        return cls(tool["name"], parameters_of(tool), (tool.get("description") or "").strip())


def parameters_of(tool: Mapping[str, Any]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(one["name"], one["annotation"], one["default"], one["filled_by"], one["kind"])
        for one in tool.get("signature", ())
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a module: `headline` of whom, then message, where, and the way out."""

    code: str
    headline: str
    message: str
    where: str | None
    hint: str


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a cycle: `source` fills `parameter` of `target`."""

    number: int
    source: str
    parameter: str
    target: str


@dataclass(frozen=True, slots=True)
class Problems:
    """`_problem.html`: why the module, or the tool that is shown, is not served."""

    template: ClassVar[str] = "_problem.html"
    problems: tuple[Problem, ...]
    module: str

    @classmethod
    def of(cls, survey: Mapping[str, Any], tool: str | None = None) -> Problems:
        """The problems of `tool` and those of no tool in particular; all of them without `tool`."""
        chosen = [one for one in survey["problems"] if tool is None or one["tool"] in (None, tool)]
        return cls(tuple(_problem(one) for one in chosen), survey["module"])


def _problem(one: Mapping[str, Any]) -> Problem:
    parameter = f"({one['parameter']})" if one["parameter"] else ""
    name = one["resolver"] or one["tool"]
    file = PurePath(one["file"]).name if one["file"] else None
    where = f"{file}:{one['line']}" if file and one["line"] else file
    return Problem(one["code"], f"{name}{parameter}" if name else "", one["message"], where, one["hint"])


def steps_of(graph: Graph) -> tuple[Step, ...]:
    """The edges of the graph's cycle, one after the other; none where there is no cycle."""
    ring = draw(graph).ring
    steps = []
    for number, source in enumerate(ring, start=1):
        target = ring[number % len(ring)]
        edge = next(edge for edge in graph.edges if (edge.source, edge.target) == (source, target))
        steps.append(Step(number, graph.by_id[source].name, edge.parameter, graph.by_id[target].name))
    return tuple(steps)


class ClientShape(Protocol):
    """What the page needs to know of the simulated client."""

    @property
    def era(self) -> str: ...
    @property
    def capabilities(self) -> frozenset[str]: ...
    @property
    def max_rounds(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class Switch:
    """One capability. The page shows a part of its name where the rest stands before it (`.url`)."""

    name: str
    shown: str
    on: bool


@dataclass(frozen=True, slots=True)
class ClientSummary:
    """`_client_summary.html`: what the menu of headers and limits says while it is closed."""

    template: ClassVar[str] = "_client_summary.html"
    headers: int


@dataclass(frozen=True, slots=True)
class ClientNote:
    """`_client_note.html`: what is wrong with the headers as they were typed, or how they are used."""

    template: ClassVar[str] = "_client_note.html"
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Client:
    """`_client.html`: the simulated client: radio group "Protocol", one switch per capability, limit and headers.

    The form is never swapped while it is used: a change that is on its way would take a later one back. `headers` is a
    text, one header in a line.
    """

    template: ClassVar[str] = "_client.html"
    protocols: tuple[str, ...]
    era: str
    switches: tuple[Switch, ...]
    max_rounds: int
    headers: str
    summary: ClientSummary
    note: ClientNote

    @classmethod
    def of(cls, settings: ClientShape) -> Client:
        short = {"elicitation.url": ".url", "sampling.tools": ".tools"}
        return cls(
            protocols=words.PROTOCOLS,
            era=settings.era,
            switches=tuple(
                Switch(name, short.get(name, name), name in settings.capabilities) for name in words.CAPABILITIES
            ),
            max_rounds=settings.max_rounds,
            headers=headers_text(settings.headers),
            summary=ClientSummary(len(settings.headers)),
            note=ClientNote(),
        )


@dataclass(frozen=True, slots=True)
class ModuleLink:
    """One module of the workspace."""

    label: str
    href: str
    current: bool
