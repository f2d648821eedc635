"""How the parameters of one tool are filled, decided once at registration. Plain values for the executor."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Literal

from resolver_runtime.graph import resolver_id

Source = Literal["context", "argument", "resolver"]


@dataclass(slots=True, eq=False)
class Parameter:
    """One parameter of a resolver: filled by the context, by the tool argument of its name, or by a resolver.

    `whole`: it takes the outcome (accepted, declined, cancelled), not the value alone.
    """

    name: str
    source: Source
    resolver: ResolverPlan | None = None
    whole: bool = False


@dataclass(slots=True, eq=False)
class ResolverPlan:
    """One resolver of a tool. `identity` tells it from others in a call, `key` on the wire."""

    fn: Callable[..., Any]
    identity: Hashable
    key: str
    is_async: bool
    parameters: list[Parameter] = field(default_factory=list)
    node: str = ""

    def __post_init__(self) -> None:
        self.node = resolver_id(self.key)


@dataclass(slots=True, eq=False)
class Plan:
    """A tool's resolvers in discovery order, and its parameters that they fill, in signature order."""

    resolvers: dict[Hashable, ResolverPlan]
    parameters: list[Parameter]
