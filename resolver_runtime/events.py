"""Everything that can happen in a call: a closed union of plain values.

The engine emits the first group, the process that hosts it the second, the simulated client the third. An event knows
neither its call nor its place in the log: whoever records it adds those.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Action = Literal["accept", "decline", "cancel"]
QuestionKind = Literal["elicit", "elicit_url", "sample", "list_roots"]
Era = Literal["2025-11-25", "2026-07-28"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback. `user` is true for code that is neither ours nor a library's."""

    file: str
    line: int
    function: str
    code: str
    user: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """What was raised: `kind` is the exception's class, `frames` outermost first, `cause` what it was raised from."""

    kind: str
    message: str
    frames: tuple[Frame, ...] = ()
    cause: Failure | None = None


# --- The engine: what happened to the graph in one round. `node` is a node id of the tool's graph. ---


@dataclass(frozen=True, slots=True)
class ArgumentsValidated:
    """The tool's arguments passed validation. `values`: public argument name to a short text of the value."""

    type: ClassVar[str] = "arguments_validated"
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ArgumentsRefused:
    """The arguments do not fit the tool's input schema; nothing ran."""

    type: ClassVar[str] = "arguments_refused"
    failure: Failure


@dataclass(frozen=True, slots=True)
class ArgumentIgnored:
    """The client sent a value that no code will see: under a hidden parameter's name (`hidden`) or an unknown one."""

    type: ClassVar[str] = "argument_ignored"
    name: str
    value: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class ResolverStarted:
    """The resolver's body begins to run."""

    type: ClassVar[str] = "resolver_started"
    node: str
    key: str


@dataclass(frozen=True, slots=True)
class ResolverReturned:
    """The body returned a plain value (no question), after `seconds`."""

    type: ClassVar[str] = "resolver_returned"
    node: str
    key: str
    value: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ResolverReused:
    """A further consumer got the value of this round's run: the parameter `parameter` of the node `consumer`."""

    type: ClassVar[str] = "resolver_reused"
    node: str
    key: str
    consumer: str
    parameter: str


@dataclass(frozen=True, slots=True)
class ResolverAsked:
    """The body returned a question, after `seconds`. What becomes of it is told by the next event of this node.

    `message` is a short text of the question; `digest` is the fingerprint that pins an answer to this wording
    (None in the handshake era, which has none).
    """

    type: ClassVar[str] = "resolver_asked"
    node: str
    key: str
    kind: QuestionKind
    message: str
    digest: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class QuestionPending:
    """The question goes to the client: in this round's result (modern era) or at once (handshake era).

    `asked_before` is true when the client was asked by this resolver in an earlier round of this call;
    `reason` then says why it is asked again.
    """

    type: ClassVar[str] = "question_pending"
    node: str
    key: str
    kind: QuestionKind
    request: Mapping[str, Any]
    asked_before: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class OutcomeAnswered:
    """This round's answer became the resolver's outcome. `value` is a short text of what an accept carries."""

    type: ClassVar[str] = "outcome_answered"
    node: str
    key: str
    action: Action
    value: str | None


@dataclass(frozen=True, slots=True)
class OutcomeRestored:
    """The outcome recorded in the request state was taken again; nobody was asked."""

    type: ClassVar[str] = "outcome_restored"
    node: str
    key: str
    action: Action
    value: str | None


@dataclass(frozen=True, slots=True)
class AnswerDiscarded:
    """An answer, or a recorded outcome, was not used. `reason` is a sentence."""

    type: ClassVar[str] = "answer_discarded"
    node: str
    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class ResolverFailed:
    """The body raised, or its question or answer was refused."""

    type: ClassVar[str] = "resolver_failed"
    node: str
    key: str
    failure: Failure


@dataclass(frozen=True, slots=True)
class NodeNotReached:
    """The round ended before this node could run. `reason` is a sentence."""

    type: ClassVar[str] = "node_not_reached"
    node: str
    reason: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The tool's body begins to run: every parameter is filled."""

    type: ClassVar[str] = "tool_started"


@dataclass(frozen=True, slots=True)
class ToolReturned:
    type: ClassVar[str] = "tool_returned"
    value: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ToolFailed:
    """The call's run ended in an error: of the body, or of what came before it (`phase`)."""

    type: ClassVar[str] = "tool_failed"
    phase: Literal["arguments", "resolvers", "body"]
    failure: Failure


# --- The host: what else came out of the user's process. ---


@dataclass(frozen=True, slots=True)
class StateSealed:
    """A request state left the server. `plain` is what the server remembers; times are Unix seconds."""

    type: ClassVar[str] = "state_sealed"
    plain: str
    size: int
    issued: float | None
    expires: float | None
    own_policy: bool


@dataclass(frozen=True, slots=True)
class QuestionSent:
    """The handshake era: the request `request_id` carries the question of resolver `key` (None: the body's)."""

    type: ClassVar[str] = "question_sent"
    request_id: str | int
    key: str | None


@dataclass(frozen=True, slots=True)
class Printed:
    type: ClassVar[str] = "printed"
    stream: Literal["stdout", "stderr"]
    text: str


@dataclass(frozen=True, slots=True)
class Logged:
    """A log record of the user's process. `failure` when it carried an exception."""

    type: ClassVar[str] = "logged"
    level: str
    logger: str
    text: str
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class OutputDropped:
    """Lines not kept because they came too fast or too large."""

    type: ClassVar[str] = "output_dropped"
    lines: int


# --- The simulated client: the call as its user sees it. ---


@dataclass(frozen=True, slots=True)
class CallStarted:
    type: ClassVar[str] = "call_started"
    tool: str
    arguments: Mapping[str, Any]
    era: Era
    capabilities: tuple[str, ...]
    engine: Literal["playground", "sdk"]


@dataclass(frozen=True, slots=True)
class RoundStarted:
    type: ClassVar[str] = "round_started"
    number: int


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A question reached the client and waits. `id` is unique in the call; without `key` it is of the tool's body."""

    type: ClassVar[str] = "question_asked"
    id: str
    round: int
    key: str | None
    resolver: str | None
    kind: QuestionKind
    request: Mapping[str, Any]
    asked_before: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """The client settled the question: `answer` as it goes on the wire, or `{"error": {...}}` for a refusal."""

    type: ClassVar[str] = "question_answered"
    id: str
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QuestionReopened:
    """A settled question of a round that has not gone yet is open again."""

    type: ClassVar[str] = "question_reopened"
    id: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    type: ClassVar[str] = "round_ended"
    number: int


@dataclass(frozen=True, slots=True)
class WireMessage:
    """One JSON-RPC message, as the client saw it. `direction` is the client's: "sent" or "received"."""

    type: ClassVar[str] = "wire_message"
    direction: Literal["sent", "received"]
    message: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Progressed:
    type: ClassVar[str] = "progressed"
    progress: float
    total: float | None
    message: str | None


@dataclass(frozen=True, slots=True)
class ClientLogged:
    """A `notifications/message` reached the client."""

    type: ClassVar[str] = "client_logged"
    level: str
    logger: str | None
    data: Any


@dataclass(frozen=True, slots=True)
class CallEnded:
    """The call's one end.

    `status`: `done` (a result), `failed` (a result with isError), `error` (a protocol error, a refusal, the round
    limit), `stopped` (by the user), `unanswered` (a question had no answer), `died` (the worker ended under it),
    `interrupted` (the client's own process ended).
    `result` is the CallToolResult as on the wire; `error` is `{"code", "message", "data"}`.
    """

    type: ClassVar[str] = "call_ended"
    status: Literal["done", "failed", "error", "stopped", "unanswered", "died", "interrupted"]
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None


EngineEvent = (
    ArgumentsValidated
    | ArgumentsRefused
    | ArgumentIgnored
    | ResolverStarted
    | ResolverReturned
    | ResolverReused
    | ResolverAsked
    | QuestionPending
    | OutcomeAnswered
    | OutcomeRestored
    | AnswerDiscarded
    | ResolverFailed
    | NodeNotReached
    | ToolStarted
    | ToolReturned
    | ToolFailed
)
HostEvent = StateSealed | QuestionSent | Printed | Logged | OutputDropped
ClientEvent = (
    CallStarted
    | RoundStarted
    | QuestionAsked
    | QuestionAnswered
    | QuestionReopened
    | RoundEnded
    | WireMessage
    | Progressed
    | ClientLogged
    | CallEnded
)
Event = EngineEvent | HostEvent | ClientEvent
Emit = Callable[[Event], None]

EVENT_CLASSES: Mapping[str, type[Event]] = {
    cls.type: cls for union in (EngineEvent, HostEvent, ClientEvent) for cls in union.__args__
}


def to_json(event: Event) -> dict[str, Any]:
    """`{"type": ..., **fields}`; nested values become plain dictionaries and lists."""
    return {"type": event.type, **dataclasses.asdict(event)}


def from_json(data: Mapping[str, Any]) -> Event:
    """The inverse of `to_json`.

    Raises:
        KeyError: the type is none of ours.
    """
    fields = dict(data)
    cls = EVENT_CLASSES[fields.pop("type")]
    if fields.get("failure") is not None:
        fields["failure"] = _failure(fields["failure"])
    if "capabilities" in fields:
        fields["capabilities"] = tuple(fields["capabilities"])
    return cls(**fields)


def _failure(data: Mapping[str, Any]) -> Failure:
    frames = tuple(Frame(**frame) for frame in data["frames"])
    cause = data["cause"]
    return Failure(data["kind"], data["message"], frames, None if cause is None else _failure(cause))
