"""How the fields of a question look on the wire, and which ones cannot be asked for: section D, on both engines."""

import datetime
import decimal
import enum
import uuid
from typing import Annotated, Any, Literal

import pytest
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, RootModel, SecretStr, create_model

from tests.resolver_runtime.driving import Mode, Person, accept, call, server, text
from tests.resolver_runtime.sessions import Session, context

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]


class Colour(enum.Enum):
    RED = "red"


class Nested(BaseModel):
    inner: int


class Many(RootModel[str]):
    pass


class Described(BaseModel):
    """What one may say."""

    model_config = ConfigDict(extra="forbid")


class Recursive(BaseModel):
    again: "Recursive | None" = None


STRING, INTEGER = {"type": "string"}, {"type": "integer"}
TITLED: list[Any] = [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]

ALLOWED: list[tuple[Any, Any, dict[str, Any]]] = [
    (str, ..., STRING),
    (int, ..., INTEGER),
    (float, ..., {"type": "number"}),
    (bool, ..., {"type": "boolean"}),
    (Literal["a", "b"], ..., {"type": "string", "enum": ["a", "b"]}),
    (Literal["a"], ..., {"type": "string", "const": "a"}),
    (Literal[1, 2], ..., {"type": "integer", "enum": [1, 2]}),
    (Literal[True], ..., {"type": "boolean", "const": True}),
    (str | None, ..., STRING),
    (str | None, None, STRING),
    (list[Literal["a", "b"]], ..., {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
    (
        set[Literal["a", "b"]],
        ...,
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "uniqueItems": True},
    ),
    (tuple[Literal["a", "b"], ...], ..., {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
    (datetime.date, ..., {"type": "string", "format": "date"}),
    (datetime.datetime, ..., {"type": "string", "format": "date-time"}),
    (datetime.date, datetime.date(2027, 1, 31), {"type": "string", "format": "date", "default": "2027-01-31"}),
    (AnyUrl, ..., {"type": "string", "format": "uri", "minLength": 1}),
    (int, Field(ge=1, le=9), {**INTEGER, "minimum": 1, "maximum": 9}),
    (int, Field(gt=1, lt=9), {**INTEGER, "exclusiveMinimum": 1, "exclusiveMaximum": 9}),
    (int, Field(multiple_of=5), {**INTEGER, "multipleOf": 5}),
    (str, Field(min_length=1, max_length=9), {**STRING, "minLength": 1, "maxLength": 9}),
    (str, Field(pattern="^a"), {**STRING, "pattern": "^a"}),
    (str, Field(examples=["a"]), {**STRING, "examples": ["a"]}),
    (str, Field(json_schema_extra={"oneOf": TITLED}), {**STRING, "oneOf": TITLED}),
    (
        str,
        Field(json_schema_extra={"enum": ["a", "b"], "enumNames": ["A", "B"]}),
        {**STRING, "enum": ["a", "b"], "enumNames": ["A", "B"]},
    ),
    (
        list[str],
        Field(json_schema_extra={"items": {"anyOf": TITLED}}),
        {"type": "array", "items": {"anyOf": TITLED}},
    ),
    (
        list[Literal["a", "b"]],
        Field(min_length=1, max_length=2),
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 2},
    ),
    (str, "a", {**STRING, "default": "a"}),
    (str, Field(default_factory=lambda: "a"), STRING),
    (float, float("inf"), {"type": "number", "default": float("inf")}),
]

REFUSED: list[Any] = [
    Colour,
    list[Colour],
    list[str],
    list[int],
    dict[str, str],
    Nested,
    Any,
    int | str,
    int | float,
    Literal["a", 1],
    Literal["a"] | Literal[1],
    datetime.time,
    datetime.timedelta,
    decimal.Decimal,
    uuid.UUID,
    SecretStr,
    bytes,
]

TOPICS: Any = set[Literal["a", "b"]]
NO_MODELS: list[Any] = [str, Colour, Literal["a"], dict, None]


def asking(schema: Any) -> MCPServer:
    def ask() -> Any:
        return Elicit("Which?", schema)

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[Any, Resolve(ask)]) -> str:
        return repr(value)

    return mcp


async def shown(schema: Any) -> dict[str, Any]:
    """The schema as the server renders it; a client's own models would drop what they do not know."""
    result = await asking(schema).call_tool("tool", {}, context(Session(), "2026-07-28"))
    assert isinstance(result, InputRequiredResult)
    [request] = (result.input_requests or {}).values()
    assert isinstance(request, ElicitRequest)
    assert isinstance(request.params, ElicitRequestFormParams)
    return dict(request.params.requested_schema)


@pytest.mark.parametrize(("annotation", "default", "expected"), ALLOWED, ids=lambda value: None)
async def test_a_field_that_the_specification_allows_is_asked_for(
    annotation: Any, default: Any, expected: dict[str, Any]
) -> None:
    requested = await shown(create_model("Form", size=(annotation, default)))
    assert requested["properties"] == {"size": {"title": "Size", **expected}}


@pytest.mark.parametrize("annotation", REFUSED, ids=str)
async def test_a_field_that_the_specification_does_not_allow_fails_the_call(mode: Mode, annotation: Any) -> None:
    result = await call(asking(create_model("Form", size=(annotation, ...))), mode)
    assert (result.is_error, text(result)) == (True, "Error executing tool tool")


async def test_a_field_goes_by_its_alias() -> None:
    requested = await shown(create_model("Form", size=(int, Field(alias="roomSize"))))
    assert requested["properties"] == {"roomSize": {"title": "Roomsize", "type": "integer"}}
    assert requested["required"] == ["roomSize"]


async def test_a_field_with_a_default_is_optional() -> None:
    factory: Any = Field(default_factory=lambda: 7)
    requested = await shown(create_model("Form", a=(int, ...), b=(int, 1), c=(int | None, None), d=(int, factory)))
    assert requested["required"] == ["a"]


async def test_a_models_text_and_its_strictness_are_told() -> None:
    assert await shown(Described) == {
        "type": "object",
        "title": "Described",
        "description": "What one may say.",
        "additionalProperties": False,
        "properties": {},
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (Many, {"title": "Many", "type": "string"}),
        (
            Recursive,
            {
                "$defs": {
                    "Recursive": {
                        "properties": {"again": {"$ref": "#/$defs/Recursive"}},
                        "title": "Recursive",
                        "type": "object",
                    }
                },
                "$ref": "#/$defs/Recursive",
            },
        ),
    ],
    ids=["root", "recursive"],
)
async def test_a_model_without_properties_of_its_own_passes_though_no_one_can_fill_it_in(
    schema: Any, expected: dict[str, Any]
) -> None:
    assert await shown(schema) == expected


@pytest.mark.parametrize("schema", NO_MODELS, ids=str)
async def test_a_schema_that_is_no_model_fails_the_call(mode: Mode, schema: Any) -> None:
    result = await call(asking(schema), mode)
    assert (result.is_error, text(result)) == (True, "Error executing tool tool")


async def test_an_answer_with_every_kind_of_field_becomes_the_model(mode: Mode) -> None:
    form = create_model(
        "Form",
        day=(datetime.date, ...),
        topics=(TOPICS, ...),
        price=(float, 1.5),
        remark=(str | None, None),
    )
    person = Person({"Which?": accept(day="2027-01-31", topics=["a"])})
    assert text(await call(asking(form), mode, person)) == (
        "Form(day=datetime.date(2027, 1, 31), topics={'a'}, price=1.5, remark=None)"
    )
