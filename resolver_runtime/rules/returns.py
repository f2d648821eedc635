"""What a resolver returns, against what it declares: a coroutine nobody awaits, a question nobody expects."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from mcp.server.mcpserver.resolve import Elicit

from resolver_runtime.analysis import is_async
from resolver_runtime.annotations import ASKS, asks_of, hints_failure, hints_of
from resolver_runtime.describe import annotation_text, name_of
from resolver_runtime.rules.finding import Remark
from resolver_runtime.rules.names import Scope
from resolver_runtime.rules.rule import Hit, Rule
from resolver_runtime.rules.subject import Subject

DEPTH = 10
"""Wrappers round wrappers that are looked through."""


def unawaited(subject: Subject) -> Iterator[Hit]:
    for resolver in subject.resolvers:
        inner = None if resolver.is_async else _coroutine_function(subject, resolver.fn)
        if inner is None:
            continue
        name, cached = name_of(resolver.fn), isinstance(resolver.fn, functools._lru_cache_wrapper)
        code = subject.code_of(resolver.fn) if cached else subject.sources.outermost(resolver.fn)
        yield Hit(
            f"{name} is no coroutine function, and returns the coroutine of {name_of(inner)}: nobody awaits it, so "
            "the parameter is filled with the coroutine.",
            "Cache the value inside the resolver, which stays async."
            if cached
            else "Write `async def` there, and `return await`.",
            code.place,
            name,
        )


def _coroutine_function(subject: Subject, fn: Callable[..., Any], depth: int = DEPTH) -> Callable[..., Any] | None:
    """The coroutine function whose coroutine a sync function returns as it is; None where none is known."""
    if is_async(fn):
        return fn
    if isinstance(fn, functools._lru_cache_wrapper):
        return _coroutine_function(subject, fn.__wrapped__, depth - 1) if depth else None
    function = getattr(fn, "__func__", fn)
    if not depth or not isinstance(function, types.FunctionType):
        return None
    scope = Scope(subject.sources.outermost(function))
    called = (scope.value(node.func) for node in scope.returned() if isinstance(node, ast.Call))
    found = (_coroutine_function(subject, one, depth - 1) for one in called if inspect.isfunction(one))
    return next(filter(None, found), None)


def hidden_questions(subject: Subject) -> Iterator[Hit]:
    for resolver in subject.resolvers:
        code, returns = subject.code_of(resolver.fn), hints_of(resolver.fn).get("return")
        for question, node in _questions(Scope(code)):
            if ASKS[question] in asks_of(returns):
                continue
            name, word = name_of(resolver.fn), question.__name__
            yield Hit(
                f"{name} asks with {word}, and {_declared(resolver.fn, returns)}: the graph, and whoever reads the "
                "signature, cannot tell that it asks.",
                f"Add {'Elicit[Model]' if question is Elicit else word} to the return annotation.",
                code.returns,
                name,
                related=(Remark(f"{word} is returned here", code.at(node)),),
            )


def _questions(scope: Scope) -> Iterator[tuple[type, ast.expr]]:
    """The first return of each kind of question."""
    seen: set[type] = set()
    for node in scope.returned():
        kind = next((kind for kind in ASKS if isinstance(node, ast.Call) and scope.is_a(node.func, kind)), None)
        if kind is not None and kind not in seen:
            seen.add(kind)
            yield kind, node


def _declared(fn: Callable[..., Any], returns: Any) -> str:
    if hints_failure(fn) is not None:
        return "its annotations cannot be evaluated"
    return "has no return annotation" if returns is None else f"declares that it returns {annotation_text(returns)}"


RULES = (
    Rule("RP103", "A coroutine that nobody awaits", "warning", unawaited),
    Rule("RP105", "A question that the return annotation hides", "warning", hidden_questions),
)
