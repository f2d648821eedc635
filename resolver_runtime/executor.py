"""One round of one call: runs the resolvers of a tool, takes answers, asks what is still to be asked.

Parameters are filled one after the other in signature order. A question that has no answer yet does not stop its
neighbours: what does not depend on it still runs, so that one round brings every question that can be asked by then.
An error, or a refusal that a consumer cannot take, ends the round at once.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

import anyio.to_thread
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    Elicit,
    ElicitationResult,
    ListRoots,
    Sample,
)
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ElicitResult, InputRequest, InputRequiredResult
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from resolver_runtime.events import Emit
from resolver_runtime.graph import TOOL
from resolver_runtime.narration import Narration
from resolver_runtime.plan import Parameter, Plan, ResolverPlan
from resolver_runtime.questions import (
    MARKERS,
    Marker,
    kind_of,
    message_of,
    params_json,
    rendered,
    require_capability,
    result_type,
)
from resolver_runtime.state import Entry, decoded, digest, encoded

ROUNDS_SINCE = "2026-07-28"
"""The first protocol version in which questions travel in results, and a call comes in rounds."""

Outcome = ElicitationResult[Any]

_Accepted = AcceptedElicitation[Any]
"""Made once: pydantic looks such a class up anew at each use, which takes longer than to make an outcome."""

asking: ContextVar[str | None] = ContextVar("asking", default=None)
"""The wire key of the resolver whose question is on its way: in the handshake era the wire does not carry it."""

logger = logging.getLogger(__name__)


class _Pending:
    """In the place of an outcome that has not come yet."""


PENDING = _Pending()


async def run_round(
    plan: Plan, arguments: Mapping[str, Any], context: Context[Any, Any], emit: Emit
) -> dict[str, Any] | InputRequiredResult:
    """The values of a tool's filled parameters by name, or the questions that come first.

    `arguments` are the validated ones, as the body gets them.

    Raises:
        ToolError: an answer does not fit, or a question was refused and its consumer takes only the value.
        MCPError: the client did not declare what a question needs (-32021).
        Exception: whatever a resolver raises.
    """
    version = context.protocol_version
    in_rounds = version is not None and is_version_at_least(version, ROUNDS_SINCE)
    told = Narration(plan, emit)
    executor = _InRounds(plan, arguments, context, told) if in_rounds else _InCall(plan, arguments, context, told)
    try:
        return await executor.run()
    except BaseException as error:  # a cancelled round has ended too
        told.ended_with(error)
        raise


class _Executor(ABC):
    """The walk over the resolvers; how a question becomes an outcome is its subclasses' matter."""

    def __init__(self, plan: Plan, arguments: Mapping[str, Any], context: Context[Any, Any], told: Narration) -> None:
        self.context = context
        self.told = told
        self.pending: dict[str, InputRequest] = {}
        self._plan = plan
        self._arguments = arguments
        self._outcomes: dict[str, Outcome] = {}
        self._held: set[str] = set()

    async def run(self) -> dict[str, Any] | InputRequiredResult:
        filled = await self._filled(self._plan.parameters, TOOL)
        if not self.pending:
            return filled
        self.told.ended_with_questions()
        return self._questions()

    def _questions(self) -> InputRequiredResult:
        raise RuntimeError("questions outside a call of rounds")

    async def _filled(self, parameters: list[Parameter], consumer: str) -> dict[str, Any]:
        """The values of the parameters that can be filled by now; of the others each question is asked."""
        filled: dict[str, Any] = {}
        for parameter in parameters:
            if parameter.resolver is None:
                is_context = parameter.source == "context"
                filled[parameter.name] = self.context if is_context else self._arguments[parameter.name]
                continue
            outcome = await self._outcome(parameter.resolver, consumer, parameter.name)
            if not isinstance(outcome, _Pending):
                filled[parameter.name] = outcome if parameter.whole else _value_of(outcome, parameter.name)
        return filled

    async def _outcome(self, resolver: ResolverPlan, consumer: str, parameter: str) -> Outcome | _Pending:
        """A resolver's outcome; its body runs once per round, however many consumers there are."""
        known = self._outcomes.get(resolver.key)
        if known is not None:
            self.told.reused(resolver, consumer, parameter)
            return known
        if resolver.key in self.pending or resolver.key in self._held:
            return PENDING
        filled = await self._filled(resolver.parameters, resolver.node)
        if len(filled) < len(resolver.parameters):
            self._held.add(resolver.key)
            return PENDING
        outcome = await self._run(resolver, filled)
        if not isinstance(outcome, _Pending):
            self._outcomes[resolver.key] = outcome
        return outcome

    async def _run(self, resolver: ResolverPlan, filled: dict[str, Any]) -> Outcome | _Pending:
        self.told.started(resolver)
        began = time.perf_counter()
        try:
            if resolver.is_async:
                result = await resolver.fn(**filled)
            else:
                result = await anyio.to_thread.run_sync(lambda: resolver.fn(**filled))
            seconds = time.perf_counter() - began
            if isinstance(result, MARKERS):
                return await self.asked(resolver, result, seconds)
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            self.told.failed(resolver, error)
            raise
        self.told.returned(resolver, result, seconds)
        return _accepted(result)

    @abstractmethod
    async def asked(self, resolver: ResolverPlan, marker: Marker, seconds: float) -> Outcome | _Pending:
        """What becomes of a question that a resolver has just returned, after `seconds`."""


class _InCall(_Executor):
    """The handshake era: each question goes to the client while the call runs, and the outcome is its answer."""

    async def asked(self, resolver: ResolverPlan, marker: Marker, seconds: float) -> Outcome:
        self.told.asked(resolver, kind_of(marker), message_of(marker), None, seconds)
        # Where nothing can be sent at all, sending says so better.
        if self.context.session.can_send_request:
            require_capability(self.context.client_capabilities, marker, resolver.key)
        self.told.pending(resolver, kind_of(marker), _params_or_nothing(marker))
        token = asking.set(resolver.key)
        try:
            if isinstance(marker, Elicit):
                return self._told(resolver, await self._elicited(resolver.key, marker))
            return self._told(resolver, _accepted(await self._sent(marker)))
        finally:
            asking.reset(token)

    async def _elicited(self, key: str, marker: Elicit[Any]) -> Outcome:
        try:
            return await self.context.elicit(marker.message, marker.schema)
        except ValidationError as error:
            raise ToolError(f"Resolver {key!r}: received an invalid elicitation response") from error
        except ValueError as error:
            raise ToolError(f"Resolver {key!r}: {error}") from error

    async def _sent(self, marker: Sample | ListRoots) -> Any:
        related = ServerMessageMetadata(related_request_id=self.context.request_id)
        return await self.context.session.send_request(rendered(marker), result_type(marker), metadata=related)

    def _told(self, resolver: ResolverPlan, outcome: Outcome) -> Outcome:
        self.told.answered(resolver, outcome.action, getattr(outcome, "data", None))
        return outcome


class _InRounds(_Executor):
    """The modern era: answers come with the next round's request, outcomes of earlier rounds in the request state."""

    def __init__(self, plan: Plan, arguments: Mapping[str, Any], context: Context[Any, Any], told: Narration) -> None:
        super().__init__(plan, arguments, context, told)
        self._answers = context.input_responses or {}
        self._progress = decoded(context.request_state)
        self._recorded: dict[str, Entry] = {}
        self._digests: dict[str, str] = {}

    def _questions(self) -> InputRequiredResult:
        state = encoded(self._recorded, {key: self._digests[key] for key in self.pending})
        return InputRequiredResult(input_requests=self.pending, request_state=state)

    async def asked(self, resolver: ResolverPlan, marker: Marker, seconds: float) -> Outcome | _Pending:
        request = rendered(marker)
        params = params_json(request)
        self._digests[resolver.key] = question = digest(params)
        self.told.asked(resolver, kind_of(marker), message_of(marker), question, seconds)
        restored, lost = self._restored(resolver, marker, question)
        if restored is not None:
            return restored
        answer, refused = self._answer(resolver, question)
        if answer is not None:
            return self._taken(resolver, marker, question, answer)
        require_capability(self.context.client_capabilities, marker, resolver.key)
        self.pending[resolver.key] = request
        reason = refused or lost or self._unanswered(resolver.key)
        self.told.pending(resolver, kind_of(marker), params, reason is not None, reason)
        return PENDING

    def _restored(self, resolver: ResolverPlan, marker: Marker, question: str) -> tuple[Outcome | None, str | None]:
        """The outcome of an earlier round; or None, and why it is lost if there was one.

        Consulted only once the body has asked: a recorded outcome never stands in for what a resolver computes.
        """
        entry = self._progress.outcomes.get(resolver.key)
        if entry is None:
            return None, None
        if entry.q != question:
            return None, self._lost(resolver, "The question has changed since it was answered.")
        try:
            outcome = _outcome_of(entry, marker)
        except ValidationError:
            return None, self._lost(resolver, "The recorded answer does not fit what the code asks for now.")
        # As it came: a later round checks the same bytes that the client sent.
        self._recorded[resolver.key] = entry
        self.told.restored(resolver, outcome.action, getattr(outcome, "data", None))
        return outcome, None

    def _lost(self, resolver: ResolverPlan, reason: str) -> str:
        self.told.discarded(resolver, reason)
        return reason

    def _answer(self, resolver: ResolverPlan, question: str) -> tuple[Any, str | None]:
        """This round's answer; or None, and why it does not count if there is one."""
        answer = self._answers.get(resolver.key)
        asked = self._progress.asked.get(resolver.key)
        if answer is None or asked == question:
            return answer, None
        logger.info("An answer for resolver %r does not count: it belongs to another question", resolver.key)
        if asked is None:
            return None, self._lost(resolver, "An answer came for a question that this call's state does not know of.")
        return None, self._lost(resolver, "The question has changed between asking and answering.")

    def _unanswered(self, key: str) -> str | None:
        return "The client sent no answer to it." if key in self._progress.asked else None

    def _taken(self, resolver: ResolverPlan, marker: Marker, question: str, answer: Any) -> Outcome:
        """This round's answer as an outcome, recorded for the rounds to come."""
        key = resolver.key
        if not isinstance(marker, Elicit):
            data = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
            outcome: Outcome = _accepted(_completed(key, marker, data))
            entry = Entry(action="accept", data=data, q=question)
        elif not isinstance(answer, ElicitResult):
            raise ToolError(f"Resolver {key!r} received a non-elicitation response")
        elif answer.action == "accept":
            outcome = AcceptedElicitation(data=_content(key, marker, answer.content))
            entry = Entry(action="accept", data=answer.content, q=question)
        else:
            outcome = DeclinedElicitation() if answer.action == "decline" else CancelledElicitation()
            entry = Entry(action=answer.action, q=question)
        self._recorded[key] = entry
        self.told.answered(resolver, outcome.action, getattr(outcome, "data", None))
        return outcome


def _value_of(outcome: Outcome, parameter: str) -> Any:
    if isinstance(outcome, AcceptedElicitation):
        return outcome.data
    raise ToolError(f"Resolver for parameter {parameter!r} could not resolve: elicitation was {outcome.action}")


def _accepted(value: Any) -> AcceptedElicitation[Any]:
    """Any value as an accepted outcome: a resolver may return what it likes, and it is handed on untouched."""
    return _Accepted(data=value)


def _outcome_of(entry: Entry, marker: Marker) -> Outcome:
    """
    Raises:
        ValidationError: the record does not fit the question that is asked now.
    """
    if not isinstance(marker, Elicit):
        return _accepted(result_type(marker).model_validate(entry.data))
    if entry.action == "accept":
        return _accepted(marker.schema.model_validate(entry.data))
    return DeclinedElicitation() if entry.action == "decline" else CancelledElicitation()


def _completed(key: str, marker: Sample | ListRoots, data: Any) -> Any:
    try:
        return result_type(marker).model_validate(data)
    except ValidationError as error:
        raise ToolError(f"Resolver {key!r} received a response of the wrong kind") from error


def _content(key: str, marker: Elicit[Any], content: Any) -> Any:
    if content is None:
        raise ToolError(f"Resolver {key!r} received an accepted elicitation with no content")
    try:
        return marker.schema.model_validate(content)
    except ValidationError as error:
        raise ToolError(
            f"Resolver {key!r} received an accepted elicitation whose content does not match the requested schema"
        ) from error


def _params_or_nothing(marker: Marker) -> dict[str, Any] | None:
    """For the event alone: where a question cannot be rendered, asking it raises what the SDK raises there."""
    try:
        return params_json(rendered(marker))
    except Exception:  # the schema is a user's class, and may raise anything
        return None
