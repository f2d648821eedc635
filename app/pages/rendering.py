"""From a context to HTML. Knows where the templates are, and nothing of what they show.

Every context is a dataclass that names its `template`; its fields are that template's variables. A context inside a
context is drawn with `{{ render(it) }}`, so that first paint and update use the same partial.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import jinja2
from markupsafe import Markup

from app.assets import directory
from app.pages.naming import FIELD_PREFIX, dom_id

_TOKEN = re.compile(r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<other>[^"]+|")')
SHOWN = 64 * 1024
"""Characters of one text that a page shows; the rest is counted."""


class Context(Protocol):
    """What `render` takes: a dataclass with the name of its template."""

    template: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


@lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """The templates of the installed package or of the checkout: escaped, and strict about what is missing."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(directory("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # it would look at a file's time for each partial that is drawn
    )
    made.filters.update(dom_id=dom_id, json_text=json_text, json_parts=json_parts)
    made.globals.update(render=render, FIELD_PREFIX=FIELD_PREFIX)
    return made


def render(context: Context, oob: bool = False) -> Markup:
    """The HTML of one context; `oob` marks its root element for an out-of-band swap by htmx.

    Raises:
        jinja2.UndefinedError: the template asks for something that its context does not have.
    """
    variables = {field.name: getattr(context, field.name) for field in dataclasses.fields(context)}
    return Markup(environment().get_template(context.template).render(variables, oob=oob))


def json_text(value: Any) -> str:
    """A JSON text for people, cut where it becomes too long for a page."""
    return cut(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def cut(text: str) -> str:
    """The beginning of a text that is too long for a page, and how much is missing."""
    rest = len(text) - SHOWN
    return text if rest <= 0 else f"{text[:SHOWN]}\n... {rest} more characters"


def json_parts(value: Any) -> Iterator[tuple[str, str]]:
    """The same in pieces: (`key`, `string` or `other`; text)."""
    for match in _TOKEN.finditer(json_text(value)):
        yield match.lastgroup or "other", match[0]
