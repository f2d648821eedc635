"""The rounds of one call: send, take the questions to whoever answers, send again, until there is a result.

Modern era: one request per round, the answers of a batch with the next. Handshake era: one request, each question
comes and is answered while it runs. Limits, pauses and refusals are those of the SDK's client.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
from mcp.client import InputRequiredRoundsExceededError
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST, RequestId

from app.client.observer import Observer
from app.client.questions import Question, Questions, kind_of
from app.client.session import MODERN, SimulatedSession
from app.client.settings import ClientSettings
from resolver_runtime import events as ev

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 0.25
"""Before a retry that brings nothing new: the server gave a state and no question. Doubled each time, up to this."""

_REFUSALS: Mapping[ev.QuestionKind, str] = {
    "elicit": "Elicitation not supported",
    "elicit_url": "Elicitation not supported",
    "sample": "Sampling not supported",
    "list_roots": "List roots not supported",
}


class UnknownQuestion(Exception):
    """Raised when a server asks for something that no client of this protocol can answer."""


@dataclass
class Rounds:
    """`fence` waits until the worker has told everything that came before its last message."""

    tool: Mapping[str, Any]
    arguments: Mapping[str, Any]
    settings: ClientSettings
    questions: Questions
    observer: Observer
    record: ev.Emit
    fence: Callable[[], Awaitable[None]]
    number: int = 0

    def __post_init__(self) -> None:
        self._names = {node["key"]: node["name"] for node in self.tool["nodes"] if node["key"] is not None}
        self._asked: set[str] = set()

    async def run(self, session: SimulatedSession) -> dict[str, Any]:
        """The call's result as it came on the wire.

        Raises:
            MCPError: a protocol error, or a refusal by the client.
            InputRequiredRoundsExceededError: more rounds than the client allows.
            UnknownQuestion: a question of no known kind.
        """
        await session.greet(self.settings.era)
        if self.settings.era != MODERN:
            async with self._round():
                return await self._send(session)
        if "x-mcp-header" in repr(self.tool["input_schema"]):
            # The session learns from the listing which arguments go into headers.
            await session.list_tools()
        return await self._retry(session)

    async def on_question(
        self, request_id: RequestId | None, kind: ev.QuestionKind, params: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Answer a question of the handshake era. Raises: MCPError, which goes to the server, for a refusal."""
        await self.fence()
        key = None if request_id is None else self.observer.sent.get(request_id)
        question = self._question(key, kind, params)
        await self._settled([question])
        return dict(question.answer or {})

    async def _retry(self, session: SimulatedSession) -> dict[str, Any]:
        extra: dict[str, Any] = {}
        pause = FIRST_PAUSE_SECONDS
        for retries in range(self.settings.max_rounds + 1):
            async with self._round():
                result = await self._send(session, extra)
                if result.get("resultType") != "input_required":
                    return result
                if retries == self.settings.max_rounds:
                    break
                extra = {"requestState": state} if (state := result.get("requestState")) is not None else {}
                if requests := result.get("inputRequests"):
                    pause = FIRST_PAUSE_SECONDS
                    extra["inputResponses"] = await self._ask(requests)
                else:
                    await anyio.sleep(pause)
                    pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
        raise InputRequiredRoundsExceededError(self.settings.max_rounds)

    async def _send(self, session: SimulatedSession, extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
        params = {"name": self.tool["name"], "arguments": dict(self.arguments), **(extra or {})}
        return await session.call(params)

    @asynccontextmanager
    async def _round(self) -> AsyncIterator[None]:
        self.number += 1
        self.record(ev.RoundStarted(self.number))
        try:
            yield
        except (MCPError, UnknownQuestion):
            await self._end_round()
            raise
        await self._end_round()

    async def _end_round(self) -> None:
        await self.fence()
        self.record(ev.RoundEnded(self.number))

    async def _ask(self, requests: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        await self.fence()
        batch = {key: self._embedded(key, request) for key, request in requests.items()}
        await self._settled(list(batch.values()))
        return {key: question.answer for key, question in batch.items()}

    def _embedded(self, key: str, request: Mapping[str, Any]) -> Question:
        params = request.get("params") or {}
        kind = kind_of(request["method"], params)
        if kind is None:
            raise UnknownQuestion(
                f"The server asked {request['method']!r} under the key {key!r}, which is no question of this protocol. "
                "Ask with elicitation/create, sampling/createMessage or roots/list."
            )
        return self._question(key, kind, params)

    def _question(self, key: str | None, kind: ev.QuestionKind, params: Mapping[str, Any]) -> Question:
        pending = None if key is None else self.observer.pending.get(key)
        asked_before = pending.asked_before if pending else key in self._asked
        if key is not None:
            self._asked.add(key)
        asked = ev.QuestionAsked(
            id=self.questions.next_id(),
            round=self.number,
            key=key,
            resolver=None if key is None else self._names.get(key),
            kind=kind,
            request=dict(params),
            asked_before=asked_before,
            reason=pending.reason if pending else None,
        )
        refusal = {"error": {"code": INVALID_REQUEST, "message": _REFUSALS[kind]}}
        return self.questions.add(asked, None if self.settings.can_answer(kind) else refusal)

    async def _settled(self, batch: list[Question]) -> None:
        await self.questions.settled(batch)
        for question in batch:
            if question.refusal is not None:
                raise MCPError(**question.refusal)
