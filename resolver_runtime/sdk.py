"""The SDK's own executor, observed from outside: what runs, what is asked and what is answered, as far as it shows.

For comparison with ours, and where ours has no place. It cannot be seen whether an outcome was restored or answered
anew but by looking at the request, why a question comes again, or what was not reached: those events are not told.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from mcp.server.mcpserver import resolve
from mcp.server.mcpserver.resolve import Resolve
from mcp.server.mcpserver.tools import base

from resolver_runtime import events as ev
from resolver_runtime.analysis import identity_of, is_async
from resolver_runtime.describe import cut, failure_of, short
from resolver_runtime.executor import asking
from resolver_runtime.graph import resolver_id
from resolver_runtime.observation import observed
from resolver_runtime.patches import Patches
from resolver_runtime.questions import MARKERS, kind_of, message_of, params_json, rendered

_keys: ContextVar[Mapping[Hashable, str]] = ContextVar("wire_keys", default=MappingProxyType({}))
"""Of the tool that runs: the wire key of each resolver by its identity. A resolver may have another in another tool."""

_open: _Observer | None = None


def observe(emit: ev.Emit) -> None:
    """Tell `emit` from now on. Once per process until `unobserve`."""
    global _open
    if _open is None:
        _open = _Observer(emit)


def unobserve() -> None:
    """Stop telling."""
    global _open
    if _open is not None:
        _open.close()
        _open = None


class _Observer:
    def __init__(self, emit: ev.Emit) -> None:
        self._emit = emit
        self._behind: dict[Hashable, Callable[..., Any]] = {}
        self._patches = Patches()
        self._their_plans = self._patches.replace(base, "build_resolver_plans", self._build_resolver_plans)
        self._their_arguments = self._patches.replace(base, "resolve_arguments", self._resolve_arguments)
        self._their_fulfil = self._patches.replace(resolve, "_fulfil", self._fulfil)
        self._patches.replace(base.Tool, "run", self._observed_run(base.Tool.run))

    def close(self) -> None:
        """Tools that were registered meanwhile keep the resolvers that tell; nobody hears them any more."""
        self._patches.undo()
        self._emit = _nobody

    def _build_resolver_plans(self, resolved_params: dict[str, Any], tool_arg_names: set[str]) -> dict[Hashable, Any]:
        """The SDK's plans, with each resolver behind one that tells; the user's own markers stay as they are."""
        plans = self._their_plans(resolved_params, tool_arg_names)
        for plan in plans.values():
            for parameter in plan.params.values():
                if parameter.resolve is not None:
                    parameter.resolve = Resolve(self._telling(parameter.resolve.fn))
        for name, (marker, whole) in resolved_params.items():
            resolved_params[name] = (Resolve(self._telling(marker.fn)), whole)
        return {identity_of(self._telling(plan.fn)): plan for plan in plans.values()}

    async def _resolve_arguments(self, resolved_params: Any, plans: Mapping[Hashable, Any], *rest: Any) -> Any:
        token = _keys.set({identity: plan.wire_key for identity, plan in plans.items()})
        try:
            return await self._their_arguments(resolved_params, plans, *rest)
        finally:
            _keys.reset(token)

    def _observed_run(self, theirs: Any) -> Any:
        @functools.wraps(theirs)
        async def run(tool: base.Tool, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
            with observed(tool, arguments, self._emit) as copy:
                return await theirs(copy, arguments, context, convert_result)

        return run

    async def _fulfil(self, marker: Any, key: str, res: Any) -> Any:
        token = asking.set(key)
        try:
            if not res.input_required:
                self._pending(marker, key)
            outcome = await self._their_fulfil(marker, key, res)
        except Exception as error:
            if key in res.pending:
                self._pending(marker, key)
            else:
                self._emit(ev.ResolverFailed(resolver_id(key), key, failure_of(error)))
            raise
        finally:
            asking.reset(token)
        text = short(outcome.data) if outcome.action == "accept" else None
        # A record that was not believed is gone by now.
        told = ev.OutcomeRestored if key in res.state else ev.OutcomeAnswered
        self._emit(told(resolver_id(key), key, outcome.action, text))
        return outcome

    def _pending(self, marker: Any, key: str) -> None:
        request = params_json(rendered(marker)) or {}
        self._emit(ev.QuestionPending(resolver_id(key), key, kind_of(marker), request, False, None))

    def _telling(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The resolver behind one that tells of its runs; the same for each use, for its identity counts."""
        identity = identity_of(fn)
        if identity not in self._behind:
            self._behind[identity] = self._async_telling(fn) if is_async(fn) else self._sync_telling(fn)
        return self._behind[identity]

    def _sync_telling(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        def telling(**arguments: Any) -> Any:
            with self._told(identity_of(telling)) as returned:
                return returned(fn(**arguments))

        return telling

    def _async_telling(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        async def telling(**arguments: Any) -> Any:
            with self._told(identity_of(telling)) as returned:
                return returned(await fn(**arguments))

        return telling

    @contextmanager
    def _told(self, identity: Hashable) -> Iterator[Callable[[Any], Any]]:
        """One run of a resolver; what it returned is to be passed through the function that this gives."""
        key = _keys.get().get(identity, "")
        node = resolver_id(key)

        def returned(value: Any) -> Any:
            seconds = time.perf_counter() - began
            if isinstance(value, MARKERS):
                self._emit(ev.ResolverAsked(node, key, kind_of(value), cut(message_of(value)), None, seconds))
            else:
                self._emit(ev.ResolverReturned(node, key, short(value), seconds))
            return value

        self._emit(ev.ResolverStarted(node, key))
        began = time.perf_counter()
        try:
            yield returned
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            self._emit(ev.ResolverFailed(node, key, failure_of(error)))
            raise


def _nobody(event: ev.Event) -> None:
    """When nobody observes any more."""
