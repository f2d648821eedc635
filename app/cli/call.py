"""`playground call`: one call of one tool, for people and for programs."""

from __future__ import annotations

import logging
import sys
from typing import Any

import anyio
import click
from rich.console import Console

from app.answers import Answer
from app.calling import Request, Source, make_call
from app.calls import Recorded
from app.cli.asking import Person
from app.cli.options import capabilities, headers, isolate_option, json_object, python_option
from app.cli.terminal import Lines, harmless, is_attended
from app.cli.trees import call_tree, output_line
from app.client.settings import DEFAULT_CAPABILITIES, MAX_ROUNDS, ClientSettings
from app.documents import json_of
from app.workers import ModuleSpec
from resolver_runtime.events import Era, QuestionAsked

ERAS: tuple[Era, ...] = ("2026-07-28", "2025-11-25")


@click.command()
@click.argument("module")
@click.argument("tool")
@click.option(
    "--args", "arguments", metavar="JSON|@FILE", callback=json_object, default="{}", help="The tool's arguments."
)
@click.option(
    "--answers",
    metavar="JSON|@FILE",
    callback=json_object,
    help="A resolver's name or wire key, and its answer or a list of answers.",
)
@click.option("--era", type=click.Choice(ERAS), default=ERAS[0], show_default=True, help="The protocol version.")
@click.option(
    "--without",
    metavar="CAPABILITY[,...]",
    callback=capabilities,
    multiple=True,
    help="Capabilities the client does not declare.",
)
@click.option(
    "--with",
    "added",
    metavar="CAPABILITY[,...]",
    callback=capabilities,
    multiple=True,
    help="Further capabilities it declares.",
)
@click.option(
    "--header",
    "sent_headers",
    metavar="N:V",
    callback=headers,
    multiple=True,
    help="An HTTP header of the client's; repeatable.",
)
@click.option(
    "--max-rounds", type=click.IntRange(0), default=MAX_ROUNDS, show_default=True, help="Retries before it gives up."
)
@click.option(
    "--engine",
    type=click.Choice(["playground", "sdk"]),
    default="playground",
    show_default=True,
    help="Whose executor runs the resolvers.",
)
@click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="Seconds for the whole call.")
@python_option
@isolate_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def call(
    module: str,
    tool: str,
    arguments: dict[str, Any],
    answers: dict[str, Any] | None,
    timeout: float | None,
    as_json: bool,
    python: str | None,
    engine: Any,
    isolate: bool,
    **client: Any,
) -> int:
    """Call TOOL of MODULE and answer its questions.

    Without --answers, on a terminal, it asks you. Exit codes: 0 result, 1 the result is an error, 2 protocol error,
    refusal or round limit, 3 a question had no answer, 4 the module did not load, 5 the worker died or ran out of time
    or memory, 64 wrong usage, 70 a fault of the playground.
    """
    # The SDK's client logs what this command tells in its own words.
    logging.getLogger().addHandler(logging.NullHandler())
    spec = ModuleSpec(module, python, engine, isolate)
    request = Request(spec, tool, arguments, _client(**client), answers, timeout)
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    made = anyio.run(make_call, request, _source(errors), _follower(errors))
    for remark in made.remarks:
        errors.print(harmless(remark))
    if as_json:
        click.echo(json_of(made.document, indent=2))
    else:
        Console(highlight=False, soft_wrap=True).print(call_tree(made.document))
    return made.code


def _client(
    era: Era, added: frozenset[str], without: frozenset[str], sent_headers: dict[str, str], max_rounds: int
) -> ClientSettings:
    return ClientSettings(era, (DEFAULT_CAPABILITIES | added) - without, max_rounds, sent_headers)


def _source(console: Console) -> Source:
    if is_attended():
        lines = Lines(sys.stdin.fileno(), console)
        return Person(lines.read, lambda line: console.print(harmless(line))).answer
    return _nobody


async def _nobody(asked: QuestionAsked) -> Answer | None:  # noqa: ARG001 - a source like the others
    return None


def _follower(console: Console) -> Any:
    def follow(record: Recorded) -> None:
        if (line := output_line(record.event)) is not None:
            console.print(line)

    return follow
