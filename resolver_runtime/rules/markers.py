"""Markers that have no effect: the parameter looks as if a resolver filled it, and the client does."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from typing import Annotated, Any, get_args, get_origin

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.resolve import Resolve

from resolver_runtime.annotations import (
    filled_by,
    hides_marker,
    hints_failure,
    hints_of,
    is_alias_of_marker,
    is_context,
)
from resolver_runtime.describe import gist, name_of
from resolver_runtime.rules.names import Scope
from resolver_runtime.rules.rule import Hit, Rule
from resolver_runtime.rules.subject import Subject

_DIRECTLY = "Write {0}: Annotated[T, Resolve(...)] on the parameter itself."


def hidden_markers(subject: Subject) -> Iterator[Hit]:
    for fn, resolver in _functions(subject):
        hints = hints_of(fn)
        for parameter in _parameters(fn):
            hiding = _hiding(parameter, hints.get(parameter.name), resolver is not None)
            if hiding is not None:
                yield Hit(
                    f"The marker of {parameter.name!r} of {name_of(fn)} {hiding}, so it has no effect. "
                    + _filled(subject, parameter, resolver),
                    _DIRECTLY.format(parameter.name),
                    subject.code_of(fn).parameter(parameter.name),
                    resolver,
                    parameter.name,
                )


def _hiding(parameter: inspect.Parameter, hint: Any, of_resolver: bool) -> str | None:
    """What hides a parameter's marker; None where it has none, or one that is seen."""
    if filled_by(hint) is not None:
        return None
    if isinstance(parameter.default, Resolve):
        return "is its default"
    if get_origin(hint) is Annotated:
        is_class = any(isinstance(one, type) and issubclass(one, Resolve) for one in get_args(hint)[1:])
        return "is the class `Resolve`, without a function" if is_class else None
    if is_alias_of_marker(hint):
        return "stands behind a type alias"
    # In a tool the SDK refuses it, and so does another rule.
    return "stands inside a union or another annotation" if of_resolver and hides_marker(hint) else None


def _filled(subject: Subject, parameter: inspect.Parameter, resolver: str | None) -> str:
    """Who fills a parameter whose marker has no effect."""
    if resolver is not None:
        if parameter.name in subject.arguments:
            return f"{resolver} takes what the client sends for the argument {parameter.name!r}."
        return f"{subject.name} has no argument {parameter.name!r} either, so nothing fills it."
    otherwise = ", and the tool gets the marker where it sends none" if isinstance(parameter.default, Resolve) else ""
    return f"{parameter.name!r} stands in the input schema: the client fills it{otherwise}."


def lost_markers(subject: Subject) -> Iterator[Hit]:
    for resolver in subject.resolvers:
        fn = resolver.fn
        if (failure := hints_failure(fn)) is None:
            continue
        reason = f"{type(failure).__name__}: {gist(failure)}"
        for parameter in _parameters(fn):
            if (lost := _lost(subject, fn, parameter)) is not None:
                yield Hit(
                    f"The annotations of {name_of(fn)} cannot be evaluated ({reason}), so the {lost} of "
                    f"{parameter.name!r} has no effect. {_filled(subject, parameter, name_of(fn))}",
                    "Let every name in the annotations stand in the module itself, outside `if TYPE_CHECKING:` and "
                    "outside the function that defines the resolver.",
                    subject.code_of(fn).parameter(parameter.name),
                    name_of(fn),
                    parameter.name,
                )


def _lost(subject: Subject, fn: Callable[..., Any], parameter: inspect.Parameter) -> str | None:
    annotation = parameter.annotation
    if not isinstance(annotation, str):
        return "marker" if filled_by(annotation) else "`Context`" if is_context(annotation) else None
    try:
        nodes = list(ast.walk(ast.parse(annotation, mode="eval")))
    except SyntaxError:
        return None
    scope = Scope(subject.code_of(fn))
    if any(isinstance(node, ast.Call) and scope.is_a(node.func, Resolve) for node in nodes):
        return "marker"
    return "`Context`" if any(isinstance(node, ast.expr) and scope.is_a(node, Context) for node in nodes) else None


def _functions(subject: Subject) -> Iterator[tuple[Callable[..., Any], str | None]]:
    """The tool, then its resolvers with their names."""
    yield subject.fn, None
    for resolver in subject.resolvers:
        yield resolver.fn, name_of(resolver.fn)


def _parameters(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):  # a builtin that does not tell them
        return []


RULES = (
    Rule("RP101", "A marker that is hidden", "warning", hidden_markers),
    Rule("RP102", "A marker that is lost with its annotations", "warning", lost_markers),
)
