"""The parts of a call's view: nodes, questions, rounds, lines of output. Plain values without behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from resolver_runtime import events as ev

NodeState = Literal[
    "idle",
    "running",
    "waiting",
    "answered",
    "done",
    "reused",
    "restored",
    "declined",
    "cancelled",
    "failed",
    "not_reached",
]
CallStatus = Literal[
    "idle", "running", "waiting", "done", "failed", "error", "stopped", "unanswered", "died", "interrupted"
]

ENDED: frozenset[CallStatus] = frozenset({"done", "failed", "error", "stopped", "unanswered", "died", "interrupted"})


@dataclass(slots=True)
class NodeView:
    """One node at one moment. `runs` counts its body's runs in this call; `question` is a question id."""

    state: NodeState = "idle"
    runs: int = 0
    runs_per_round: dict[int, int] = field(default_factory=dict)
    value: str | None = None
    seconds: float | None = None
    question: str | None = None
    answer: Mapping[str, Any] | None = None
    failure: ev.Failure | None = None
    reason: str | None = None


@dataclass(slots=True)
class QuestionView:
    """A question that reached the client. `answer` None: open. `sent`: its round has gone, it cannot be reopened."""

    id: str
    round: int
    number: int
    key: str | None
    resolver: str | None
    kind: ev.QuestionKind
    request: Mapping[str, Any]
    asked_before: bool
    reason: str | None
    answer: Mapping[str, Any] | None = None
    sent: bool = False


@dataclass(slots=True)
class RoundView:
    """One round: node ids that ran, were restored or answered, and the ids of its questions."""

    number: int
    ran: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    ended: bool = False


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the Log pane. `at`: seconds since the call began; `source`: a stream, a logger or "progress"."""

    at: float
    level: str
    source: str
    text: str
    failure: ev.Failure | None = None
