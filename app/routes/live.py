"""The socket of a page that follows a call: whatever of the page changes, as HTML, in the order of events.

A page says how far it has come (`after`, in which `epoch`) and gets exactly the rest, also from a process that began
after the page. It is sent as fast as it reads and no faster:
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
from app.calls import Recorded
from app.pages import render
from app.pages.fragments import Fragments, Scene, lines, update, whole
from app.routes.context import OwnWorkspace, scene_of
from app.running import Running
from app.view import CallView
from app.workspace import Unknown

ACCESS: Mapping[str, Access] = {"WS /live": "write"}  # as far as access goes: from our own pages only
GATHER_SECONDS = 0.01
"""Events come in bursts: one frame for each burst."""
LONGEST_GATHER_SECONDS = 0.25
"""While there is more to do than time: then many small frames would cost what the calls themselves need."""
CALL_ENDED, CALL_UNKNOWN = 1000, 4404

router = APIRouter()


@router.websocket("/live")
async def live(socket: WebSocket, workspace: OwnWorkspace, call: str, after: int = 0, epoch: int | None = None) -> None:
    """Frames `{"epoch", "seq": number of the last event drawn, "html": parts to swap in}`, until the call has ended."""
    await socket.accept()
    try:
        running = await workspace.running(call)
    except Unknown as unknown:
        await socket.close(CALL_UNKNOWN, str(unknown))
        return
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_gone, socket, tasks.cancel_scope)
        seen = epoch if epoch is not None else workspace.store.epoch
        await _send_frames(socket, Follower(running, scene_of(workspace, running), workspace.store.epoch, after, seen))
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
            await _gather()
    except WebSocketDisconnect:
        return None
    finally:
        leave()


async def _gather() -> None:
    """Let a burst come together; the later this process is with everything, the longer."""
    due = anyio.current_time() + GATHER_SECONDS
    await anyio.sleep(GATHER_SECONDS)
    late = anyio.current_time() - due
    if late > GATHER_SECONDS:
        await anyio.sleep(min(10 * late, LONGEST_GATHER_SECONDS))


async def _until_gone(socket: WebSocket, scope: anyio.CancelScope) -> None:
    """A page never says anything; what comes is that it has left."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
    scope.cancel()


@dataclass
class Follower:
    """What one page shows of a call; `after` is the last event it has drawn, in the epoch `seen`.

    A process that is killed may have shown events that it had not kept yet: such a page is drawn anew.
    """

    running: Running
    scene: Scene
    epoch: int
    after: int
    seen: int
    view: CallView = field(init=False)
    _parts: Fragments = field(init=False)
    _is_astray: bool = field(init=False)

    def __post_init__(self) -> None:
        known = [record for record in self.running.call.log.records() if record.epoch <= self.seen]
        self._is_astray = self.after > len(known)
        drawn = () if self._is_astray else known[: max(0, self.after)]
        self.view = CallView.of(self.running.graph, self.running.call.id, drawn)
        self._parts = self.scene.fragments(self.view)

    def catch_up(self) -> str | None:
        """The frame for everything that happened since the last; None if nothing did."""
        records = self.running.call.log.records(self.view.seq)
        if not records:
            return None
        if self._is_astray:
            return self._anew(records)
        wire, log = len(self.view.wire), len(self.view.log)
        for record in records:
            self.view.apply(record)
        before, self._parts = self._parts, self.scene.fragments(self.view)
        return self._frame(update(before, self._parts) + lines(self.view, wire, log))

    def _anew(self, records: list[Recorded]) -> str:
        self._is_astray = False
        for record in records:
            self.view.apply(record)
        self._parts = self.scene.fragments(self.view)
        return self._frame(render(self._parts["arguments"], oob=True) + whole(self.view, self._parts))

    def _frame(self, html: str) -> str:
        return json.dumps({"epoch": self.epoch, "seq": self.view.seq, "html": html})
