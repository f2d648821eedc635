"""The `playground` command: finds the command that is meant, and turns every end into an exit code.

Loads a command's module only when it is that command's turn: `mcp` alone takes longer to import than a page may take
to answer.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn, cast

import click

from app.surveys import Misuse

WRONG_USAGE = 64
INTERNAL_FAULT = 70
INTERRUPTED = 130

_COMMANDS = {
    "serve": "Open the playground in the browser; the default command.",
    "graph": "Show a module's tools with the graph of resolvers behind each.",
    "check": "Say what is wrong with a module's resolvers, or will be.",
    "call": "Call a tool and answer its questions.",
}


class Commands(click.Group):
    """The commands by name. Whatever does not begin with one is meant for `serve`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"app.cli.{cmd_name}")
        return cast(click.Command, getattr(module, cmd_name))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*_COMMANDS, "--help"):
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=Commands, context_settings={"max_content_width": 100})
def playground() -> None:
    """See, call and answer the resolver dependencies of an MCP server.

    `playground PATH` is short for `playground serve PATH`.
    """


def run(args: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. Says on standard error what was wrong, and what to do."""
    try:
        code = playground.main(args, prog_name="playground", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return WRONG_USAGE
    except Misuse as error:
        click.echo(f"Error: {error}", err=True)
        return WRONG_USAGE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except Exception:  # the last resort: whatever it is, it is a fault of ours
        traceback.print_exc()
        click.echo(
            "This is a fault of the playground, not of your module. Please report it with the lines above.", err=True
        )
        return INTERNAL_FAULT
    return code if isinstance(code, int) else 0


def main() -> NoReturn:
    """The entry point of the `playground` command."""
    sys.exit(run())
