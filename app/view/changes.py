"""What each event changes in a call's view. `CHANGES` maps an event's type to the function that applies it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from app.calls import Recorded
from app.view.parts import LogLine, NodeState, QuestionView, RoundView
from resolver_runtime import events as ev
from resolver_runtime.graph import TOOL, argument_id, resolver_id

if TYPE_CHECKING:
    from app.view.call import CallView

_SETTLED_BY: Mapping[ev.Action, NodeState] = {"decline": "declined", "cancel": "cancelled"}

_Change = Callable[["CallView", Any, Recorded], None]


def _call_started(view: CallView, event: ev.CallStarted, _: Recorded) -> None:
    view.tool, view.arguments, view.era = event.tool, event.arguments, event.era
    view.capabilities, view.engine = event.capabilities, event.engine
    view.status = "running"


def _round_started(view: CallView, event: ev.RoundStarted, _: Recorded) -> None:
    view.rounds.append(RoundView(event.number))
    view.received.clear()
    view.reused.clear()
    for question in view.questions.values():
        question.sent = True
    for node in view.nodes.values():
        node.state, node.reason, node.failure = "idle", None, None


def _arguments_validated(view: CallView, event: ev.ArgumentsValidated, _: Recorded) -> None:
    for name, value in event.values.items():
        if argument_id(name) in view.nodes:
            node = view.nodes[argument_id(name)]
            node.state, node.value = "done", value
    if "context" in view.nodes:
        view.nodes["context"].state = "done"


def _arguments_refused(view: CallView, event: ev.ArgumentsRefused, _: Recorded) -> None:
    for node_id, node in view.nodes.items():
        if node_id.startswith("argument:"):
            node.state, node.failure = "failed", event.failure


def _argument_ignored(view: CallView, event: ev.ArgumentIgnored, _: Recorded) -> None:
    if event not in view.ignored:
        view.ignored.append(event)


def _resolver_started(view: CallView, event: ev.ResolverStarted, _: Recorded) -> None:
    node = view.node(event.node)
    node.state = "running"
    node.runs += 1
    _receive_all(view, event.node)
    if (current := view.round) is not None:
        current.ran.append(event.node)
        node.runs_per_round[current.number] = node.runs_per_round.get(current.number, 0) + 1


def _resolver_returned(view: CallView, event: ev.ResolverReturned, _: Recorded) -> None:
    node = view.node(event.node)
    node.state, node.value, node.seconds = "done", event.value, event.seconds


def _resolver_reused(view: CallView, event: ev.ResolverReused, _: Recorded) -> None:
    view.reused.add((event.consumer, event.parameter))
    node = view.node(event.node)
    if node.state == "done":
        node.state = "reused"


def _resolver_asked(view: CallView, event: ev.ResolverAsked, _: Recorded) -> None:
    view.node(event.node).seconds = event.seconds


def _question_pending(view: CallView, event: ev.QuestionPending, _: Recorded) -> None:
    node = view.node(event.node)
    node.state, node.reason = "waiting", event.reason


def _outcome_answered(view: CallView, event: ev.OutcomeAnswered, _: Recorded) -> None:
    node = view.node(event.node)
    node.state, node.value = _SETTLED_BY.get(event.action, "answered"), event.value
    if (current := view.round) is not None:
        current.answered.append(event.node)


def _outcome_restored(view: CallView, event: ev.OutcomeRestored, _: Recorded) -> None:
    node = view.node(event.node)
    node.state, node.value = _SETTLED_BY.get(event.action, "restored"), event.value
    if (current := view.round) is not None:
        current.restored.append(event.node)


def _answer_discarded(view: CallView, event: ev.AnswerDiscarded, record: Recorded) -> None:
    view.node(event.node).reason = event.reason
    view.log.append(LogLine(record.at, "info", event.key, event.reason))


def _resolver_failed(view: CallView, event: ev.ResolverFailed, _: Recorded) -> None:
    node = view.node(event.node)
    node.failure = event.failure
    if node.state not in ("declined", "cancelled"):
        node.state = "failed"


def _node_not_reached(view: CallView, event: ev.NodeNotReached, _: Recorded) -> None:
    node = view.node(event.node)
    node.state, node.reason = "not_reached", event.reason


def _tool_started(view: CallView, _event: ev.ToolStarted, _: Recorded) -> None:
    _receive_all(view, TOOL)
    node = view.node(TOOL)
    node.state = "running"
    node.runs += 1
    if (current := view.round) is not None:
        current.ran.append(TOOL)
        node.runs_per_round[current.number] = node.runs_per_round.get(current.number, 0) + 1


def _tool_returned(view: CallView, event: ev.ToolReturned, _: Recorded) -> None:
    node = view.node(TOOL)
    node.state, node.value, node.seconds = "done", event.value, event.seconds


def _tool_failed(view: CallView, event: ev.ToolFailed, record: Recorded) -> None:
    node = view.node(TOOL)
    if event.phase == "body":
        node.state, node.failure = "failed", event.failure
    else:
        node.state = "not_reached"
    view.failure = event.failure
    view.log.append(LogLine(record.at, "error", view.tool, event.failure.message, event.failure))


def _state_sealed(view: CallView, event: ev.StateSealed, _: Recorded) -> None:
    view.state = event


def _printed(view: CallView, event: ev.Printed, record: Recorded) -> None:
    view.log.append(LogLine(record.at, "print", event.stream, event.text))


def _logged(view: CallView, event: ev.Logged, record: Recorded) -> None:
    view.log.append(LogLine(record.at, event.level.lower(), event.logger, event.text, event.failure))


def _output_dropped(view: CallView, event: ev.OutputDropped, record: Recorded) -> None:
    view.log.append(LogLine(record.at, "warning", "playground", f"{event.lines} lines dropped: too many at once"))


def _progressed(view: CallView, event: ev.Progressed, record: Recorded) -> None:
    total = "" if event.total is None else f" of {event.total:g}"
    message = "" if event.message is None else f": {event.message}"
    view.log.append(LogLine(record.at, "progress", "progress", f"{event.progress:g}{total}{message}"))


def _client_logged(view: CallView, event: ev.ClientLogged, record: Recorded) -> None:
    view.log.append(LogLine(record.at, event.level, event.logger or "client", str(event.data)))


def _question_asked(view: CallView, event: ev.QuestionAsked, _: Recorded) -> None:
    number = 1 + sum(question.round == event.round for question in view.questions.values())
    view.questions[event.id] = QuestionView(
        event.id,
        event.round,
        number,
        event.key,
        event.resolver,
        event.kind,
        event.request,
        event.asked_before,
        event.reason,
    )
    view.status = "waiting"
    if (current := view.round) is not None:
        current.questions.append(event.id)
    if event.key is not None:
        node = view.node(resolver_id(event.key))
        node.state, node.question, node.answer = "waiting", event.id, None


def _question_answered(view: CallView, event: ev.QuestionAnswered, _: Recorded) -> None:
    question = view.questions[event.id]
    question.answer = event.answer
    if question.key is not None:
        view.node(resolver_id(question.key)).answer = event.answer
    if not view.open_questions:
        view.status = "running"


def _question_reopened(view: CallView, event: ev.QuestionReopened, _: Recorded) -> None:
    question = view.questions[event.id]
    question.answer = None
    view.status = "waiting"


def _round_ended(view: CallView, _event: ev.RoundEnded, _: Recorded) -> None:
    if (current := view.round) is not None:
        current.ended = True


def _wire_message(view: CallView, _event: ev.WireMessage, record: Recorded) -> None:
    view.wire.append(record)


def _call_ended(view: CallView, event: ev.CallEnded, _: Recorded) -> None:
    view.status, view.result, view.error = event.status, event.result, event.error
    for question in view.questions.values():
        question.sent = True
    for node in view.nodes.values():
        if node.state in ("running", "waiting", "idle"):
            node.state = "not_reached"


def _receive_all(view: CallView, target: str) -> None:
    view.received.update((edge.source, target, edge.parameter) for edge in view.graph.inputs(target))


CHANGES: Mapping[str, _Change] = {
    ev.CallStarted.type: _call_started,
    ev.RoundStarted.type: _round_started,
    ev.ArgumentsValidated.type: _arguments_validated,
    ev.ArgumentsRefused.type: _arguments_refused,
    ev.ArgumentIgnored.type: _argument_ignored,
    ev.ResolverStarted.type: _resolver_started,
    ev.ResolverReturned.type: _resolver_returned,
    ev.ResolverReused.type: _resolver_reused,
    ev.ResolverAsked.type: _resolver_asked,
    ev.QuestionPending.type: _question_pending,
    ev.OutcomeAnswered.type: _outcome_answered,
    ev.OutcomeRestored.type: _outcome_restored,
    ev.AnswerDiscarded.type: _answer_discarded,
    ev.ResolverFailed.type: _resolver_failed,
    ev.NodeNotReached.type: _node_not_reached,
    ev.ToolStarted.type: _tool_started,
    ev.ToolReturned.type: _tool_returned,
    ev.ToolFailed.type: _tool_failed,
    ev.StateSealed.type: _state_sealed,
    ev.Printed.type: _printed,
    ev.Logged.type: _logged,
    ev.OutputDropped.type: _output_dropped,
    ev.Progressed.type: _progressed,
    ev.ClientLogged.type: _client_logged,
    ev.QuestionAsked.type: _question_asked,
    ev.QuestionAnswered.type: _question_answered,
    ev.QuestionReopened.type: _question_reopened,
    ev.RoundEnded.type: _round_ended,
    ev.WireMessage.type: _wire_message,
    ev.CallEnded.type: _call_ended,
}
