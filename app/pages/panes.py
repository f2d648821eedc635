"""Contexts of the panes below the graph: schema, rounds, wire, state, log, source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, ClassVar

from app.calls import KEPT_CALLS
from app.pages import words
from app.pages.modules import Parameter, parameters_of
from app.pages.naming import event_href
from app.pages.questions import name_of, sent_words
from app.view import CallView, LogLine, QuestionView, RoundView
from resolver_runtime.events import StateSealed, WireMessage
from resolver_runtime.graph import Graph


@dataclass(frozen=True, slots=True)
class SchemaPane:
    """`_pane_schema.html`: what `tools/list` reports, beside what was written."""

    template: ClassVar[str] = "_pane_schema.html"
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None
    parameters: tuple[Parameter, ...]
    returns: str
    hidden: int
    hidden_words: str

    @classmethod
    def of(cls, tool: Mapping[str, Any]) -> SchemaPane:
        parameters = parameters_of(tool)
        hidden = sum(parameter.hidden for parameter in parameters)
        verb = "is" if hidden == 1 else "are"
        return cls(
            input_schema=tool["input_schema"],
            output_schema=tool.get("output_schema"),
            parameters=parameters,
            returns=tool.get("returns", ""),
            hidden=hidden,
            hidden_words=f"{words.count(hidden, 'parameter')} {verb} hidden from the model.",
        )


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of a file; `marks` names the nodes that begin there, `wrong` says that a problem does."""

    number: int
    text: str
    marks: str
    wrong: bool


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that holds nodes of the tool."""

    name: str
    lines: tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True)
class SourcePane:
    """`_pane_source.html`: the files that hold the tool's nodes."""

    template: ClassVar[str] = "_pane_source.html"
    files: tuple[SourceFile, ...]

    @classmethod
    def of(cls, survey: Mapping[str, Any], graph: Graph) -> SourcePane:
        wrong = {(problem["file"], problem["line"]) for problem in survey["problems"]}
        starts: dict[tuple[str | None, int | None], list[str]] = {}
        for node in graph.nodes:
            starts.setdefault((node.file, node.line), []).append(node.name)
        wanted = {file for file, _ in (*starts, *wrong)}
        return cls(
            tuple(
                SourceFile(PurePath(file).name, tuple(_source_lines(file, text, starts, wrong)))
                for file, text in survey.get("sources", {}).items()
                if file in wanted
            )
        )


def _source_lines(
    file: str,
    text: str,
    starts: Mapping[tuple[str | None, int | None], list[str]],
    wrong: set[tuple[str | None, int | None]],
) -> Iterator[SourceLine]:
    for number, line in enumerate(text.splitlines(), start=1):
        marks = ", ".join(starts.get((file, number), ()))
        yield SourceLine(number, line, marks, (file, number) in wrong)


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round in the Rounds pane: per node its runs, and each question with its answer."""

    number: int
    runs: tuple[tuple[str, int], ...]
    restored: tuple[str, ...]
    questions: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class RoundsPane:
    """`_pane_rounds.html`: what ran, was asked and was answered, round by round."""

    template: ClassVar[str] = "_pane_rounds.html"
    rounds: tuple[RoundRow, ...]

    @classmethod
    def of(cls, view: CallView) -> RoundsPane:
        return cls(tuple(_round_row(view, one) for one in view.rounds))


def _round_row(view: CallView, one: RoundView) -> RoundRow:
    by_id = view.graph.by_id
    questions = [view.questions[name] for name in one.questions]
    return RoundRow(
        one.number,
        tuple((by_id[node].name, one.ran.count(node)) for node in dict.fromkeys(one.ran) if node in by_id),
        tuple(by_id[node].name for node in one.restored if node in by_id),
        tuple(
            (
                name_of(view, question),
                str(question.request.get("message") or words.ASKS[question.kind]),
                _answer(question),
            )
            for question in questions
        ),
    )


def _answer(question: QuestionView) -> str:
    return "waits for an answer" if question.answer is None else sent_words(question)


@dataclass(frozen=True, slots=True)
class WireLine:
    """`_wire_line.html`: one JSON-RPC message; `title` is its method, or what its result is.

    `href` leads to its event, whole: of a long message the page shows the beginning.
    """

    template: ClassVar[str] = "_wire_line.html"
    seq: int
    sent: bool
    title: str
    note: str
    message: Mapping[str, Any]
    href: str


def wire_lines(view: CallView, after: int = 0) -> Iterator[WireLine]:
    """The messages of a call but for the first `after`."""
    for one in view.wire[after:]:
        if isinstance(one.event, WireMessage):
            message, is_sent = one.event.message, one.event.direction == "sent"
            href = event_href(view.id, one.seq)
            yield WireLine(one.seq, is_sent, _wire_title(message), _wire_note(message), message, href)


def _wire_title(message: Mapping[str, Any]) -> str:
    if "method" in message:
        return str(message["method"])
    if "error" in message:
        return "error"
    result = message.get("result")
    return str(result.get("resultType", "result")) if isinstance(result, Mapping) else "result"


def _wire_note(message: Mapping[str, Any]) -> str:
    params, result = message.get("params"), message.get("result")
    if isinstance(message.get("error"), Mapping):
        return str(message["error"].get("code", ""))
    notes = []
    if isinstance(params, Mapping):
        answers = params.get("inputResponses")
        notes.append(f"{len(answers)} answers" if answers else str(params.get("name", "")))
    if isinstance(result, Mapping) and result.get("inputRequests"):
        notes.append(f"{len(result['inputRequests'])} questions")
    return ", ".join(filter(None, notes))


@dataclass(frozen=True, slots=True)
class WirePane:
    """`_pane_wire.html`: every JSON-RPC message, as the client saw it."""

    template: ClassVar[str] = "_pane_wire.html"
    lines: tuple[WireLine, ...]

    @classmethod
    def of(cls, view: CallView) -> WirePane:
        return cls(tuple(wire_lines(view)))


@dataclass(frozen=True, slots=True)
class StatePane:
    """`_pane_state.html`: what the server remembers between rounds. `plain` is its JSON, or a text that is none."""

    template: ClassVar[str] = "_pane_state.html"
    state: StateSealed | None
    plain: Any
    minutes: float | None
    era: str

    @classmethod
    def of(cls, view: CallView) -> StatePane:
        state = view.state
        if state is None:
            return cls(None, None, None, view.era)
        lifetime = None if state.expires is None or state.issued is None else (state.expires - state.issued) / 60
        return cls(state, _parsed(state.plain), lifetime, view.era)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True, slots=True)
class LogRow:
    """`_log_line.html`: one line of the log; `colour` is the state colour of its level."""

    template: ClassVar[str] = "_log_line.html"
    line: LogLine
    colour: str

    @classmethod
    def of(cls, line: LogLine) -> LogRow:
        colours = {"error": "failed", "critical": "failed", "warning": "waiting"}
        return cls(line, colours.get(line.level, "idle"))


@dataclass(frozen=True, slots=True)
class LogPane:
    """`_pane_log.html`: prints, logs, progress and tracebacks, in order; `kept` is how many calls are."""

    template: ClassVar[str] = "_pane_log.html"
    lines: tuple[LogRow, ...]
    kept: int

    @classmethod
    def of(cls, view: CallView) -> LogPane:
        return cls(tuple(LogRow.of(line) for line in view.log), KEPT_CALLS)
