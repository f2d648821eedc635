"""Contexts of the whole page: header, and the three regions of one tool or of a module that serves none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from app.assets import ScriptTag
from app.pages.calls import Arguments, Result, Rounds
from app.pages.graphs import GraphPane
from app.pages.modules import Client, ModuleLink, Problems, Signature, Step, Tools, steps_of
from app.pages.naming import Place
from app.pages.panes import LogPane, RoundsPane, SchemaPane, SourcePane, StatePane, WirePane
from app.pages.questions import DEFAULT_ROOTS, Dialog
from app.pages.rendering import Context
from app.view import CallView
from resolver_runtime.graph import Graph


@dataclass(frozen=True, slots=True)
class Pane:
    """One tab and its panel. `count` stands beside the tab's word and is no part of its name; 0 is not shown."""

    id: str
    title: str
    count: int
    content: Context


@dataclass(frozen=True, slots=True)
class Panes:
    """`_panes.html`: the tabs "Schema", "Rounds", "Wire", "State", "Log", "Source"; `selected` is a pane's id."""

    template: ClassVar[str] = "_panes.html"
    panes: tuple[Pane, ...]
    selected: str

    @classmethod
    def of(cls, survey: Mapping[str, Any], tool: Mapping[str, Any], view: CallView, selected: str = "schema") -> Panes:
        return cls(tuple(panes_of(survey, tool, view)), selected)


def panes_of(survey: Mapping[str, Any], tool: Mapping[str, Any], view: CallView) -> list[Pane]:
    return [
        Pane("schema", "Schema", 0, SchemaPane.of(tool)),
        Pane("rounds", "Rounds", len(view.rounds), RoundsPane.of(view)),
        Pane("wire", "Wire", len(view.wire), WirePane.of(view)),
        Pane("state", "State", 0, StatePane.of(view)),
        Pane("log", "Log", len(view.log), LogPane.of(view)),
        Pane("source", "Source", 0, SourcePane.of(survey, view.graph)),
    ]


@dataclass(frozen=True, slots=True)
class TabCount:
    """`_tab_count.html`: the number beside a tab's word."""

    template: ClassVar[str] = "_tab_count.html"
    id: str
    count: int


@dataclass(frozen=True, slots=True)
class Main:
    """`_main.html`: the three regions, `#main`. Without a tool (a module that serves none) only tools and problems.

    `call` is the call whose events the page follows, "" before the first; `seq` the last event that is drawn here, and
    `epoch` the start of the web process that drew it.
    """

    template: ClassVar[str] = "_main.html"
    tools: Tools
    problems: Problems | None
    steps: tuple[Step, ...]
    signature: Signature | None = None
    graph: GraphPane | None = None
    rounds: Rounds | None = None
    panes: Panes | None = None
    arguments: Arguments | None = None
    dialog: Dialog | None = None
    result: Result | None = None
    place: Place | None = None
    call: str = ""
    seq: int = 0
    epoch: int = 0

    @classmethod
    def of(
        cls,
        survey: Mapping[str, Any],
        place: Place,
        view: CallView,
        roots: Sequence[Mapping[str, str]] = DEFAULT_ROOTS,
        served: bool = True,
        raw: str = "",
        epoch: int = 0,
    ) -> Main:
        """One tool, idle or with a call (`CallView.idle` before the first).

        `served` False: the module does not serve its tools, so all its problems are shown and nothing can be called.
        `raw` is the JSON that the call's arguments were typed as.
        """
        tool = next(one for one in survey["servers"][place.server]["tools"] if one["name"] == place.tool)
        problems = Problems.of(survey, place.tool if served else None)
        can_call = served and all(one["tool"] != place.tool for one in survey["problems"])
        return cls(
            tools=Tools.of(survey, place.module, place),
            problems=problems if problems.problems else None,
            steps=steps_of(view.graph),
            signature=Signature.of(tool),
            graph=GraphPane.of(view, place),
            rounds=Rounds.of(view),
            panes=Panes.of(survey, tool, view),
            arguments=Arguments.of(view, place, tool["input_schema"], raw=raw) if can_call else None,
            dialog=Dialog.of(view, roots),
            result=Result.of(view),
            place=place,
            call=view.id,
            seq=view.seq,
            epoch=epoch,
        )

    @classmethod
    def without_tool(cls, survey: Mapping[str, Any], place: Place, graph: Graph | None = None) -> Main:
        """A module that serves no tool; `graph` is the one of `place.tool`, which could not be built."""
        view = CallView.idle(graph) if graph is not None else None
        return cls(
            tools=Tools.of(survey, place.module, None),
            problems=Problems.of(survey),
            steps=() if graph is None else steps_of(graph),
            graph=None if view is None else GraphPane.of(view, place),
            place=place,
        )


@dataclass(frozen=True, slots=True)
class Loading:
    """`_loading.html`: in the place of `Main` while a module imports; the page asks at `address` for what follows."""

    template: ClassVar[str] = "_loading.html"
    module: str
    address: str


@dataclass(frozen=True, slots=True)
class Page:
    """`page.html`: the document. `scripts` are those of others (`assets.script_tags`); `note` says what is not
    as usual, or None."""

    template: ClassVar[str] = "page.html"
    title: str
    modules: tuple[ModuleLink, ...]
    client: Client
    main: Main | Loading
    scripts: Sequence[ScriptTag]
    note: str | None = None
