"""`playground serve`: options in, the web process on."""

from __future__ import annotations

from typing import Any

import click

from app import main
from app.cli.options import isolate_option
from app.settings import InvalidSettings, Settings


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--python", help="The interpreter that runs the modules, with the `mcp` they use.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--offline", is_flag=True, help="Make no request to any other host.")
@isolate_option
@click.option("--public-url", metavar="URL", help="The address under which others reach it; permits any --host.")
@click.option(
    "--workspaces",
    type=click.Choice(["one", "browser"]),
    default="one",
    show_default=True,
    help="One workspace for all, or one for each browser, with --isolate.",
)
@click.option("--despite-holes", is_flag=True, help="Serve browsers of their own though --isolate leaves a hole.")
def serve(paths: tuple[str, ...], **options: Any) -> None:
    """Open the playground in the browser.

    PATH is a Python file, a directory of them, or package.module[:server]. Without one: the sample tools.
    """
    try:
        settings = Settings(paths, **options)
    except InvalidSettings as error:
        raise click.UsageError(str(error)) from None
    try:
        main.serve(settings)
    except main.CannotServe as error:
        raise click.UsageError(str(error)) from None
