"""The code of a function as it stands in its file: its syntax tree, and positions in it. Runs nothing."""

from __future__ import annotations

import ast
import functools
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from resolver_runtime.describe import innermost, location_of
from resolver_runtime.rules.finding import Place

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class _File:
    """A parsed file: its lines, and each function that can be told from all others by its first line and its name."""

    lines: list[str]
    functions: dict[tuple[int, str], Function | None]


@dataclass(frozen=True)
class Code:
    """One callable, and the function whose code it runs (None: it has none in Python).

    `node` is None where the source cannot be had: then places are as good as the interpreter knows.
    """

    fn: Callable[..., Any]
    function: FunctionType | None
    node: Function | None
    _file: str | None
    _lines: list[str]

    @property
    def place(self) -> Place:
        """Where the function is defined."""
        return Place(*location_of(self.fn)) if self.node is None else self.at(self.node)

    def parameter(self, name: str) -> Place:
        """Where the parameter of this name stands; the function where it is not written out."""
        if self.node is not None:
            for argument in _arguments(self.node.args):
                if argument.arg == name:
                    return self.at(argument)
        return self.place

    @property
    def returns(self) -> Place:
        """Where the return annotation stands; the function where there is none."""
        returns = None if self.node is None else self.node.returns
        return self.place if returns is None else self.at(returns)

    def at(self, node: ast.expr | ast.stmt | ast.arg) -> Place:
        """Where a node of this function's tree stands."""
        line = self._lines[node.lineno - 1] if node.lineno <= len(self._lines) else ""
        before = line.encode()[: node.col_offset].decode(errors="replace")
        return Place(self._file, node.lineno, len(before) + 1)


@dataclass(frozen=True)
class Sources:
    """The files that were read, each once."""

    _files: dict[str, _File] = field(default_factory=dict)

    def code_of(self, fn: Callable[..., Any]) -> Code:
        """The code of a callable, behind its wrappers; of a callable object that of its `__call__`."""
        while isinstance(fn, functools.partial):
            fn = fn.func
        return self._code(fn, innermost(fn))

    def outermost(self, fn: Callable[..., Any]) -> Code:
        """The code of a callable itself: of a wrapper, not of what it wraps."""
        return self._code(fn, getattr(fn, "__func__", fn))

    def _code(self, fn: Callable[..., Any], function: Any) -> Code:
        if not isinstance(function, FunctionType):
            return Code(fn, None, None, None, [])
        code = function.__code__
        parsed = self._parsed(code.co_filename)
        node = parsed.functions.get((code.co_firstlineno, code.co_name))
        return Code(fn, function, node, code.co_filename, parsed.lines)

    def _parsed(self, file: str) -> _File:
        if file not in self._files:
            self._files[file] = _parsed(file)
        return self._files[file]


def _parsed(file: str) -> _File:
    try:
        with tokenize.open(file) as opened:
            text = opened.read()
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):  # a function made from a string, or a file that changed meanwhile
        return _File([], {})
    functions: dict[tuple[int, str], Function | None] = {}
    for node in ast.walk(tree):
        if isinstance(node, Function):
            key = (_first_line(node), node.name)
            functions[key] = None if key in functions else node
    return _File(text.splitlines(), functions)


def _first_line(node: Function) -> int:
    """As the interpreter counts: a decorator belongs to its function."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))
