"""The life of a worker process: divert the output, load, survey, serve, end."""

from __future__ import annotations

import os
import socket
import sys

import anyio
import uvicorn

import resolver_runtime
from resolver_runtime import sdk
from resolver_runtime.host import taps
from resolver_runtime.host.job import Job
from resolver_runtime.host.loading import Loaded, load, split_target
from resolver_runtime.host.output import capture
from resolver_runtime.host.problem import Problem, import_problem
from resolver_runtime.host.reporter import Reporter
from resolver_runtime.host.serving import opened, serve
from resolver_runtime.host.survey import survey, with_problem

BACKLOG = 256


def run(job: Job) -> None:
    """Be the worker of this job, to its end."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(job.reports)
        reporter = Reporter(connection)
        meter = capture(reporter.emit, reporter.emit_for_no_call)
        try:
            _work(job, reporter)
        finally:
            meter.close()
            reporter.close()


def _work(job: Job, reporter: Reporter) -> None:
    os.chdir(job.directory)
    sys.argv = [split_target(job.module)[0]]
    reporter.send("hello", pid=os.getpid())
    engine, note = _engine(job, reporter)
    loaded = load(job.module, job.directory)
    _settle(job, loaded, reporter)
    document = survey(job.module, loaded, engine, note)
    anyio.run(_serve, job, loaded, document, reporter)


def _engine(job: Job, reporter: Reporter) -> tuple[str, str | None]:
    """The engine that runs, and why it is another than was asked for."""
    note = None
    if job.engine == "playground":
        note = resolver_runtime.install(reporter.emit)
        if note is None:
            return "playground", None
    sdk.observe(reporter.emit)
    return "sdk", note


def _settle(job: Job, loaded: Loaded, reporter: Reporter) -> None:
    taps.guard_exits()
    taps.tap_questions(reporter.emit)
    taps.tap_states(reporter.emit, loaded.registry.with_policy)
    for one in loaded.servers:
        if one.server not in loaded.registry.with_policy:
            taps.keep_states(one.server, job.key)


async def _serve(job: Job, loaded: Loaded, document: dict[str, object], reporter: Reporter) -> None:
    try:
        async with opened([one.server for one in loaded.servers]) as app:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(job.socket)
                listener.listen(BACKLOG)
                reporter.send("loaded", survey=document)
                await serve(app, listener, lambda server: reporter.listen(lambda: _end(server)))
    except Exception as error:  # a user's lifespan may raise anything
        reporter.send("loaded", survey=with_problem(document, _lifespan_problem(error)))
        # The survey can still be looked at: stay until told to go.
        over = anyio.Event()
        loop = anyio.lowlevel.current_token()
        reporter.listen(lambda: anyio.from_thread.run_sync(over.set, token=loop))
        await over.wait()


def _end(server: uvicorn.Server) -> None:
    server.should_exit = True


def _lifespan_problem(error: BaseException) -> Problem:
    while (inner := getattr(error, "exceptions", None)) is not None:  # a group, by the only name 3.10 has for it
        error = inner[0]
    found = import_problem(error)
    hint = "The server's lifespan raised, so nothing is served. Mend it, and save."
    return Problem("lifespan", found.message, hint, file=found.file, line=found.line)
