"""A module's survey for commands that look at it and call nothing."""

from __future__ import annotations

from typing import Any

import anyio

from app.workers import ModuleSpec, WorkerFailed, Workers


def survey_of(spec: ModuleSpec) -> dict[str, Any]:
    """What a worker finds in the module; a worker that never became ready is a problem of the module."""
    return anyio.run(_survey, spec)


async def _survey(spec: ModuleSpec) -> dict[str, Any]:
    async with Workers() as workers:
        try:
            return (await workers.start(spec)).survey
        except WorkerFailed as failed:
            return {"module": spec.module, "servers": [], "problems": [_problem(failed)]}


def _problem(failed: WorkerFailed) -> dict[str, Any]:
    nowhere = dict.fromkeys(("tool", "resolver", "parameter", "file", "line"))
    death = failed.death
    message = f"{death.sentence} Its last words: {failed.output}" if failed.output else death.sentence
    return {"code": f"worker_{death.cause}", "message": message, **nowhere, "hint": death.next_step}
