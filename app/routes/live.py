"""The socket of a page that follows a call: whatever of the page changes, as HTML, in the order of events.

A page says how far it has come (`after`) and gets exactly the rest. It is sent as fast as it reads and no faster:
while one frame is on its way the next gathers, so a slow page costs nothing and delays nobody.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio
from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from app.access import Access
from app.pages.fragments import Fragments, Scene, lines, update
from app.routes.context import OwnWorkspace, scene_of
from app.view import CallView
from app.workspace import Running, Unknown

ACCESS: Mapping[str, Access] = {"WS /live": "write"}  # as far as access goes: from our own pages only
GATHER_SECONDS = 0.01
"""Events come in bursts: one frame for each burst."""
CALL_ENDED, CALL_UNKNOWN = 1000, 4404

router = APIRouter()


@router.websocket("/live")
async def live(socket: WebSocket, workspace: OwnWorkspace, call: str, after: int = 0) -> None:
    """Frames `{"seq": number of the last event drawn, "html": parts to swap in}`, until the call has ended."""
    await socket.accept()
    try:
        running = workspace.running(call)
    except Unknown as unknown:
        await socket.close(CALL_UNKNOWN, str(unknown))
        return
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_gone, socket, tasks.cancel_scope)
        await _send_frames(socket, Follower(running, scene_of(workspace, running), after))
        tasks.cancel_scope.cancel()


async def _send_frames(socket: WebSocket, follower: Follower) -> None:
    changed = anyio.Event()
    leave = follower.running.call.log.subscribe(lambda _: changed.set())
    try:
        while True:
            changed = anyio.Event()
            if frame := follower.catch_up():
                await socket.send_text(frame)
            if follower.view.ended:
                return await socket.close(CALL_ENDED)
            await changed.wait()
            await anyio.sleep(GATHER_SECONDS)
    except WebSocketDisconnect:
        return None
    finally:
        leave()


async def _until_gone(socket: WebSocket, scope: anyio.CancelScope) -> None:
    """A page never says anything; what comes is that it has left."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
    scope.cancel()


@dataclass
class Follower:
    """What one page shows of a call; `after` is the last event it has drawn."""

    running: Running
    scene: Scene
    after: int
    view: CallView = field(init=False)
    _parts: Fragments = field(init=False)

    def __post_init__(self) -> None:
        drawn = [record for record in self.running.call.log.records() if record.seq <= self.after]
        self.view = CallView.of(self.running.graph, self.running.call.id, drawn)
        self._parts = self.scene.fragments(self.view)

    def catch_up(self) -> str | None:
        """The frame for everything that happened since the last; None if nothing did."""
        records = self.running.call.log.records(self.view.seq)
        if not records:
            return None
        wire, log = len(self.view.wire), len(self.view.log)
        for record in records:
            self.view.apply(record)
        before, self._parts = self._parts, self.scene.fragments(self.view)
        html = update(before, self._parts) + lines(self.view, wire, log)
        return json.dumps({"seq": self.view.seq, "html": html})
