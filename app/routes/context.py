"""What every route needs of the application: its settings, the workspace of who is asking, the page's scripts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from app.assets import ScriptTag
from app.gate import BROWSER
from app.pages.fragments import Scene
from app.running import Running
from app.settings import Settings
from app.workspace import Workspace
from app.workspaces import Workspaces


@dataclass(frozen=True)
class Playground:
    """The application's state while it serves; `scripts` are those of others that the page loads."""

    settings: Settings
    workspaces: Workspaces
    scripts: tuple[ScriptTag, ...]


def playground_of(connection: HTTPConnection) -> Playground:
    playground: Playground = connection.app.state.playground
    return playground


async def workspace_of(connection: HTTPConnection) -> AsyncIterator[Workspace]:
    """The workspace of who is asking, which stays as long as the answer or the socket lasts.

    What another workspace has is not in it, and so is not there at all: no route needs to ask whose a call is.

    Raises:
        Full: there is no room for another.
    """
    async with playground_of(connection).workspaces.visit(connection.scope[BROWSER]) as workspace:
        yield workspace


def scene_of(workspace: Workspace, running: Running) -> Scene:
    return Scene(running.place, running.tool["input_schema"], running.raw, workspace.roots)


OwnPlayground = Annotated[Playground, Depends(playground_of)]
OwnWorkspace = Annotated[Workspace, Depends(workspace_of)]
