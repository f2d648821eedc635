"""What is wrong with a tool's resolvers, said with its place in the source.

The messages are the SDK's, word for word: tests of user code may compare them. What we add stands in fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from mcp.server.mcpserver.exceptions import InvalidSignature

from resolver_runtime.describe import location_of, name_of

Code = Literal["cycle", "unresolvable_parameter", "wrapped_marker", "several_questions", "two_flows", "signature"]


class SignatureProblem(InvalidSignature):
    """Raised at registration for a signature that no call could fill.

    `code` names the kind of problem, `function` is where it stands, `resolver` and `parameter` who is meant; `cycle`
    holds the names of the resolvers of a cycle, in order, and `edges` each of them with the parameter that the next
    one fills; `hint` says what to write instead.
    """

    code: Code = "signature"

    def __init__(self, message: str, function: Callable[..., Any], hint: str) -> None:
        super().__init__(message)
        self.function = function
        self.hint = hint
        self.file, self.line = location_of(function)
        self.tool: str | None = None
        self.resolver: str | None = None
        self.parameter: str | None = None
        self.cycle: tuple[str, ...] = ()
        self.edges: tuple[tuple[Callable[..., Any], str], ...] = ()


class Cycle(SignatureProblem):
    """Raised when a resolver needs its own value, directly or through others."""

    code: Code = "cycle"
    way_out = "Let one of them take what it needs from the tool's arguments, or from a resolver outside the circle."

    def __init__(self, edges: Sequence[tuple[Callable[..., Any], str]]) -> None:
        names = tuple(name_of(resolver) for resolver, _ in edges)
        super().__init__(
            f"Resolver {names[0]!r} has a cyclic dependency",
            edges[0][0],
            f"{' needs '.join([*names, names[0]])}. {self.way_out}",
        )
        self.resolver = names[0]
        self.cycle = names
        self.edges = tuple(edges)


class UnresolvableParameter(SignatureProblem):
    """Raised when nothing says where a resolver's parameter comes from."""

    code: Code = "unresolvable_parameter"

    def __init__(self, resolver: Callable[..., Any], parameter: str, arguments: list[str], close: str | None) -> None:
        super().__init__(
            f"Resolver {name_of(resolver)!r} parameter {parameter!r} cannot be resolved: "
            "expected a Context, an Annotated[_, Resolve(...)], or a tool argument by name",
            resolver,
            (f"Did you mean {close!r}? " if close else "")
            + f"Add an argument {parameter!r} to the tool, or give the parameter a resolver of its own. "
            + (f"The tool's arguments: {', '.join(arguments)}." if arguments else "The tool has no arguments."),
        )
        self.resolver, self.parameter = name_of(resolver), parameter


class WrappedMarker(SignatureProblem):
    """Raised when a marker stands inside another annotation, where it would have no effect."""

    code: Code = "wrapped_marker"

    def __init__(self, tool: Callable[..., Any], parameter: str) -> None:
        super().__init__(
            f"Parameter {parameter!r} of {name_of(tool)!r} wraps `Resolve(...)` in a "
            "union; annotate the parameter directly as `Annotated[T, Resolve(...)]`",
            tool,
            f"Write {parameter}: Annotated[T | None, Resolve(...)] if the value may be None.",
        )
        self.parameter = parameter


class SeveralQuestions(SignatureProblem):
    """Raised when a resolver's return annotation declares more than one question."""

    code: Code = "several_questions"

    def __init__(self, resolver: Callable[..., Any]) -> None:
        super().__init__(
            f"Resolver {name_of(resolver)!r} return annotation has multiple Elicit/Sample/ListRoots arms; "
            "a resolver asks one question - split it into separate resolvers",
            resolver,
            "Write one resolver for each question, and let one depend on the other if the second needs the first.",
        )
        self.resolver = name_of(resolver)
