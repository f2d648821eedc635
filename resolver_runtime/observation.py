"""A registered tool observed while it runs once: its arguments, its body, and what came of them.

Works on a copy of the tool for one run, so that what is registered stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools.base import Tool

from resolver_runtime import events as ev
from resolver_runtime.describe import failure_of, short


@contextmanager
def observed(tool: Tool, arguments: Mapping[str, Any], emit: ev.Emit) -> Iterator[Tool]:
    """The tool to run in its place; an error that leaves the body of the `with` is told with its phase."""
    metadata = _Metadata(tool, emit)
    _tell_ignored(tool, arguments, emit)
    try:
        yield tool.model_copy(update={"fn_metadata": metadata})
    except BaseException as error:  # a cancelled run has ended too
        # The SDK raises its own error, which says less than what it was raised from.
        failure = failure_of(error.__cause__ if isinstance(error, ToolError) and error.__cause__ else error)
        if metadata.phase == "arguments":
            emit(ev.ArgumentsRefused(failure))
        emit(ev.ToolFailed(metadata.phase, failure))
        raise


class _Metadata:
    """The tool's metadata, as the SDK uses them during a run; `phase` is how far the run has come."""

    def __init__(self, tool: Tool, emit: ev.Emit) -> None:
        self._theirs = tool.fn_metadata
        self._emit = emit
        self.phase: Literal["arguments", "resolvers", "body"] = "arguments"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)

    def validate_arguments(self, arguments: dict[str, Any]) -> dict[str, Any]:
        validated = self._theirs.validate_arguments(arguments)
        self._emit(ev.ArgumentsValidated({name: short(value) for name, value in validated.items()}))
        self.phase = "resolvers"
        return validated

    async def call_fn(self, *args: Any) -> Any:
        return await self._told(self._theirs.call_fn(*args))

    async def call_fn_with_arg_validation(
        self, fn: Any, is_async: bool, arguments: dict[str, Any], directly: Any, pre_validated: Any = None
    ) -> Any:
        """mcp 2.0 calls the body by this name, and validates here unless a resolver needed the arguments before."""
        validated = self.validate_arguments(arguments) if pre_validated is None else pre_validated
        theirs: Any = self._theirs
        return await self._told(theirs.call_fn_with_arg_validation(fn, is_async, arguments, directly, validated))

    async def _told(self, body: Awaitable[Any]) -> Any:
        self.phase = "body"
        self._emit(ev.ToolStarted())
        began = time.perf_counter()
        result = await body
        self._emit(ev.ToolReturned(short(result), time.perf_counter() - began))
        return result


def _tell_ignored(tool: Tool, arguments: Mapping[str, Any], emit: ev.Emit) -> None:
    fields = tool.fn_metadata.arg_model.model_fields
    unknown = [name for name in arguments if name not in fields]
    if not unknown:
        return
    aliases = {field.alias for field in fields.values()}
    hidden = {*tool.resolved_params, tool.context_kwarg}
    for name in unknown:
        if name not in aliases:
            emit(ev.ArgumentIgnored(name, short(arguments[name]), name in hidden))
