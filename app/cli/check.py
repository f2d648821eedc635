"""`playground check`: what is wrong with a module's resolvers, or will be, for people and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from app.cli.findings import findings_text
from app.cli.options import isolate_option, python_option
from app.cli.surveying import survey_of
from app.documents import check_document, json_of
from app.workers import ModuleSpec

FOUND = 1


@click.command()
@click.argument("module")
@python_option
@isolate_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def check(module: str, python: str | None, isolate: bool, as_json: bool) -> int:
    """Say what is wrong with the resolvers of MODULE, what will bite, and what its tools need of a client.

    MODULE is a Python file or package.module, with :server after it where there are several. No tool is called. Exit
    codes: 0, 1 when there are errors or warnings.
    """
    document = check_document(survey_of(ModuleSpec(module, python, isolate=isolate)))
    if as_json:
        click.echo(json_of(document, indent=2))
    else:
        _show(document)
    return FOUND if any(one["severity"] != "information" for one in document["findings"]) else 0


def _show(document: dict[str, Any]) -> None:
    Console(highlight=False, soft_wrap=True).print(findings_text(document, Path.cwd()), end="")
