"""What a rule looks at: one tool, analysed as far as it could be, and the code behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resolver_runtime.analysis import function_arguments, tool_arguments, whole_analysis
from resolver_runtime.plan import Plan, ResolverPlan
from resolver_runtime.rules.code import Code, Sources

if TYPE_CHECKING:
    from mcp.server.mcpserver.tools.base import Tool


@dataclass(frozen=True)
class Refusal:
    """Why a tool could not be registered: what was raised, and the way out."""

    message: str
    hint: str


@dataclass(frozen=True)
class Subject:
    """One tool. `arguments` are those it takes from the client, by their public names, with their annotations.

    `problems` is what the analysis met, and `refusal` what was raised when the tool was to be registered; both are
    empty for one that was.
    """

    name: str
    fn: Callable[..., Any]
    arguments: Mapping[str, Any]
    plan: Plan
    problems: tuple[Exception, ...]
    refusal: Refusal | None
    sources: Sources

    @classmethod
    def registered(cls, tool: Tool, sources: Sources) -> Subject:
        return cls._of(tool.name, tool.fn, tool_arguments(tool), None, sources)

    @classmethod
    def refused(cls, name: str, fn: Callable[..., Any], refusal: Refusal, sources: Sources) -> Subject:
        return cls._of(name, fn, function_arguments(fn), refusal, sources)

    @classmethod
    def _of(
        cls, name: str, fn: Callable[..., Any], arguments: Mapping[str, Any], refusal: Refusal | None, sources: Sources
    ) -> Subject:
        plan, problems = whole_analysis(fn, arguments)
        return cls(name, fn, arguments, plan, tuple(problems), refusal, sources)

    @property
    def resolvers(self) -> list[ResolverPlan]:
        return list(self.plan.resolvers.values())

    def code_of(self, fn: Callable[..., Any]) -> Code:
        return self.sources.code_of(fn)
