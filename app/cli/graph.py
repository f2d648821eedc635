"""`playground graph`: a module's tools and the graph behind each, for people and for programs."""

from __future__ import annotations

from typing import Any

import anyio
import click
from rich.console import Console

from app.cli.options import isolate_option
from app.cli.trees import graph_trees, problems_text
from app.documents import graph_document, json_of
from app.surveys import find_tool
from app.workers import ModuleSpec, WorkerFailed, Workers

PROBLEMS = 1


@click.command()
@click.argument("module")
@click.option("--tool", help="Only this tool.")
@click.option("--python", help="The interpreter that runs the module, with the `mcp` it uses.")
@isolate_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def graph(module: str, tool: str | None, python: str | None, isolate: bool, as_json: bool) -> int:
    """Show the tools of MODULE with the graph of resolvers behind each.

    MODULE is a Python file or package.module, with :server after it where there are several. Exit codes: 0, 1 when
    there are problems.
    """
    survey = anyio.run(_survey, ModuleSpec(module, python, isolate=isolate))
    document = graph_document(survey, tool)
    if tool is not None and not document["problems"]:
        find_tool(survey, tool)
    if as_json:
        click.echo(json_of(document, indent=2))
    else:
        _show(document)
    return PROBLEMS if document["problems"] else 0


async def _survey(spec: ModuleSpec) -> dict[str, Any]:
    async with Workers() as workers:
        try:
            return (await workers.start(spec)).survey
        except WorkerFailed as failed:
            return {"module": spec.module, "servers": [], "problems": [_problem(failed)]}


def _problem(failed: WorkerFailed) -> dict[str, Any]:
    """A worker that never became ready, told as a problem of the module."""
    nowhere = dict.fromkeys(("tool", "resolver", "parameter", "file", "line"))
    death = failed.death
    message = f"{death.sentence} Its last words: {failed.output}" if failed.output else death.sentence
    return {"code": f"worker_{death.cause}", "message": message, **nowhere, "hint": death.next_step}


def _show(document: dict[str, Any]) -> None:
    out = Console(highlight=False, soft_wrap=True)
    for tree in graph_trees(document):
        out.print(tree)
    if document["problems"]:
        Console(stderr=True, highlight=False, soft_wrap=True).print(problems_text(document["problems"]))
