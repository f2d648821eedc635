"""Schemas to fields, and posted forms back: every kind an elicitation may have, and what tools' schemas add."""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.elicitation import render_elicitation_schema
from pydantic import BaseModel, create_model

from app.forms import Kind, fields, filled, parse, parse_json, single_boolean
from sample_tools import try_fields

EVENT = render_elicitation_schema(try_fields.Event)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    street: str


def schema_of(annotation: Any, default: Any = ...) -> dict[str, Any]:
    """The schema of a model whose one property `it` is annotated so."""
    model: type[BaseModel] = create_model("Model", it=(annotation, default))
    return model.model_json_schema()


def one(part: dict[str, Any], *, required: bool = True) -> dict[str, Any]:
    return {"type": "object", "properties": {"it": {"title": "It", **part}}, "required": ["it"] if required else []}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("name", "text"),
        ("seats", "integer"),
        ("price", "number"),
        ("outdoors", "boolean"),
        ("size", "select"),
        ("floor", "select"),
        ("house_rules", "select"),
        ("audience", "select"),
        ("language", "select"),
        ("topics", "multiselect"),
        ("helpers", "multiselect"),
        ("day", "date"),
        ("doors", "datetime"),
        ("website", "uri"),
        ("contact", "email"),
        ("code", "text"),
        ("remark", "text"),
        ("reminder", "integer"),
        ("deadline", "date"),
        ("roomKey", "text"),
    ],
)
def test_each_field_of_an_elicitation_gets_its_control(name: str, kind: Kind) -> None:
    assert {field.name: field.kind for field in fields(EVENT)}[name] == kind


def test_the_fields_stand_in_the_order_of_the_schema() -> None:
    assert [field.name for field in fields(EVENT)] == list(EVENT["properties"])


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, "text"),
        (int, "integer"),
        (int | None, "integer"),
        (float | None, "number"),
        (bool | None, "boolean"),
        (date | None, "date"),
        (datetime, "datetime"),
        (Colour, "select"),
        (Colour | None, "select"),
        (Literal["a", "b"] | None, "select"),
        (list[Literal["a", "b"]], "multiselect"),
        (list[str], "json"),
        (dict[str, int], "json"),
        (Address, "json"),
        (Address | None, "json"),
        (int | str, "json"),
        (Any, "json"),
        (None, "json"),
    ],
)
def test_each_annotation_of_a_tool_gets_a_control(annotation: Any, kind: Kind) -> None:
    [field] = fields(schema_of(annotation))
    assert field.kind == kind


def test_a_field_carries_what_the_schema_says_about_it() -> None:
    part = {"type": "integer", "description": "How many.", "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2}
    [field] = fields(one({**part, "default": 4}, required=False))
    assert (field.title, field.description, field.required, field.default) == ("It", "How many.", False, 4)
    assert (field.minimum, field.maximum, field.step, field.value) == (1, 9, 2, "4")


def test_a_text_field_carries_its_lengths_and_pattern() -> None:
    [field] = fields(one({"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^a"}))
    assert (field.min_length, field.max_length, field.pattern) == (2, 5, "^a")


def test_a_property_without_a_title_is_called_by_its_name() -> None:
    [field] = fields({"properties": {"it": {"type": "string"}}})
    assert field.title == "it"


@pytest.mark.parametrize(
    ("part", "options"),
    [
        ({"enum": ["a", "b"]}, (("a", "a"), ("b", "b"))),
        ({"enum": [1, True]}, (("1", "1"), ("true", "true"))),
        ({"enum": ["a", "b"], "enumNames": ["A"]}, (("a", "A"), ("b", "b"))),
        ({"const": 3}, (("3", "3"),)),
        ({"oneOf": [{"const": "a", "title": "A"}, {"const": 2}]}, (("a", "A"), ("2", "2"))),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}, (("a", "A"),)),
        ({"type": "array", "items": {"enum": ["x"]}}, (("x", "x"),)),
    ],
)
def test_closed_lists_become_options(part: dict[str, Any], options: tuple[tuple[str, str], ...]) -> None:
    [field] = fields(one(part))
    assert field.options == options


@pytest.mark.parametrize(
    ("part", "text", "value"),
    [
        ({"type": "string"}, "Dune", "Dune"),
        ({"type": "integer"}, "3", 3),
        ({"type": "integer"}, "-3", -3),
        ({"type": "number"}, "3", 3),
        ({"type": "number"}, "2.5", 2.5),
        ({"type": "number", "multipleOf": 0.1}, "0.3", 0.3),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "on", True),
        ({"type": "boolean"}, "false", False),
        ({"type": "boolean"}, "", False),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": [True, "true-ish"]}, "true", True),
        ({"const": "accepted"}, "accepted", "accepted"),
        ({"oneOf": [{"const": "pt", "title": "Portuguese"}]}, "pt", "pt"),
        ({"type": "string", "format": "date"}, "2027-03-01", "2027-03-01"),
        ({"type": "string", "format": "date-time"}, "2027-03-01T18:00", "2027-03-01T18:00:00Z"),
        ({"type": "string", "format": "date-time"}, "2027-03-01T18:00:00+01:00", "2027-03-01T18:00:00+01:00"),
        ({"type": "string", "format": "email"}, "ana@example.org", "ana@example.org"),
        ({"type": "string", "format": "uri"}, "https://example.org/a", "https://example.org/a"),
        ({"type": "string", "pattern": "("}, "an unusable pattern is left to the server", None),
        ({"type": "string", "pattern": "(a+)+$"}, "a" * 40 + "b", None),
        ({"type": "object"}, '{"a": [1]}', {"a": [1]}),
        ({"type": "array"}, "[1]", [1]),
        ({}, "null", None),
    ],
)
def test_a_fitting_text_becomes_its_value(part: dict[str, Any], text: str, value: Any) -> None:
    expected = text if "pattern" in part else value
    assert parse(one(part), {"it": [text]}) == ({"it": expected}, {})


@pytest.mark.parametrize(
    ("part", "text", "sentence"),
    [
        ({"type": "string"}, "", "It needs a value."),
        ({"type": "integer"}, "", "It needs a value."),
        ({"type": "integer"}, "2.5", "It must be a whole number, such as 3."),
        ({"type": "number"}, "many", "It must be a number, such as 2.5."),
        ({"type": "number"}, "inf", "It must be a finite number: JSON has no other."),
        ({"type": "number"}, "nan", "It must be a finite number: JSON has no other."),
        ({"type": "integer", "minimum": 1}, "0", "It must be at least 1."),
        ({"type": "integer", "maximum": 9}, "10", "It must be at most 9."),
        ({"type": "number", "exclusiveMinimum": 0}, "0", "It must be more than 0."),
        ({"type": "number", "exclusiveMaximum": 1}, "1", "It must be less than 1."),
        ({"type": "number", "multipleOf": 0.5}, "0.7", "It must be a multiple of 0.5."),
        ({"type": "string", "minLength": 2}, "a", "It needs at least 2 characters."),
        ({"type": "string", "maxLength": 2}, "abc", "It may have at most 2 characters."),
        ({"type": "string", "pattern": "^[A-Z]{2}$"}, "ab", "It must match the pattern ^[A-Z]{2}$."),
        ({"enum": ["a", "b"], "enumNames": ["A", "B"]}, "c", "It must be one of: A, B."),
        ({"type": "string", "format": "date"}, "tomorrow", "It must be a date, such as 2027-03-01."),
        (
            {"type": "string", "format": "date-time"},
            "noon",
            "It must be a date and a time, such as 2027-03-01T18:00:00Z.",
        ),
        ({"type": "string", "format": "email"}, "ana", "It must be an e-mail address, such as ana@example.org."),
        (
            {"type": "string", "format": "uri"},
            "example.org",
            "It must be an address with its scheme, such as https://example.org/.",
        ),
        (
            {"type": "object"},
            "{",
            "It must be JSON. This is not JSON: Expecting property name enclosed in double quotes in line 1, column 2.",
        ),
        ({"type": "object"}, "[]", "It must be JSON of type object."),
        ({"type": "array"}, "true", "It must be JSON of type array."),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(part: dict[str, Any], text: str, sentence: str) -> None:
    assert parse(one(part), {"it": [text]})[1] == {"it": sentence}


@pytest.mark.parametrize(
    ("part", "text", "content"),
    [
        ({"type": "integer"}, "2.5", {"it": "2.5"}),
        ({"type": "integer", "minimum": 1}, "0", {"it": 0}),
        ({"type": "string"}, "", {"it": ""}),
        ({"type": "integer"}, "", {"it": None}),
        ({"enum": ["a"]}, "c", {"it": "c"}),
    ],
)
def test_what_does_not_fit_can_be_sent_anyway(part: dict[str, Any], text: str, content: dict[str, Any]) -> None:
    assert parse(one(part), {"it": [text]})[0] == content


@pytest.mark.parametrize("kind", ["string", "integer", "number", "boolean", "array", "object"])
def test_an_optional_field_left_empty_is_left_out(kind: str) -> None:
    assert parse(one({"type": kind}, required=False), {"it": [""]}) == ({}, {})


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ({"type": "boolean", "default": True}, False),
        ({"type": "array", "items": {"enum": ["a"]}, "default": ["a"]}, []),
    ],
)
def test_taking_away_a_default_tick_is_an_answer(part: dict[str, Any], value: Any) -> None:
    assert parse(one(part, required=False), {}) == ({"it": value}, {})


@pytest.mark.parametrize(
    ("texts", "content", "errors"),
    [
        (["a", "b"], ["a", "b"], {}),
        ([], [], {"it": "It needs at least 1 of the choices."}),
        (["a", "b", "c"], ["a", "b", "c"], {"it": "It may have at most 2 of the choices."}),
        (["a", "x"], ["a", "x"], {"it": "It must be one of: a, b, c."}),
    ],
)
def test_several_choices_become_a_list(texts: list[str], content: list[str], errors: dict[str, str]) -> None:
    part = {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 1, "maxItems": 2}
    assert parse(one(part), {"it": texts}) == ({"it": content}, errors)


def test_a_value_that_the_form_does_not_know_is_not_sent() -> None:
    assert parse(one({"type": "string"}), {"it": ["a"], "stock": ["99"]}) == ({"it": "a"}, {})


def test_a_form_is_shown_again_as_it_was_posted_with_its_errors() -> None:
    [field] = fields(one({"type": "integer"}), {"it": ["many"]}, {"it": "It must be a whole number."})
    assert (field.value, field.error) == ("many", "It must be a whole number.")


def test_a_ticked_box_is_shown_ticked() -> None:
    schema = one({"type": "boolean"})
    assert [fields(schema, posted)[0].value for posted in ({"it": ["true"]}, {"it": ["false"]}, {})] == [
        True,
        False,
        False,
    ]


def test_what_was_sent_fills_the_form_that_sends_it_again() -> None:
    content = {
        "name": "Fair",
        "seats": 3,
        "price": 2.5,
        "outdoors": True,
        "size": "small",
        "floor": 2,
        "topics": ["prose"],
    }
    posted = filled(EVENT, content)
    assert {name: value for name, value in parse(EVENT, posted)[0].items() if name in content} == content


def test_json_is_shown_as_json() -> None:
    [field] = fields(one({"type": "object", "default": {"a": 1}}))
    assert field.value == '{\n  "a": 1\n}'


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        (one({"type": "boolean"}), "it"),
        (one({"type": "boolean"}, required=False), None),
        (one({"type": "string"}), None),
        (one({"type": "boolean", "enum": [True]}), None),
        ({"type": "object", "properties": {}}, None),
        ({"properties": {"a": {"type": "boolean"}, "b": {"type": "boolean"}}, "required": ["a", "b"]}, None),
    ],
)
def test_yes_and_no_stand_for_one_required_boolean_only(schema: dict[str, Any], name: str | None) -> None:
    assert single_boolean(schema) == name


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "string"},
        {"properties": None},
        {"properties": {"it": None}, "required": None},
        {"properties": {"it": {"$ref": "#/$defs/Missing"}}},
        {"properties": {"it": {"$ref": "#/properties/it"}}},
        {"properties": {"it": {"$ref": "elsewhere.json"}}},
        {"properties": {"it": {"type": "integer", "minimum": "one", "multipleOf": 0, "enum": 5, "pattern": 7}}},
        {"properties": {"it": {"type": ["string", "integer"], "anyOf": "x"}}},
    ],
)
def test_a_schema_that_is_out_of_order_breaks_nothing(schema: dict[str, Any]) -> None:
    assert len(fields(schema)) == len(parse(schema, {"it": ["1"]})[0])


@pytest.mark.parametrize(
    ("text", "value", "sentence"),
    [
        ('{"a": 1}', {"a": 1}, None),
        ("{", None, "in line 1, column 2"),
        ("NaN", None, "NaN is no JSON number"),
        ("[" * 100_000, None, "nested too deeply"),
    ],
)
def test_json_text_is_read_or_its_fault_is_named(text: str, value: Any, sentence: str | None) -> None:
    read, problem = parse_json(text)
    assert read == value
    assert (problem is None) if sentence is None else re.search(sentence, problem or "")


@given(st.dictionaries(st.sampled_from(sorted(EVENT["properties"])), st.lists(st.text(), max_size=3)))
def test_any_form_gives_json_and_an_error_only_for_fields_that_it_sends(posted: dict[str, list[str]]) -> None:
    content, errors = parse(EVENT, posted)
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert set(errors) <= set(content) <= set(EVENT["properties"])
    assert [field.name for field in fields(EVENT, posted, errors)] == list(EVENT["properties"])
