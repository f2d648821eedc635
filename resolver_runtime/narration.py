"""What a round tells while it runs: each step as an event, and at its end what was not reached, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from resolver_runtime import events as ev
from resolver_runtime.describe import cut, failure_of, gist, name_of, short
from resolver_runtime.graph import TOOL
from resolver_runtime.plan import Plan, ResolverPlan


class Narration:
    """The story of one round of one call."""

    def __init__(self, plan: Plan, emit: ev.Emit) -> None:
        self._plan = plan
        self._emit = emit
        self._started: set[str] = set()
        self._waiting: set[str] = set()

    def started(self, resolver: ResolverPlan) -> None:
        self._started.add(resolver.node)
        self._emit(ev.ResolverStarted(resolver.node, resolver.key))

    def returned(self, resolver: ResolverPlan, value: Any, seconds: float) -> None:
        self._emit(ev.ResolverReturned(resolver.node, resolver.key, short(value), seconds))

    def reused(self, resolver: ResolverPlan, consumer: str, parameter: str) -> None:
        self._emit(ev.ResolverReused(resolver.node, resolver.key, consumer, parameter))

    def asked(
        self, resolver: ResolverPlan, kind: ev.QuestionKind, message: str, digest: str | None, seconds: float
    ) -> None:
        self._emit(ev.ResolverAsked(resolver.node, resolver.key, kind, cut(message), digest, seconds))

    def pending(
        self,
        resolver: ResolverPlan,
        kind: ev.QuestionKind,
        request: Mapping[str, Any] | None,
        asked_before: bool = False,
        reason: str | None = None,
    ) -> None:
        self._waiting.add(resolver.node)
        self._emit(ev.QuestionPending(resolver.node, resolver.key, kind, request or {}, asked_before, reason))

    def answered(self, resolver: ResolverPlan, action: ev.Action, value: Any = None) -> None:
        self._waiting.discard(resolver.node)
        text = short(value) if action == "accept" else None
        self._emit(ev.OutcomeAnswered(resolver.node, resolver.key, action, text))

    def restored(self, resolver: ResolverPlan, action: ev.Action, value: Any = None) -> None:
        text = short(value) if action == "accept" else None
        self._emit(ev.OutcomeRestored(resolver.node, resolver.key, action, text))

    def discarded(self, resolver: ResolverPlan, reason: str) -> None:
        self._emit(ev.AnswerDiscarded(resolver.node, resolver.key, reason))

    def failed(self, resolver: ResolverPlan, error: BaseException) -> None:
        self._emit(ev.ResolverFailed(resolver.node, resolver.key, failure_of(error)))

    def ended_with_questions(self) -> None:
        """The round ends here: say of each node that did not run what it waits for."""
        for resolver in self._not_started():
            needs = ", ".join(name_of(one.fn) for one in self._waiting_for(resolver))
            self._emit(ev.NodeNotReached(resolver.node, f"It needs {needs}, and runs when that has its answer."))
        asking = ", ".join(name_of(one.fn) for one in self._plan.resolvers.values() if one.node in self._waiting)
        self._emit(ev.NodeNotReached(TOOL, f"The tool runs when {asking} has its answer."))

    def ended_with(self, error: BaseException) -> None:
        """The round ends with an error: nothing after it runs."""
        failed = isinstance(error, Exception)
        reason = f"The call ended before it: {gist(error)}" if failed else "The call was stopped before it."
        for resolver in self._not_started():
            self._emit(ev.NodeNotReached(resolver.node, reason))
        self._emit(ev.NodeNotReached(TOOL, reason))

    def _not_started(self) -> Iterator[ResolverPlan]:
        return (resolver for resolver in self._plan.resolvers.values() if resolver.node not in self._started)

    def _waiting_for(self, resolver: ResolverPlan) -> list[ResolverPlan]:
        """The dependencies that keep a resolver from running: those that wait, or do not run themselves."""
        needed = [parameter.resolver for parameter in resolver.parameters if parameter.resolver is not None]
        return [one for one in needed if one.node in self._waiting or one.node not in self._started]
