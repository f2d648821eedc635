"""From a context to HTML. Knows where the templates are, and nothing of what they show.

Every context is a dataclass that names its `template`; its fields are that template's variables. A context inside a
context is drawn with `{{ render(it) }}`, so that first paint and update use the same partial.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, ClassVar, Protocol

import jinja2
from markupsafe import Markup

from app.assets import directory
from app.pages.naming import FIELD_PREFIX, dom_id

_TOKEN = re.compile(r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<other>[^"]+|")')
SHOWN = 64 * 1024
"""Characters of one text that a page shows; the rest is counted."""
REMEMBERED = 1024
"""Parts kept as drawn: most of a call looks as it did in the call before, and in everybody else's."""


class Context(Protocol):
    """What `render` takes: a dataclass with the name of its template."""

    template: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def __hash__(self) -> int: ...


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
    return _remembered(context, oob) if _can_be_remembered(context) else _drawn(context, oob)


def _can_be_remembered(context: Context) -> bool:
    try:
        hash(context)
    except TypeError:  # It holds a dictionary, as contexts with a schema do.
        return False
    return not _may_hold_anything(type(context))


@cache
def _may_hold_anything(kind: type[Context]) -> bool:
    """Of a field that may be anything, 1 and True are equal, and are not drawn alike."""
    return any("Any" in str(field.type) for field in dataclasses.fields(kind))


def _drawn(context: Context, oob: bool) -> Markup:
    variables = {name: getattr(context, name) for name in context.__dataclass_fields__}
    template = environment().get_template(context.template)
    # Shared: the environment's globals come with ours in one step, not looked up by their chain for each name.
    drawing = template.new_context({**environment().globals, **variables, "oob": oob}, shared=True)
    return Markup(_speakable(environment().concat(template.root_render_func(drawing))))


def _speakable(html: str) -> str:
    """Half of a surrogate pair, which no answer can carry, as its escape."""
    return html if html.isascii() else html.encode("utf-8", "backslashreplace").decode()


@lru_cache(maxsize=REMEMBERED)
def _remembered(context: Context, oob: bool) -> Markup:
    return _drawn(context, oob)


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
