"""What a call looks like after some of its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from app.calls import Recorded
from app.view.changes import CHANGES
from app.view.parts import ENDED, CallStatus, LogLine, NodeView, QuestionView, RoundView
from resolver_runtime import events as ev
from resolver_runtime.graph import Graph


@dataclass(slots=True)
class CallView:
    """A call after the event `seq`.

    `received` holds the edges whose value arrived, `reused` those of them that shared another edge's run;
    `failure` is what was raised in the module, of which the client is told less.
    """

    graph: Graph
    id: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    era: ev.Era = "2026-07-28"
    capabilities: tuple[str, ...] = ()
    engine: Literal["playground", "sdk"] = "playground"
    status: CallStatus = "idle"
    nodes: dict[str, NodeView] = field(default_factory=dict)
    received: set[tuple[str, str, str]] = field(default_factory=set)
    reused: set[tuple[str, str]] = field(default_factory=set)
    rounds: list[RoundView] = field(default_factory=list)
    questions: dict[str, QuestionView] = field(default_factory=dict)
    log: list[LogLine] = field(default_factory=list)
    wire: list[Recorded] = field(default_factory=list)
    state: ev.StateSealed | None = None
    ignored: list[ev.ArgumentIgnored] = field(default_factory=list)
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    failure: ev.Failure | None = None
    seconds: float = 0.0
    seq: int = 0

    @classmethod
    def idle(cls, graph: Graph) -> CallView:
        """The view before the first call."""
        return cls(graph, nodes={node.id: NodeView() for node in graph.nodes})

    @classmethod
    def of(cls, graph: Graph, call: str, records: Iterable[Recorded]) -> CallView:
        """The view after `records`, the first events of one call, in order."""
        view = cls.idle(graph)
        view.id = call
        for record in records:
            view.apply(record)
        return view

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def round(self) -> RoundView | None:
        return self.rounds[-1] if self.rounds else None

    @property
    def open_questions(self) -> list[QuestionView]:
        return [question for question in self.questions.values() if question.answer is None]

    def apply(self, record: Recorded) -> None:
        """Take one more event."""
        self.seq = record.seq
        self.seconds = record.at
        change = CHANGES.get(record.event.type)
        if change is not None:
            change(self, record.event, record)

    def node(self, node_id: str) -> NodeView:
        """The view of a node; one that the graph does not hold (a stale event) is kept apart, harmlessly."""
        return self.nodes.setdefault(node_id, NodeView())
