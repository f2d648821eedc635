"""One tool call from its start to its one end.

Drives the rounds; what was asked and what happened it leaves to `questions` and to the log. It never raises for what a
server or a module does: every way a call can end is a `CallEnded`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

import anyio
from mcp.client import InputRequiredRoundsExceededError
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED

from app.answers import Answer
from app.calls import INTERRUPTED, CallLog
from app.client.connection import Direction, connected
from app.client.observer import Observer
from app.client.questions import Questions
from app.client.rounds import Rounds, UnknownQuestion
from app.client.session import SimulatedSession
from app.client.settings import ClientSettings
from resolver_runtime import events as ev

ID_BYTES = 16
"""Of a call's name: who may see it is checked, and whoever guesses has nothing to guess."""
CLOSE_SECONDS = 0.3
"""For taking leave of a worker after Stop: one that spins never answers."""
IDLE_SECONDS = 0.3
"""For the cancelled code to come to its end; after it the worker counts as stuck. With the one above under a second."""
FENCE_SECONDS = 0.2
"""For the worker's last events of the call; without a bound another call that spins would hold this one's end."""
DEATH_SECONDS = 0.5
"""Between a connection that breaks and the word of why the worker died."""


class Death(Protocol):
    """Why a worker ended, in sentences."""

    @property
    def sentence(self) -> str: ...
    @property
    def next_step(self) -> str: ...


class CalledWorker(Protocol):
    """What a call needs of a worker."""

    @property
    def survey(self) -> Mapping[str, Any]: ...
    @property
    def socket(self) -> str: ...
    def listen(self, call: str | None, emit: Callable[[float, ev.Event], None]) -> AbstractContextManager[object]: ...
    async def fence(self) -> None: ...
    async def wait_dead(self) -> Death: ...


class Call:
    """A call of `tool` (its entry in the survey) on the worker's server number `server`.

    `log` takes its events. `worker_stuck` says, once `run` is over, that code of this call still runs: only killing the
    worker ends it.
    """

    def __init__(
        self,
        worker: CalledWorker,
        server: int,
        tool: Mapping[str, Any],
        arguments: Mapping[str, Any],
        settings: ClientSettings | None = None,
        log: CallLog | None = None,
    ) -> None:
        self.id = secrets.token_hex(ID_BYTES)
        self.log = log or CallLog()
        self.tool = tool
        self.arguments = arguments
        self.settings = settings or ClientSettings()
        self.ended = False
        self.worker_stuck = False
        self._worker = worker
        self._server = server
        self._observer = Observer(self.log)
        self._questions = Questions(self.log.append)
        self._end: ev.CallEnded | None = None
        self._heard = False
        self._stopped = anyio.Event()

    async def run(self) -> None:
        """Make the call. Once only; returns within a second of `stop`."""
        capabilities = tuple(sorted(self.settings.capabilities))
        engine = self._worker.survey["engine"]
        self.log.append(
            ev.CallStarted(self.tool["name"], dict(self.arguments), self.settings.era, capabilities, engine)
        )
        end = INTERRUPTED
        with self._worker.listen(self.id, self._observer):
            try:
                end = await self._run_to_end()
            finally:  # also when whoever runs the call is cancelled, for then the process ends
                self._questions.close()
                self.ended = True
                self.log.append(end)

    def answer(self, question_id: str, answer: Answer) -> None:
        """Settle a question: the answer as it goes on the wire, or `{"error": {"code", "message"}}` to refuse it.

        Raises:
            QuestionSettled: the question is not open.
        """
        self._questions.answer(question_id, answer)

    def reopen(self, question_id: str) -> None:
        """Take an answer back while its round has not gone.

        Raises:
            QuestionSettled: it has gone.
        """
        self._questions.reopen(question_id)

    def stop(self, end: ev.CallEnded | None = None) -> None:
        """End the call now, as `end` says (by default: stopped by the user). A call that is over stays as it is."""
        self._settle(end or ev.CallEnded("stopped"))
        self._stopped.set()

    async def _run_to_end(self) -> ev.CallEnded:
        with anyio.CancelScope() as whole:
            async with anyio.create_task_group() as watchers:
                work = anyio.CancelScope()
                watchers.start_soon(self._watch_for_stop, work, whole)
                watchers.start_soon(self._watch_for_death, whole)
                await self._exchange(work, whole)
                watchers.cancel_scope.cancel()
        self.worker_stuck = self._stopped.is_set() and await self._is_stuck()
        if not self.worker_stuck and not self._heard:
            with anyio.move_on_after(FENCE_SECONDS):
                await self._worker.fence()
        return self._end or ev.CallEnded("stopped")

    async def _exchange(self, work: anyio.CancelScope, whole: anyio.CancelScope) -> None:
        path = f"/{self._server}/{self.id}/mcp"
        rounds = Rounds(
            self.tool,
            self.arguments,
            self.settings,
            self._questions,
            self._observer,
            self.log.append,
            self._worker.fence,
        )
        try:
            async with (
                connected(self._worker.socket, path, self.settings.headers, self._told) as (read, write),
                SimulatedSession(read, write, self.settings.capabilities, rounds.on_question) as session,
            ):
                with work:
                    self._settle(await self._outcome(rounds, session))
                whole.deadline = anyio.current_time() + CLOSE_SECONDS
        except Exception as error:  # whatever the transport's socket, codec and tasks raise, in groups or not
            self._settle(await self._broken(error))

    async def _outcome(self, rounds: Rounds, session: SimulatedSession) -> ev.CallEnded:
        try:
            result = await rounds.run(session)
            self._heard = True  # its last round ended with a fence
        except MCPError as error:
            if error.code == CONNECTION_CLOSED and (died := await self._died()) is not None:
                return died
            return _error(error.code, error.message, error.data)
        except (InputRequiredRoundsExceededError, UnknownQuestion) as error:
            return _error(None, str(error))
        return ev.CallEnded("failed" if result.get("isError") else "done", result=result)

    async def _broken(self, error: Exception) -> ev.CallEnded:
        died = await self._died()
        cause = _innermost(error)
        return died or _error(
            None,
            f"The exchange with the worker broke off: {type(cause).__name__}: {cause}. Run the tool again; "
            "if it happens again, look at the last message under Wire for what cannot be sent or read.",
        )

    async def _died(self) -> ev.CallEnded | None:
        with anyio.move_on_after(DEATH_SECONDS):
            return _death(await self._worker.wait_dead())
        return None

    async def _watch_for_death(self, whole: anyio.CancelScope) -> None:
        death = await self._worker.wait_dead()
        self._settle(_death(death))
        whole.cancel()

    async def _watch_for_stop(self, work: anyio.CancelScope, whole: anyio.CancelScope) -> None:
        await self._stopped.wait()
        work.cancel()
        whole.deadline = anyio.current_time() + CLOSE_SECONDS

    async def _is_stuck(self) -> bool:
        with anyio.move_on_after(IDLE_SECONDS):
            await self._worker.fence()
            await self._observer.idle()
            return False
        return True

    def _told(self, direction: Direction, message: dict[str, Any]) -> None:
        self.log.append(ev.WireMessage(direction, message))
        if (heard := _heard(message)) is not None:
            self.log.append(heard)

    def _settle(self, end: ev.CallEnded) -> None:
        if self._end is None:
            self._end = end


def _heard(message: Mapping[str, Any]) -> ev.Event | None:
    params = message.get("params") or {}
    match message.get("method"):
        case "notifications/progress":
            return ev.Progressed(params["progress"], params.get("total"), params.get("message"))
        case "notifications/message":
            return ev.ClientLogged(params["level"], params.get("logger"), params.get("data"))
        case _:
            return None


def _error(code: int | None, message: str, data: Any = None) -> ev.CallEnded:
    return ev.CallEnded("error", error={"code": code, "message": message, "data": data})


def _death(death: Death) -> ev.CallEnded:
    return ev.CallEnded("died", error={"code": None, "message": f"{death.sentence} {death.next_step}", "data": None})


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
