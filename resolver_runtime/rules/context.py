"""A `Sample` that asks the client for the context of servers."""

from __future__ import annotations

from collections.abc import Iterator

from mcp.server.mcpserver.resolve import Sample

from resolver_runtime.describe import name_of
from resolver_runtime.rules.names import UNKNOWN, Scope
from resolver_runtime.rules.rule import Hit, Rule
from resolver_runtime.rules.subject import Subject


def included_contexts(subject: Subject) -> Iterator[Hit]:
    for resolver in subject.resolvers:
        code = subject.code_of(resolver.fn)
        scope = Scope(code)
        for call in scope.calls():
            for keyword in call.keywords if scope.is_a(call.func, Sample) else ():
                included = scope.constant(keyword.value)
                if keyword.arg == "include_context" and included not in (UNKNOWN, None, "none"):
                    yield Hit(
                        f"{name_of(resolver.fn)} samples with include_context={included!r}, which is deprecated: "
                        "clients may ignore it, and it will go.",
                        "Leave it out, and put what the LLM must know into the messages.",
                        code.at(keyword.value),
                        name_of(resolver.fn),
                    )


RULES = (Rule("RP205", "A sample that includes context", "warning", included_contexts),)
