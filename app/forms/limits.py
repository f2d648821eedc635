"""The bounds that a schema puts on a value, each with its sentence.

A module's regular expression runs here only when it cannot keep this process busy: others are left to the browser and
to the server, which both check them too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from app.forms.schemas import Schema, number

PATTERN_TEXT = 256
PATTERN_REPEATS = 3
"""Within these bounds (characters; `*`, `+` and ranges, none round a group) a match takes a bounded time."""


def broken_limits(part: Schema, value: Any) -> Iterator[str]:
    """The ends of the sentences "<title> ..." for each limit that the value does not keep."""
    pattern = part.get("pattern")
    if isinstance(value, str) and isinstance(pattern, str) and not _matches(value, pattern):
        yield f"must match the pattern {pattern}."
    size = number(value) if isinstance(value, int | float) else len(value) if isinstance(value, str | list) else None
    for keyword, types, keeps, sentence in _LIMITS:
        limit = number(part.get(keyword))
        if size is not None and limit is not None and isinstance(value, types) and not keeps(size, limit):
            yield sentence.format(limit)


def _is_multiple(value: float, step: float) -> bool:
    # As decimal fractions: in floating point, 0.3 is no multiple of 0.1.
    return step <= 0 or Fraction(str(value)) % Fraction(str(step)) == 0


def _matches(text: str, pattern: str) -> bool:
    repeats = len(re.findall(r"[*+]|\{\d*,\d*\}", pattern))
    if len(text) > PATTERN_TEXT or repeats > PATTERN_REPEATS or re.search(r"\)[*+{]", pattern):
        return True
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


_LIMITS: tuple[tuple[str, type | tuple[type, ...], Callable[[float, float], bool], str], ...] = (
    ("minimum", (int, float), lambda size, limit: size >= limit, "must be at least {}."),
    ("maximum", (int, float), lambda size, limit: size <= limit, "must be at most {}."),
    ("exclusiveMinimum", (int, float), lambda size, limit: size > limit, "must be more than {}."),
    ("exclusiveMaximum", (int, float), lambda size, limit: size < limit, "must be less than {}."),
    ("multipleOf", (int, float), _is_multiple, "must be a multiple of {}."),
    ("minLength", str, lambda size, limit: size >= limit, "needs at least {} characters."),
    ("maxLength", str, lambda size, limit: size <= limit, "may have at most {} characters."),
    ("minItems", list, lambda size, limit: size >= limit, "needs at least {} of the choices."),
    ("maxItems", list, lambda size, limit: size <= limit, "may have at most {} of the choices."),
)
"""Keyword, the types it speaks about, whether a number or length keeps it, and the sentence's end when it does not."""
