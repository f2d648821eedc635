"""`playground graph`: a module's tools and the graph behind each, for people and for programs."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from app.cli.options import isolate_option, python_option
from app.cli.surveying import survey_of
from app.cli.trees import graph_trees, problems_text
from app.documents import graph_document, json_of
from app.surveys import find_tool
from app.workers import ModuleSpec

PROBLEMS = 1


@click.command()
@click.argument("module")
@click.option("--tool", help="Only this tool.")
@python_option
@isolate_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def graph(module: str, tool: str | None, python: str | None, isolate: bool, as_json: bool) -> int:
    """Show the tools of MODULE with the graph of resolvers behind each.

    MODULE is a Python file or package.module, with :server after it where there are several. Exit codes: 0, 1 when
    there are problems.
    """
    survey = survey_of(ModuleSpec(module, python, isolate=isolate))
    document = graph_document(survey, tool)
    if tool is not None and not document["problems"]:
        find_tool(survey, tool)
    if as_json:
        click.echo(json_of(document, indent=2))
    else:
        _show(document)
    return PROBLEMS if document["problems"] else 0


def _show(document: dict[str, Any]) -> None:
    out = Console(highlight=False, soft_wrap=True)
    for tree in graph_trees(document):
        out.print(tree)
    if document["problems"]:
        Console(stderr=True, highlight=False, soft_wrap=True).print(problems_text(document["problems"]))
