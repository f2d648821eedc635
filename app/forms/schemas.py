"""Reads one property of an object schema: what it stands for, which control it gets, which values it allows.

Knows JSON Schema only, and trusts nothing in it: a keyword that holds what it must not is as good as absent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

Kind = Literal[
    "text", "number", "integer", "boolean", "select", "multiselect", "date", "datetime", "email", "uri", "json"
]
Schema = Mapping[str, Any]
Posted = Mapping[str, Sequence[str]]
"""A form as a browser posts it: every control's name with its texts, in order."""

_FORMATS: Mapping[str, Kind] = {"date": "date", "date-time": "datetime", "email": "email", "uri": "uri"}
_PLAIN_TYPES: Mapping[str, Kind] = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}
_DETOURS = ("$ref", "allOf", "anyOf", "oneOf", "type")


def properties(schema: Schema) -> Schema:
    return mapping(schema.get("properties"))


def is_required(schema: Schema, name: str) -> bool:
    return name in sequence(schema.get("required"))


def resolved(schema: Schema, name: str) -> Schema:
    """A property's schema without the detours that generators write: a reference, `allOf` of one, `... or null`."""
    part = mapping(properties(schema)[name])
    references: set[str] = set()
    while (target := _detour(schema, part)) is not None:
        reference = str(part.get("$ref", ""))
        if reference and reference in references:
            return {}
        references.add(reference)
        part = {**target, **{key: value for key, value in part.items() if key not in _DETOURS}}
    return part


def kind_of(part: Schema) -> Kind:
    """Which control a resolved property gets."""
    if options(part):
        return "select"
    kind = str(part.get("type"))
    if kind == "array":
        return "multiselect" if options(items(part)) else "json"
    if kind == "string":
        return _FORMATS.get(str(part.get("format")), "text")
    return _PLAIN_TYPES.get(kind, "json")


def options(part: Schema) -> list[tuple[Any, str]]:
    """The closed list of values a schema allows, each with its title; empty when the schema is open."""
    if "const" in part:
        return [(part["const"], text_of(part["const"]))]
    values, titles = sequence(part.get("enum")), sequence(part.get("enumNames"))
    if values:
        return [(value, str(titles[at]) if at < len(titles) else text_of(value)) for at, value in enumerate(values)]
    for keyword in ("oneOf", "anyOf"):
        arms = [mapping(arm) for arm in sequence(part.get(keyword))]
        if arms and all("const" in arm for arm in arms):
            return [(arm["const"], str(arm.get("title") or text_of(arm["const"]))) for arm in arms]
    return []


def items(part: Schema) -> Schema:
    return mapping(part.get("items"))


def title_of(name: str, part: Schema) -> str:
    return str(part.get("title") or name)


def text_of(value: Any) -> str:
    """A value as a control posts it: a string as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def mapping(value: Any) -> Schema:
    return value if isinstance(value, Mapping) else {}


def sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _detour(schema: Schema, part: Schema) -> Schema | None:
    """The one schema that `part` stands for, or None when it speaks for itself."""
    if "$ref" in part:
        return _definition(schema, str(part["$ref"]))
    if types := sequence(part.get("type")):
        types = [one for one in types if one != "null"]
        return {"type": types[0]} if len(types) == 1 else None
    for keyword in ("allOf", "anyOf", "oneOf"):
        arms = [mapping(arm) for arm in sequence(part.get(keyword))]
        others = [arm for arm in arms if arm.get("type") != "null"]
        if len(others) == 1 and "const" not in others[0]:
            return others[0]
    return None


def _definition(schema: Schema, reference: str) -> Schema:
    """What a reference within the schema points to. One to elsewhere gives {}: nothing is ever fetched."""
    target: Any = schema
    for step in reference.removeprefix("#/").split("/"):
        target = mapping(target).get(step.replace("~1", "/").replace("~0", "~"))
    return mapping(target)
