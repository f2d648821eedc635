"""What the worker tells about a call while it runs: recorded, and remembered as far as the client needs it."""

from __future__ import annotations

import anyio

from app.calls import CallLog
from resolver_runtime import events as ev
from resolver_runtime.graph import TOOL


class Observer:
    """Called with each event of the worker. `pending` and `sent` hold the latest by wire key and JSON-RPC id."""

    def __init__(self, log: CallLog) -> None:
        self._log = log
        self._running: set[str] = set()
        self._changed = anyio.Event()
        self.pending: dict[str, ev.QuestionPending] = {}
        self.sent: dict[str | int, str | None] = {}

    def __call__(self, time: float, event: ev.Event) -> None:
        self._log.append(event, time)
        match event:
            case ev.QuestionPending():
                self.pending[event.key] = event
            case ev.QuestionSent():
                self.sent[event.request_id] = event.key
            case _:
                self._follow(event)

    async def idle(self) -> None:
        """Wait until no resolver and no tool body of the call runs, as far as was told."""
        while self._running:
            await self._changed.wait()

    def _follow(self, event: ev.Event) -> None:
        match event:
            case ev.ResolverStarted():
                self._running.add(event.node)
            case ev.ToolStarted():
                self._running.add(TOOL)
            case ev.ResolverReturned() | ev.ResolverAsked() | ev.ResolverFailed():
                self._running.discard(event.node)
            case ev.ToolReturned() | ev.ToolFailed():
                self._running.clear()
            case _:
                return
        self._changed.set()
        self._changed = anyio.Event()
