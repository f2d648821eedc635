"""Option values that are more than a word: JSON or a file of it, headers, capabilities. For click's `callback`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from app.client.settings import CAPABILITIES
from app.headers import HeadersError, header_from

python_option = click.option("--python", help="The interpreter that runs the module, with the `mcp` it uses.")
isolate_option = click.option("--isolate", is_flag=True, help="Run modules with walls round them (Linux only).")


def json_object(_ctx: click.Context, _param: click.Parameter, value: str | None) -> dict[str, Any] | None:
    """A JSON object, written out or as @FILE (@- is standard input). Raises: BadParameter."""
    if value is None:
        return None
    try:
        found = json.loads(_read(value[1:]) if value.startswith("@") else value)
    except json.JSONDecodeError as error:
        raise click.BadParameter(f"{value!r} is no JSON: {error}.") from None
    if not isinstance(found, dict):
        raise click.BadParameter(f'{value!r} is no JSON object. Write it in braces, for example {{"title": "Dune"}}.')
    return found


def headers(_ctx: click.Context, _param: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    """`Name: value`, each. Raises: BadParameter."""
    try:
        return dict(header_from(value) for value in values)
    except HeadersError as error:
        raise click.BadParameter(str(error)) from None


def capabilities(_ctx: click.Context, _param: click.Parameter, values: Sequence[str]) -> frozenset[str]:
    """Names of capabilities with commas between them. Raises: BadParameter."""
    words = {word.strip() for value in values for word in value.split(",") if word.strip()}
    if unknown := sorted(words - set(CAPABILITIES)):
        raise click.BadParameter(f"{', '.join(unknown)}: no such capability. There are: {', '.join(CAPABILITIES)}.")
    return frozenset(words)


def _read(path: str) -> str:
    try:
        with click.open_file(path, encoding="utf-8") as file:
            return str(file.read())
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path!r} cannot be read: {error}.") from None
