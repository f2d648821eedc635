"""The SDK's own executor, observed from outside: what runs, what is asked and what is answered, as far as it shows.

For comparison with ours, and where ours has no place. It cannot be seen whether an outcome was restored or answered
anew but by looking at the request, why a question comes again, or what was not reached: those events are not told.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from mcp.server.mcpserver import resolve
from mcp.server.mcpserver.tools import base

from resolver_runtime import events as ev
from resolver_runtime.analysis import identity_of, is_async
from resolver_runtime.describe import failure_of, short
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
        self._watched: dict[Hashable, Callable[..., Any]] = {}
        self._patches = Patches()
        self._their_plans = self._patches.replace(base, "build_resolver_plans", self._build_resolver_plans)
        self._their_arguments = self._patches.replace(base, "resolve_arguments", self._resolve_arguments)
        self._their_fulfil = self._patches.replace(resolve, "_fulfil", self._fulfil)
        self._patches.replace(base.Tool, "run", self._observed_run(base.Tool.run))

    def close(self) -> None:
        self._patches.undo()

    def _build_resolver_plans(self, resolved_params: Mapping[str, Any], tool_arg_names: set[str]) -> Any:
        """The SDK's plans; each resolver is put behind one that counts before they are made again for good."""
        plans = self._their_plans(resolved_params, tool_arg_names)
        markers = [marker for marker, _ in resolved_params.values()]
        markers += [one.resolve for plan in plans.values() for one in plan.params.values() if one.resolve is not None]
        for marker in markers:
            marker.fn = self._counting(marker.fn)
        return self._their_plans(resolved_params, tool_arg_names)

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
        except Exception:
            if key in res.pending:
                self._pending(marker, key)
            raise
        finally:
            asking.reset(token)
        text = short(outcome.data) if outcome.action == "accept" else None
        was_asked = res.input_required and key not in res.answers
        told = ev.OutcomeRestored if was_asked else ev.OutcomeAnswered
        self._emit(told(resolver_id(key), key, outcome.action, text))
        return outcome

    def _pending(self, marker: Any, key: str) -> None:
        request = params_json(rendered(marker)) or {}
        self._emit(ev.QuestionPending(resolver_id(key), key, kind_of(marker), request, False, None))

    def _counting(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The resolver behind one that tells of its runs; one for each, for its identity counts."""
        if getattr(fn, "__counts__", False):
            return fn
        identity = identity_of(fn)
        if identity not in self._watched:
            self._watched[identity] = self._async_counting(fn) if is_async(fn) else self._sync_counting(fn)
        return self._watched[identity]

    def _sync_counting(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def counting(*args: Any, **kwargs: Any) -> Any:
            began, key = self._started(counting)
            try:
                return self._returned(key, fn(*args, **kwargs), began)
            except Exception as error:
                self._failed(key, error)
                raise

        return _marked(counting, fn)

    def _async_counting(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        async def counting(*args: Any, **kwargs: Any) -> Any:
            began, key = self._started(counting)
            try:
                return self._returned(key, await fn(*args, **kwargs), began)
            except Exception as error:
                self._failed(key, error)
                raise

        return _marked(counting, fn)

    def _started(self, counting: Callable[..., Any]) -> tuple[float, str]:
        key = _keys.get().get(identity_of(counting), "")
        self._emit(ev.ResolverStarted(resolver_id(key), key))
        return time.perf_counter(), key

    def _returned(self, key: str, value: Any, began: float) -> Any:
        seconds = time.perf_counter() - began
        if isinstance(value, MARKERS):
            self._emit(ev.ResolverAsked(resolver_id(key), key, kind_of(value), message_of(value), None, seconds))
        else:
            self._emit(ev.ResolverReturned(resolver_id(key), key, short(value), seconds))
        return value

    def _failed(self, key: str, error: Exception) -> None:
        self._emit(ev.ResolverFailed(resolver_id(key), key, failure_of(error)))


def _marked(counting: Any, fn: Callable[..., Any]) -> Callable[..., Any]:
    """A callable object has no names of its own: its class lends them, as it does for the wire key."""
    counting.__counts__ = True
    counting.__qualname__ = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    counting.__name__ = getattr(fn, "__name__", None) or type(fn).__name__
    counting.__module__ = getattr(fn, "__module__", None) or type(fn).__module__
    marked: Callable[..., Any] = counting
    return marked
