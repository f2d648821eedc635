"""What the names in a function's code stand for, as far as that can be told without running anything.

Names are looked up where the function would look: in its closure, its module, the builtins. What is assigned in the
function itself is not known. Attributes are read of modules and classes only, for any other object may run code.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from resolver_runtime.rules.code import Code, Function

UNKNOWN: Any = object()
"""The value of what cannot be told."""

_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def executed(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function's body that run when it is called: not those of functions and classes inside it."""
    for statement in function.body:
        yield from _executed(statement)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _executed(child)


@dataclass(frozen=True)
class Scope:
    """The names in the code of one function."""

    code: Code

    def value(self, node: ast.expr) -> Any:
        """The object an expression of names and dots stands for; `UNKNOWN` for everything else."""
        if isinstance(node, ast.Name):
            return self._names(node.id)
        if isinstance(node, ast.Subscript):  # Elicit[Model]
            base = self.value(node.value)
            return base if issubclass(type(base), type) else UNKNOWN
        if isinstance(node, ast.Attribute):
            return _attribute(self.value(node.value), node.attr)
        return UNKNOWN

    def paths(self, node: ast.expr) -> frozenset[str]:
        """The dotted names of an expression: as it is reached (`requests.get`) and as it is (`requests.api.get`)."""
        return frozenset(path for path in (self._reached(node), _path(self.value(node))) if path)

    def constant(self, node: ast.expr | None) -> Any:
        """The text, number or truth value of a literal, or of a name of the module; `UNKNOWN` for everything else."""
        if isinstance(node, ast.Constant):
            return node.value
        value = UNKNOWN if node is None else self.value(node)
        return value if type(value) in (str, int, float, bool, type(None)) else UNKNOWN

    def is_a(self, node: ast.expr, *classes: type) -> bool:
        """Whether an expression stands for one of these classes, or for one that inherits from it."""
        value = self.value(node)
        return issubclass(type(value), type) and issubclass(value, classes)

    def calls(self) -> Iterator[ast.Call]:
        """The calls that the function itself makes."""
        if self.code.node is not None:
            yield from (node for node in executed(self.code.node) if isinstance(node, ast.Call))

    def returned(self) -> Iterator[ast.expr]:
        """What the function returns, both sides of `a if b else c` apart."""
        if self.code.node is not None:
            for node in executed(self.code.node):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield from _branches(node.value)

    def _reached(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return self._imports.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        base = _path(self.value(node.value)) or self._reached(node.value)
        return f"{base}.{node.attr}" if base else None

    def _names(self, name: str) -> Any:
        if name in self._imports:
            return _loaded(self._imports[name])
        if self.code.function is None or name in self._locals:
            return UNKNOWN
        for names in (self._closure, self.code.function.__globals__, vars(builtins)):
            if name in names:
                return names[name]
        return UNKNOWN

    @cached_property
    def _locals(self) -> frozenset[str]:
        code = self.code.function.__code__ if self.code.function else None
        return frozenset(() if code is None else (*code.co_varnames, *code.co_cellvars))

    @cached_property
    def _closure(self) -> Mapping[str, Any]:
        if self.code.function is None:
            return {}
        cells = zip(self.code.function.__code__.co_freevars, self.code.function.__closure__ or (), strict=True)
        return {name: value for name, cell in cells if (value := _content(cell)) is not UNKNOWN}

    @cached_property
    def _imports(self) -> Mapping[str, str]:
        """What the function imports itself, name by name."""
        nodes = () if self.code.node is None else executed(self.code.node)
        return {name: path for node in nodes for name, path in _imported(node)}


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (first, first)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _loaded(path: str) -> Any:
    """The module, or what stands in one, if it has been imported already."""
    if path in sys.modules:
        return sys.modules[path]
    module, _, name = path.rpartition(".")
    return _attribute(sys.modules.get(module), name)


def _attribute(base: Any, name: str) -> Any:
    if issubclass(type(base), types.ModuleType):
        return vars(base).get(name, UNKNOWN)
    if issubclass(type(base), type):
        return inspect.getattr_static(base, name, UNKNOWN)
    return UNKNOWN


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is not filled yet
        return UNKNOWN


def _path(value: Any) -> str | None:
    """The dotted name of a module, a class or a function; None for any other object."""
    if issubclass(type(value), types.ModuleType):
        return str(value.__name__)
    if not issubclass(type(value), (type, *_CALLABLE)):
        return None
    owner = getattr(value, "__self__", None)
    if owner is not None and not issubclass(type(value), type):
        return f"{_path(owner) or _path(type(owner))}.{value.__name__}"
    return f"{value.__module__}.{value.__qualname__}"


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from _branches(node.body)
        yield from _branches(node.orelse)
    else:
        yield node
