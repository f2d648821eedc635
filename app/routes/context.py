"""What every route needs of the application: its settings, the workspace of who is asking, the page's scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from app.assets import ScriptTag
from app.pages.fragments import Scene
from app.running import Running
from app.settings import Settings
from app.workspace import Workspace


@dataclass(frozen=True)
class Playground:
    """The application's state while it serves; `scripts` are those of others that the page loads."""

    settings: Settings
    workspace: Workspace
    scripts: tuple[ScriptTag, ...]


def playground_of(connection: HTTPConnection) -> Playground:
    playground: Playground = connection.app.state.playground
    return playground


def workspace_of(connection: HTTPConnection) -> Workspace:
    """The workspace of who is asking: today there is one."""
    return playground_of(connection).workspace


def scene_of(workspace: Workspace, running: Running) -> Scene:
    return Scene(running.place, running.tool["input_schema"], running.raw, workspace.roots)


OwnPlayground = Annotated[Playground, Depends(playground_of)]
OwnWorkspace = Annotated[Workspace, Depends(workspace_of)]
