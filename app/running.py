"""A call with what belongs to it: the tool as it was then, its place on the page, and what of that outlives a restart.

Knows neither workers nor files: a call that runs and one of an earlier process look the same from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Protocol

from app.answers import Answer
from app.calls import CallLog
from app.client.questions import QuestionSettled
from app.client.settings import ClientSettings
from app.pages.naming import Place
from app.store import Kept
from app.view import CallView
from app.workers import Worker
from resolver_runtime.graph import Graph


class AnyCall(Protocol):
    """What there is to do with a call, whether it runs or not."""

    @property
    def id(self) -> str: ...
    @property
    def log(self) -> CallLog: ...
    @property
    def settings(self) -> ClientSettings: ...
    @property
    def ended(self) -> bool: ...
    def answer(self, question_id: str, answer: Answer, /) -> None: ...
    def reopen(self, question_id: str) -> None: ...
    def stop(self) -> None: ...


@dataclass
class EarlierCall:
    """A call of an earlier process: nothing of it runs. Its log is empty until somebody asks for it."""

    id: str
    settings: ClientSettings
    log: CallLog
    ended: bool = True

    def answer(self, question_id: str, _answer: Answer) -> None:
        """Raises: QuestionSettled, always."""
        raise QuestionSettled(f"Question {question_id} is not open: the call is over.")

    def reopen(self, question_id: str) -> None:
        """Raises: QuestionSettled, always."""
        raise QuestionSettled(f"Question {question_id} has gone: the call is over.")

    def stop(self) -> None:
        """It is over."""


@dataclass
class Running:
    """A call and where it runs; `raw` is the JSON its arguments were typed as, "" when they came from the form.

    `tool` is its entry in the survey. `worker` is None for a call of an earlier process.
    """

    call: AnyCall
    place: Place
    tool: Mapping[str, Any]
    raw: str = ""
    worker: Worker | None = None

    @cached_property
    def graph(self) -> Graph:
        return Graph.from_json(self.tool)

    def view(self) -> CallView:
        return CallView.of(self.graph, self.call.id, self.call.log.records())

    def kept(self, module: str) -> Kept:
        """What is put on disk with its first event; `module` names the module beyond this process."""
        client = self.call.settings
        about = {
            "module": module,
            "server": self.place.server,
            "raw": self.raw,
            "client": {**asdict(client), "capabilities": sorted(client.capabilities)},
        }
        return Kept(self.call.id, about, self.tool)


def earlier(kept: Kept, module_id: str) -> Running:
    """The call as `Running.kept` put it."""
    about = kept.about
    client = about["client"]
    settings = ClientSettings(**{**client, "capabilities": frozenset(client["capabilities"])})
    call = EarlierCall(kept.id, settings, CallLog())
    return Running(call, Place(module_id, about["server"], kept.tool["name"]), kept.tool, about["raw"])
