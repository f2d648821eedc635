"""From a posted form to what goes on the wire, with a sentence for each field that does not fit."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, NoReturn
from urllib.parse import urlsplit

from app.forms.limits import broken_limits
from app.forms.schemas import (
    Kind,
    Posted,
    Schema,
    is_required,
    items,
    kind_of,
    options,
    properties,
    resolved,
    text_of,
    title_of,
)

_JSON_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "integer": int,
    "null": type(None),
}


class _Misfit(ValueError):
    """Raised when a text is not of its field's kind; its message ends the sentence "<title> ..."."""


def parse(schema: Schema, posted: Posted) -> tuple[dict[str, Any], dict[str, str]]:
    """What goes on the wire, and a sentence for each field that does not fit.

    The content holds the fields with an error too, as near to their kind as they come, so that it can be sent anyway.
    An optional field left empty is left out. A `date-time` without an offset is taken as UTC: RFC 3339 demands one.
    """
    content: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name in properties(schema):
        part = resolved(schema, name)
        texts = list(posted.get(name, ()))
        required = is_required(schema, name)
        if not required and _is_left_out(part, texts):
            continue
        content[name], problem = _converted(part, texts, required)
        if problem:
            errors[name] = f"{title_of(name, part)} {problem}"
    return content, errors


def parse_json(text: str) -> tuple[Any, str | None]:
    """The value of a JSON text, and None; or None, and the sentence that says what is wrong where."""
    try:
        return json.loads(text, parse_constant=_refuse_constant), None
    except json.JSONDecodeError as error:
        return None, f"This is not JSON: {error.msg} in line {error.lineno}, column {error.colno}."
    except ValueError as error:
        return None, f"This is not JSON: {error}."
    except RecursionError:
        return None, "This JSON is nested too deeply."


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _is_left_out(part: Schema, texts: list[str]) -> bool:
    # A box without a tick says no, but only where there is a default that it could be saying no to.
    says_no = kind_of(part) in ("boolean", "multiselect") and bool(part.get("default"))
    return not any(texts) and not says_no


def _converted(part: Schema, texts: list[str], required: bool) -> tuple[Any, str | None]:
    kind = kind_of(part)
    if kind == "multiselect":
        return _chosen(part, texts)
    text = texts[-1] if texts else ""
    if kind == "boolean":
        return text in ("true", "on"), None
    if required and not text:
        return ("" if part.get("type") == "string" else None), "needs a value."
    try:
        value = _CONVERTERS[kind](text, part)
    except _Misfit as misfit:
        return text, str(misfit)
    return value, next(broken_limits(part, value), None)


def _chosen(part: Schema, texts: list[str]) -> tuple[list[Any], str | None]:
    values: list[Any] = []
    problem = None
    for text in filter(None, texts):
        try:
            values.append(_option(text, items(part)))
        except _Misfit as misfit:
            values.append(text)
            problem = str(misfit)
    return values, problem or next(broken_limits(part, values), None)


def _option(text: str, part: Schema) -> Any:
    for value, _ in options(part):
        if text_of(value) == text:
            return value
    raise _Misfit(f"must be one of: {', '.join(title for _, title in options(part))}.")


def _text(text: str, _part: Schema) -> str:
    return text


def _integer(text: str, _part: Schema) -> int:
    try:
        return int(text)
    except ValueError:
        raise _Misfit("must be a whole number, such as 3.") from None


def _number(text: str, _part: Schema) -> float:
    if re.fullmatch(r"[+-]?[0-9]{1,300}", text.strip()):
        return int(text)
    try:
        number = float(text)
    except ValueError:
        raise _Misfit("must be a number, such as 2.5.") from None
    if not math.isfinite(number):
        raise _Misfit("must be a finite number: JSON has no other.")
    return number


def _date(text: str, _part: Schema) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise _Misfit("must be a date, such as 2027-03-01.") from None


def _datetime(text: str, _part: Schema) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _Misfit("must be a date and a time, such as 2027-03-01T18:00:00Z.") from None
    return moment.isoformat() if moment.tzinfo else f"{moment.isoformat()}Z"


def _email(text: str, _part: Schema) -> str:
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", text):
        raise _Misfit("must be an e-mail address, such as ana@example.org.")
    return text


def _uri(text: str, _part: Schema) -> str:
    try:
        scheme = urlsplit(text).scheme
    except ValueError:
        scheme = ""
    if not scheme or re.search(r"\s", text):
        raise _Misfit("must be an address with its scheme, such as https://example.org/.")
    return text


def _json(text: str, part: Schema) -> Any:
    value, problem = parse_json(text)
    if problem:
        raise _Misfit(f"must be JSON. {problem}")
    wanted = str(part.get("type"))
    if wanted in _JSON_TYPES and not _is_a(value, wanted):
        raise _Misfit(f"must be JSON of type {wanted}.")
    return value


def _is_a(value: Any, wanted: str) -> bool:
    return wanted == "boolean" if isinstance(value, bool) else isinstance(value, _JSON_TYPES[wanted])


_CONVERTERS: Mapping[Kind, Callable[[str, Schema], Any]] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "date": _date,
    "datetime": _datetime,
    "email": _email,
    "uri": _uri,
    "json": _json,
    "select": _option,
}
