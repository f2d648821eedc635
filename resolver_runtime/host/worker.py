"""The life of a worker process: divert the output, load, survey, serve, end."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType

import anyio
import uvicorn

import resolver_runtime
from resolver_runtime import sdk
from resolver_runtime.host import taps
from resolver_runtime.host.isolation import isolate
from resolver_runtime.host.job import Job
from resolver_runtime.host.loading import Loaded, load, needed, split_target
from resolver_runtime.host.loop import Loop
from resolver_runtime.host.output import Ends, Output, capture, flush_before_the_end
from resolver_runtime.host.problem import Problem, import_problem
from resolver_runtime.host.reporter import Reporter, current_call
from resolver_runtime.host.serving import opened, serve
from resolver_runtime.host.survey import survey, with_problem

BACKLOG = 256


def run(job: Job, ends: Ends) -> None:
    """Be the worker of this job, to its end; `ends` are the pipes that standard output and error are to go to."""
    with socket.socket(socket.AF_UNIX) as connection, socket.socket(socket.AF_UNIX) as listener:
        connection.connect(job.reports)
        listener.bind(job.socket)
        if job.scratch is not None:
            # Behind the walls there are no sockets to be made; and round a thread that runs they would not go.
            _isolate(job, job.scratch)
        reporter = Reporter(connection)
        output = capture(reporter.tell, ends)

        def say_all() -> None:
            output.settle()
            reporter.flush()

        flush_before_the_end(say_all)
        for forked in (reporter.mute, output.forked):
            os.register_at_fork(after_in_child=forked)
        try:
            _Worker(job, reporter, output, listener).work()
        finally:
            say_all()


def _isolate(job: Job, scratch: str) -> None:
    os.mkdir(scratch, 0o700)
    isolate(scratch, needed(job.module, job.directory), os.path.dirname(scratch))


class _Worker:
    def __init__(self, job: Job, reporter: Reporter, output: Output, listener: socket.socket) -> None:
        self._job = job
        self._listener = listener
        self._reporter = reporter
        self._output = output

    def work(self) -> None:
        os.chdir(self._job.directory)
        sys.argv = [split_target(self._job.module)[0]]
        sys.modules["__main__"] = ModuleType("__main__")  # a user's module would find our first lines there
        self._reporter.send("hello", pid=os.getpid())
        self._engine, self._note = _engine(self._job, self._reporter)
        loaded = load(self._job.module, self._job.directory)
        self._output.finish(None)
        self._tap(loaded)
        anyio.run(self._serve, loaded, backend_options={"loop_factory": Loop})

    def _tap(self, loaded: Loaded) -> None:
        taps.guard_runs(lambda: self._output.finish(current_call.get()))
        taps.tap_questions(self._reporter.emit)
        taps.tap_states(self._reporter.emit, loaded.registry.with_policy)
        for one in loaded.servers:
            if one.server not in loaded.registry.with_policy:
                taps.keep_states(one.server, self._job.key)

    async def _serve(self, loaded: Loaded) -> None:
        try:
            async with opened([one.server for one in loaded.servers]) as app:
                self._listener.listen(BACKLOG)
                # Only now: a lifespan may add tools.
                self._reporter.send("loaded", survey=self._survey(loaded))
                await serve(app, self._listener, lambda server: self._listen(partial(_end, server)))
        except Exception as error:  # a user's lifespan may raise anything
            document = with_problem(self._survey(loaded), _lifespan_problem(error))
            self._reporter.send("loaded", survey=document)
            await self._stay()

    async def _stay(self) -> None:
        """Nothing is served, but the survey can be looked at."""
        over = anyio.Event()
        loop = anyio.lowlevel.current_token()
        self._listen(lambda: anyio.from_thread.run_sync(over.set, token=loop))
        await over.wait()

    def _survey(self, loaded: Loaded) -> dict[str, object]:
        return survey(self._job.module, loaded, self._engine, self._note)

    def _listen(self, shut_down: Callable[[], None]) -> None:
        self._reporter.listen(self._output.settle, shut_down)


def _engine(job: Job, reporter: Reporter) -> tuple[str, str | None]:
    """The engine that runs, and why it is another than was asked for."""
    note = None
    if job.engine == "playground":
        note = resolver_runtime.install(reporter.emit)
        if note is None:
            return "playground", None
    sdk.observe(reporter.emit)
    return "sdk", note


def _end(server: uvicorn.Server) -> None:
    server.should_exit = True


def _lifespan_problem(error: BaseException) -> Problem:
    while (inner := getattr(error, "exceptions", None)) is not None:  # a group, by the only name 3.10 has for it
        error = inner[0]
    found = import_problem(error)
    hint = "The server's lifespan raised, so nothing is served. Mend it, and save."
    return Problem("lifespan", found.message, hint, file=found.file, line=found.line)
