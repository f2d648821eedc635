"""Puts our analysis and our executor in the SDK's place, and takes them back.

The SDK looks its own up in the globals of one module (`mcp.server.mcpserver.tools.base`) at each use: that is the
seam. `Tool.run` stays the SDK's, with an observer round it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from mcp.server.mcpserver.tools import base

from resolver_runtime import analysis
from resolver_runtime.errors import SignatureProblem
from resolver_runtime.events import Emit, Event
from resolver_runtime.executor import run_round
from resolver_runtime.observation import observed
from resolver_runtime.patches import Patches
from resolver_runtime.plan import Plan

OUR_PLAN = "resolver_runtime.plan"
"""Our plan's key among the SDK's plans, whose keys are ids of functions: both fit in one dictionary."""

EXPECTED: Mapping[str, tuple[str, ...]] = {
    "find_resolved_parameters": ("fn",),
    "returns_input_required": ("fn",),
    "build_resolver_plans": ("resolved_params", "tool_arg_names"),
    "resolve_arguments": ("resolved_params", "plans", "tool_args", "context"),
}


class _Seam:
    """What was in our place, and who is told."""

    def __init__(self, emit: Emit) -> None:
        self.emit = emit
        self._patches = Patches()
        self._theirs = {name: self._patches.replace(base, name, getattr(self, name)) for name in EXPECTED}
        self._patches.replace(base.Tool, "run", self._observed_run(base.Tool.run))
        self._patches.replace(base.Tool, "from_function", self._located(vars(base.Tool)["from_function"]))

    def close(self) -> None:
        self._patches.undo()

    def find_resolved_parameters(self, fn: Callable[..., Any]) -> dict[str, Any]:
        return dict(analysis.filled_parameters(fn))

    def returns_input_required(self, fn: Callable[..., Any]) -> bool:
        return analysis.returns_input_required(fn)

    def build_resolver_plans(self, resolved_params: Mapping[str, Any], tool_arg_names: set[str]) -> dict[Hashable, Any]:
        """Our plan; beside it the SDK's, so that the tool goes on working when ours is gone."""
        plan = analysis.plan_of(resolved_params, tool_arg_names)
        return {**self._theirs["build_resolver_plans"](resolved_params, tool_arg_names), OUR_PLAN: plan}

    async def resolve_arguments(
        self, resolved_params: Mapping[str, Any], plans: dict[Hashable, Any], tool_args: Mapping[str, Any], context: Any
    ) -> Any:
        plan = plans.get(OUR_PLAN)
        if not isinstance(plan, Plan):  # registered before we came
            plan = plans[OUR_PLAN] = analysis.plan_of(resolved_params, tool_args)
        return await run_round(plan, tool_args, context, self.emit)

    def _observed_run(self, theirs: Any) -> Any:
        @functools.wraps(theirs)
        async def run(tool: base.Tool, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
            with observed(tool, arguments, self.emit) as copy:
                return await theirs(copy, arguments, context, convert_result)

        return run

    def _located(self, theirs: Any) -> Any:
        @functools.wraps(theirs.__func__)
        def from_function(cls: type[base.Tool], fn: Callable[..., Any], *args: Any, **kwargs: Any) -> base.Tool:
            try:
                tool: base.Tool = theirs.__func__(cls, fn, *args, **kwargs)
            except SignatureProblem as problem:
                problem.tool = (args[0] if args else kwargs.get("name")) or getattr(fn, "__name__", None)
                raise
            return tool

        return classmethod(from_function)


_open: _Seam | None = None


def install(emit: Emit | None = None) -> str | None:
    """See `resolver_runtime.install`."""
    global _open
    if _open is not None:
        _open.emit = emit or _nobody
        return None
    if (reason := _fault()) is None:
        _open = _Seam(emit or _nobody)
    return reason


def uninstall() -> None:
    """See `resolver_runtime.uninstall`."""
    global _open
    if _open is not None:
        _open.close()
        _open = None


def _fault() -> str | None:
    """Why ours has no place in the installed `mcp`, or None."""
    missing = [f"{name}({', '.join(names)})" for name, names in EXPECTED.items() if not _takes(name, names)]
    missing += [f"Tool.{name}" for name in ("run", "from_function") if name not in vars(base.Tool)]
    if not missing:
        return None
    return (
        f"The installed mcp has no {missing[0]} where ours would take its place, so the SDK's own executor runs; "
        "the graph shows what the SDK tells from outside."
    )


def _takes(name: str, parameters: tuple[str, ...]) -> bool:
    found = getattr(base, name, None)
    return found is not None and tuple(inspect.signature(found).parameters) == parameters


def _nobody(event: Event) -> None:
    """For who wants our runtime and no events."""
