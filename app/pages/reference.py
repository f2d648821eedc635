"""Context of the page that describes `/api`, drawn from its OpenAPI description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Input:
    """One parameter, or one property of the body."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One address and what it does."""

    method: str
    path: str
    about: str
    inputs: tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """`reference.html`: every operation of the API."""

    template: ClassVar[str] = "reference.html"
    operations: tuple[Operation, ...]

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> Reference:
        return cls(
            tuple(
                Operation(method.upper(), path, one.get("description", ""), tuple(_inputs(one, description)))
                for path, methods in description["paths"].items()
                for method, one in methods.items()
            )
        )


def _inputs(operation: Mapping[str, Any], description: Mapping[str, Any]) -> Iterator[Input]:
    for one in operation.get("parameters", ()):
        yield Input(one["name"], one["schema"], one["required"], one.get("description", ""))
    for content in operation.get("requestBody", {}).get("content", {}).values():
        name = content["schema"]["$ref"].rpartition("/")[2]
        body = description["components"]["schemas"][name]
        for key, schema in body["properties"].items():
            yield Input(key, _plain(schema), key in body.get("required", ()), schema.get("description", ""))


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("title", "description")}
