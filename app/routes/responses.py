"""Answers in JSON whose texts come from a module or a person, who may write what UTF-8 and JSON cannot hold."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse

from app.documents import json_of


class Document(JSONResponse):
    """A document as the command line prints it."""

    def render(self, content: Any) -> bytes:
        return json_of(content).encode("ascii")
