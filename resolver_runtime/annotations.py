"""What annotations of tools and resolvers say: which parameter has a resolver, what a return may ask.

Pure reading of type hints, in the SDK's way: hints that cannot be evaluated count as none.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.resolve import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    Elicit,
    ListRoots,
    Resolve,
    Sample,
)
from mcp_types import CreateMessageResult, InputRequiredResult, ListRootsResult

from resolver_runtime.describe import annotation_text
from resolver_runtime.graph import Ask

OUTCOMES = (AcceptedElicitation, DeclinedElicitation, CancelledElicitation)
ASKS: Mapping[type, Ask] = {Elicit: "elicit", Sample: "sample", ListRoots: "list_roots"}
_RESULTS: dict[type, Any] = {Sample: CreateMessageResult, ListRoots: ListRootsResult}


class Filled(NamedTuple):
    """A parameter with a marker: who fills it, and whether it takes the whole outcome. A tuple, as the SDK's."""

    marker: Resolve
    whole: bool


def hints_of(fn: Callable[..., Any]) -> dict[str, Any]:
    """The evaluated hints of a function, or of a callable object's `__call__`; none if they cannot be evaluated."""
    try:
        return _evaluated(fn)
    except Exception:  # evaluating hints runs code of the module, and the SDK takes any failure for "no hints"
        return {}


def hints_failure(fn: Callable[..., Any]) -> Exception | None:
    """Why the hints of a callable cannot be evaluated, or None where they can."""
    try:
        _evaluated(fn)
    except Exception as error:  # as above
        return error
    return None


def _evaluated(fn: Callable[..., Any]) -> dict[str, Any]:
    target = fn if inspect.isroutine(fn) else getattr(type(fn), "__call__", fn)  # noqa: B004 - the function is wanted
    return typing.get_type_hints(target, include_extras=True)


def filled_by(annotation: Any) -> Filled | None:
    """The marker of an annotation `Annotated[T, Resolve(fn)]`; the first where there are several."""
    if get_origin(annotation) is not Annotated:
        return None
    inner, *metadata = get_args(annotation)
    marker = next((one for one in metadata if isinstance(one, Resolve)), None)
    return None if marker is None else Filled(marker, _takes_outcome(inner))


def inner_type(annotation: Any) -> Any:
    """The type of an annotation without its metadata."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def hides_marker(annotation: Any) -> bool:
    """Whether a marker stands somewhere inside the annotation, where it has no effect."""
    if get_origin(annotation) is Annotated:
        return any(isinstance(one, Resolve) for one in get_args(annotation)[1:])
    return any(map(hides_marker, get_args(annotation)))


def is_alias_of_marker(annotation: Any) -> bool:
    """Whether the annotation is a `type` alias of one with a marker, which the SDK does not look behind."""
    alias = annotation if hasattr(annotation, "__value__") else get_origin(annotation)
    try:
        value = getattr(alias, "__value__", None)
    except Exception:  # an alias is evaluated late, and may hold any code
        return False
    return value is not None and (filled_by(value) is not None or hides_marker(value) or is_alias_of_marker(value))


def is_context(annotation: Any) -> bool:
    """Whether a resolver's parameter takes the `Context`: itself, or as an arm of a union."""
    annotation = inner_type(annotation)
    candidates = get_args(annotation) if get_origin(annotation) is not None else (annotation,)
    return any(isinstance(one, type) and issubclass(one, Context) for one in candidates)


def carries_input_required(annotation: Any) -> bool:
    """Whether a return annotation has an `InputRequiredResult` arm, behind aliases, unions or `Annotated`."""
    if get_origin(annotation) is Annotated:
        return carries_input_required(get_args(annotation)[0])
    try:
        value = getattr(annotation, "__value__", None)
    except NameError:  # an alias that is evaluated late, and names something that exists for type checkers only
        return False
    if value is not None:
        return carries_input_required(value)
    if _is_union(annotation):
        return any(map(carries_input_required, get_args(annotation)))
    return isinstance(annotation, type) and issubclass(annotation, InputRequiredResult)


def question_arms(returns: Any) -> list[Any]:
    """The arms of a return annotation that declare a question, as the SDK counts them: not behind `Annotated`."""
    return [arm for arm in _arms(returns) if _question(arm) is not None]


def asks_of(returns: Any) -> tuple[Ask, ...]:
    """What a return annotation declares that the resolver may ask."""
    return tuple(dict.fromkeys(ASKS[question] for arm in _arms(returns) if (question := _question(arm)) is not None))


def plain_value_of(returns: Any) -> bool | None:
    """Whether a return annotation admits a value without a question; None where it does not tell: there is no
    annotation, or one behind which there may be a question."""
    found = [_is_plain(arm) for arm in _arms(returns)]
    return None if None in found else True in found


def value_text(returns: Any) -> str:
    """The type of the value that consumers get: of a question, what an answer to it becomes."""
    if returns is None:
        return ""
    return " | ".join(dict.fromkeys(annotation_text(_value_of(arm)) for arm in _arms(returns)))


def _value_of(arm: Any) -> Any:
    question = _question(arm)
    if question is Elicit:
        return (get_args(arm) or (Any,))[0]
    return arm if question is None else _RESULTS[question]


def _is_plain(arm: Any) -> bool | None:
    if _question(arm) is not None:
        return False
    if get_origin(arm) is Annotated:
        return all(map(_is_plain, _arms(inner_type(arm)))) or None
    kind = get_origin(arm) or arm
    if kind is Any or any(kind in question.__mro__ for question in ASKS):
        return None
    return isinstance(kind, (type, typing.NewType)) or kind is typing.Literal or None


def _question(arm: Any) -> type | None:
    if get_origin(arm) is Elicit:
        return Elicit
    if get_origin(arm) is not None or not isinstance(arm, type):
        return None
    return next((question for question in ASKS if issubclass(arm, question)), None)


def _arms(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if _is_union(annotation) else (annotation,)


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (typing.Union, types.UnionType)


def _takes_outcome(inner: Any) -> bool:
    """`ElicitationResult`, bare or with its model, a union of its members, or one of them."""
    value = getattr(inner, "__value__", None) or getattr(get_origin(inner), "__value__", None)
    return any(isinstance(one, type) and issubclass(one, OUTCOMES) for one in _members(value or inner))


def _members(annotation: Any) -> Iterator[Any]:
    yield from get_args(annotation) if get_origin(annotation) is not None else (annotation,)
