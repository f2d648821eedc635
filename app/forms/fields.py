"""From a schema to fields, filled with what was posted or with the defaults.

Knows nothing of how a field is drawn, nor of whether what is in it fits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.forms.schemas import (
    Kind,
    Posted,
    Schema,
    is_required,
    items,
    kind_of,
    number,
    options,
    properties,
    resolved,
    text_of,
    title_of,
)


@dataclass(frozen=True)
class Field:
    """One control. `value` is what it shows: a text, for `boolean` a bool, for `multiselect` the chosen values.

    `options` are (posted value, title) pairs. `minimum` and `maximum` are hints for the browser (an exclusive bound is
    given as it stands); `step` is the schema's `multipleOf`. `error` is a whole sentence, or None.
    """

    name: str
    title: str
    description: str
    kind: Kind
    required: bool
    default: Any = None
    options: tuple[tuple[str, str], ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    min_length: float | None = None
    max_length: float | None = None
    pattern: str | None = None
    error: str | None = None
    value: str | bool | list[str] = ""


def fields(schema: Schema, posted: Posted | None = None, errors: Mapping[str, str] | None = None) -> list[Field]:
    """The form of an object schema, in the schema's order; filled with `posted`, or with the defaults without it."""
    return [_field(schema, name, posted, (errors or {}).get(name)) for name in properties(schema)]


def filled(schema: Schema, content: Mapping[str, Any]) -> dict[str, list[str]]:
    """The posted form that gives `content`: to show a form with what was sent earlier."""
    known = [name for name in properties(schema) if name in content]
    return {name: _shown(content[name], kind_of(resolved(schema, name))) for name in known}


def single_boolean(schema: Schema) -> str | None:
    """The name of the schema's only property, if that is a required boolean: a question for Yes and No."""
    names = list(properties(schema))
    if len(names) != 1 or not is_required(schema, names[0]):
        return None
    return names[0] if kind_of(resolved(schema, names[0])) == "boolean" else None


def _field(schema: Schema, name: str, posted: Posted | None, error: str | None) -> Field:
    part = resolved(schema, name)
    kind = kind_of(part)
    default = part.get("default")
    return Field(
        name=name,
        title=title_of(name, part),
        description=str(part.get("description", "")),
        kind=kind,
        required=is_required(schema, name),
        default=default,
        options=tuple((text_of(value), title) for value, title in options(items(part) or part)),
        minimum=number(part.get("minimum", part.get("exclusiveMinimum"))),
        maximum=number(part.get("maximum", part.get("exclusiveMaximum"))),
        step=number(part.get("multipleOf")),
        min_length=number(part.get("minLength")),
        max_length=number(part.get("maxLength")),
        pattern=part["pattern"] if isinstance(part.get("pattern"), str) else None,
        error=error,
        value=_value(kind, _shown(default, kind) if posted is None else list(posted.get(name, ()))),
    )


def _value(kind: Kind, texts: list[str]) -> str | bool | list[str]:
    if kind == "multiselect":
        return texts
    text = texts[-1] if texts else ""
    return text in ("true", "on") if kind == "boolean" else text


def _shown(value: Any, kind: Kind) -> list[str]:
    if value is None:
        return []
    if kind == "multiselect" and isinstance(value, list):
        return [text_of(item) for item in value]
    return [json.dumps(value, indent=2, ensure_ascii=False) if kind == "json" else text_of(value)]
