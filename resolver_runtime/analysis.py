"""From signatures to a plan for the executor, and to a graph for everybody else.

Walks resolvers depth first, as the SDK does, so that the first problem found is the one the SDK would raise. The walk
itself goes on past problems: a graph that could not be built can still be drawn.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from resolver_runtime.annotations import (
    Filled,
    asks_of,
    carries_input_required,
    filled_by,
    hides_marker,
    hints_of,
    is_context,
    plain_value_of,
    question_arms,
    value_text,
)
from resolver_runtime.describe import annotation_text, location_of, name_of, signature_text
from resolver_runtime.errors import Cycle, SeveralQuestions, UnresolvableParameter, WrappedMarker
from resolver_runtime.graph import CONTEXT, TOOL, Edge, Graph, Node, Receives, argument_id
from resolver_runtime.plan import Parameter, Plan, ResolverPlan

if TYPE_CHECKING:
    from mcp.server.mcpserver.tools.base import Tool


def filled_parameters(fn: Callable[..., Any]) -> dict[str, Filled]:
    """The parameters of a tool that resolvers fill, in signature order.

    Raises:
        WrappedMarker: a marker stands inside another annotation.
    """
    for name in _wrapped(fn):
        raise WrappedMarker(fn, name)
    return _filled(fn)


def returns_input_required(fn: Callable[..., Any]) -> bool:
    """Whether a tool declares that its body drives the rounds itself, which excludes resolvers."""
    return carries_input_required(hints_of(fn).get("return"))


def plan_of(filled: Mapping[str, tuple[Any, bool]], arguments: Iterable[str]) -> Plan:
    """The plan for a tool whose parameters `filled` have resolvers, and whose arguments have these names.

    Raises:
        SignatureProblem: a cycle, a parameter from nowhere, or a resolver that declares several questions.
        TypeError: a resolver is no callable.
        ValueError: a resolver is a builtin that does not tell its parameters.
    """
    walk = _Walk(sorted(arguments))
    plan = walk.plan(filled)
    if walk.problems:
        raise walk.problems[0]
    return plan


def whole_analysis(fn: Callable[..., Any], arguments: Iterable[str]) -> tuple[Plan, list[Exception]]:
    """The plan of a tool as far as it could be built, and every problem in the order in which the SDK looks for it."""
    walk = _Walk(sorted(arguments))
    plan = walk.plan(_filled(fn))
    return plan, [*(WrappedMarker(fn, name) for name in _wrapped(fn)), *walk.problems]


def tool_graph(tool: Tool) -> Graph:
    """The graph of a registered tool: its arguments under their public names, resolvers, context, the tool last."""
    return _Drawing(tool.fn, tool.name, tool_arguments(tool), tool.context_kwarg).graph()


def function_graph(fn: Callable[..., Any], name: str) -> Graph:
    """The graph of a function that could not be registered, as far as its signature tells."""
    return _Drawing(fn, name, function_arguments(fn), _context_of(fn)).graph()


def tool_arguments(tool: Tool) -> dict[str, Any]:
    """The arguments of a registered tool, by their public names, with their annotations."""
    fields = tool.fn_metadata.arg_model.model_fields
    return {field.alias or name: field.annotation for name, field in fields.items()}


def function_arguments(fn: Callable[..., Any]) -> dict[str, Any]:
    """The arguments of a function that could not be registered, with their annotations (None: without)."""
    hints, context = hints_of(fn), _context_of(fn)
    names = [one for one in _parameters(fn) if one != context and filled_by(hints.get(one)) is None]
    return {one: hints.get(one) for one in names}


def identity_of(fn: Callable[..., Any]) -> Hashable:
    """What makes a callable one resolver: a function is itself, a method its function and its instance."""
    instance = getattr(fn, "__self__", None)
    if instance is None:
        return id(fn)
    function = getattr(fn, "__func__", None)
    return (getattr(fn, "__name__", id(fn)) if function is None else id(function), id(instance))


def _base_key(fn: Callable[..., Any]) -> str:
    """A name that is the same in every process that runs this code."""
    qualname = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    module = getattr(fn, "__module__", None) or type(fn).__module__
    return f"{module}:{qualname}"


def is_async(fn: Any) -> bool:
    """Whether calling it gives an awaitable: a coroutine function, behind `partial` or as `__call__`."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(getattr(fn, "__call__", None))  # noqa: B004


class _Walk:
    """One walk over the resolvers of a tool; `problems` in the order in which the SDK would meet them."""

    def __init__(self, arguments: list[str]) -> None:
        self.problems: list[Exception] = []
        self._arguments = arguments
        self._known: dict[Hashable, ResolverPlan] = {}
        self._keys: Counter[str] = Counter()
        self._path: list[tuple[ResolverPlan, str]] = []

    def plan(self, filled: Mapping[str, tuple[Any, bool]]) -> Plan:
        parameters = [
            Parameter(name, "resolver", self._visit(marker.fn), whole) for name, (marker, whole) in filled.items()
        ]
        return Plan(self._known, parameters)

    def _visit(self, fn: Callable[..., Any]) -> ResolverPlan:
        identity = identity_of(fn)
        known = self._known.get(identity)
        above = [resolver for resolver, _ in self._path]
        if known in above:
            circle = self._path[above.index(known) :]
            self.problems.append(Cycle([(resolver.fn, parameter) for resolver, parameter in circle]))
        if known is not None:
            return known
        return self._analysed(ResolverPlan(fn, identity, self._key(fn), is_async(fn)))

    def _key(self, fn: Callable[..., Any]) -> str:
        base = _base_key(fn)
        self._keys[base] += 1
        return base if self._keys[base] == 1 else f"{base}#{self._keys[base] - 1}"

    def _analysed(self, plan: ResolverPlan) -> ResolverPlan:
        self._known[plan.identity] = plan
        hints = hints_of(plan.fn)
        needed: list[tuple[Parameter, Filled]] = []
        for name in self._parameters(plan.fn):
            found = filled_by(hints.get(name))
            if (parameter := self._parameter(plan, name, hints.get(name), found)) is not None:
                plan.parameters.append(parameter)
                if parameter.source == "resolver" and found is not None:
                    needed.append((parameter, found))
        if len(question_arms(hints.get("return"))) > 1:
            self.problems.append(SeveralQuestions(plan.fn))
        for parameter, found in needed:
            self._path.append((plan, parameter.name))
            parameter.resolver = self._visit(found.marker.fn)
            self._path.pop()
        return plan

    def _parameters(self, fn: Callable[..., Any]) -> list[str]:
        try:
            return _parameters(fn)
        except (TypeError, ValueError) as error:  # no callable, or a builtin without a signature
            self.problems.append(error)
            return []

    def _parameter(self, plan: ResolverPlan, name: str, annotation: Any, found: Filled | None) -> Parameter | None:
        if annotation is not None and is_context(annotation):
            return Parameter(name, "context")
        if found is not None:
            return Parameter(name, "resolver", whole=found.whole)
        if name in self._arguments:
            return Parameter(name, "argument")
        close = next(iter(difflib.get_close_matches(name, self._arguments, 1)), None)
        self.problems.append(UnresolvableParameter(plan.fn, name, self._arguments, close))
        return None


class _Drawing:
    """The graph of one function with these arguments (public name: annotation)."""

    def __init__(self, fn: Callable[..., Any], name: str, arguments: Mapping[str, Any], context: str | None) -> None:
        self._fn = fn
        self._name = name
        self._arguments = arguments
        self._context = context
        self._plan = _Walk(list(arguments)).plan(_filled(fn))

    def graph(self) -> Graph:
        resolvers = list(self._plan.resolvers.values())
        edges = [edge for resolver in resolvers for edge in _resolver_edges(resolver)]
        edges += self._tool_edges()
        takes_context = any(edge.source == CONTEXT for edge in edges)
        nodes = [_argument_node(name, annotation) for name, annotation in self._arguments.items()]
        nodes += [Node(CONTEXT, "context", "Context", returns="Context")] if takes_context else []
        nodes += [_resolver_node(resolver) for resolver in resolvers]
        return Graph((*nodes, self._tool_node()), tuple(edges))

    def _tool_edges(self) -> Iterator[Edge]:
        filled = {parameter.name: parameter for parameter in self._plan.parameters}
        for name in _parameters(self._fn):
            if (parameter := filled.get(name)) is not None:
                yield from _edge(parameter, TOOL)
            elif name == self._context:
                yield Edge(CONTEXT, TOOL, name)
            elif name in self._arguments:
                yield Edge(argument_id(name), TOOL, name)

    def _tool_node(self) -> Node:
        file, line = location_of(self._fn)
        returns = hints_of(self._fn).get("return")
        text = "" if returns is None else annotation_text(returns)
        return Node(TOOL, "tool", self._name, (), None, file, line, signature_text(self._fn), text)


def _argument_node(name: str, annotation: Any) -> Node:
    return Node(argument_id(name), "argument", name, returns="" if annotation is None else annotation_text(annotation))


def _resolver_node(resolver: ResolverPlan) -> Node:
    file, line = location_of(resolver.fn)
    returns = hints_of(resolver.fn).get("return")
    return Node(
        id=resolver.node,
        kind="resolver",
        name=name_of(resolver.fn),
        asks=asks_of(returns),
        key=resolver.key,
        file=file,
        line=line,
        signature=signature_text(resolver.fn),
        returns=value_text(returns),
        plain_value=plain_value_of(returns),
    )


def _resolver_edges(resolver: ResolverPlan) -> Iterator[Edge]:
    for parameter in resolver.parameters:
        yield from _edge(parameter, resolver.node)


def _edge(parameter: Parameter, target: str) -> Iterator[Edge]:
    if parameter.source == "context":
        yield Edge(CONTEXT, target, parameter.name)
    elif parameter.source == "argument":
        yield Edge(argument_id(parameter.name), target, parameter.name)
    elif parameter.resolver is not None:
        receives: Receives = "outcome" if parameter.whole else "value"
        yield Edge(parameter.resolver.node, target, parameter.name, receives)


def _filled(fn: Callable[..., Any]) -> dict[str, Filled]:
    hints = hints_of(fn)
    return {name: found for name in _parameters(fn) if (found := filled_by(hints.get(name))) is not None}


def _wrapped(fn: Callable[..., Any]) -> list[str]:
    """The parameters whose marker stands inside another annotation."""
    hints = hints_of(fn)
    return [name for name in _parameters(fn) if not _is_annotated(hints.get(name)) and hides_marker(hints.get(name))]


def _context_of(fn: Callable[..., Any]) -> str | None:
    hints = hints_of(fn)
    return next((parameter for parameter in hints if is_context(hints[parameter])), None)


def _parameters(fn: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(fn).parameters)


def _is_annotated(annotation: Any) -> bool:
    return hasattr(annotation, "__metadata__")
