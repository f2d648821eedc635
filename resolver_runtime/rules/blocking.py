"""A call that blocks, in a resolver that runs on the event loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from resolver_runtime.describe import name_of
from resolver_runtime.rules.names import Scope
from resolver_runtime.rules.rule import Hit, Rule
from resolver_runtime.rules.subject import Subject

_PROCESS = "await anyio.run_process(...)"
_REQUEST = "await a request of an httpx2.AsyncClient"
_HTTP = ("get", "options", "head", "post", "put", "patch", "delete", "request")

BLOCKING: Mapping[str, str] = {
    "time.sleep": "await anyio.sleep(...)",
    "builtins.input": "ask with Elicit",
    "os.system": _PROCESS,
    **{f"subprocess.{name}": _PROCESS for name in ("run", "call", "check_call", "check_output", "getoutput")},
    "urllib.request.urlopen": _REQUEST,
    **{f"{module}.{name}": _REQUEST for module in ("requests", "requests.api", "httpx", "httpx2") for name in _HTTP},
    "socket.create_connection": "await anyio.connect_tcp(...)",
}
"""Calls that wait for somebody else every time, and what to do instead. A short read of a file is not among them."""


def blocking_calls(subject: Subject) -> Iterator[Hit]:
    for resolver in subject.resolvers:
        code = subject.code_of(resolver.fn)
        if not isinstance(code.node, ast.AsyncFunctionDef):
            continue
        scope, name = Scope(code), name_of(resolver.fn)
        for call in scope.calls():
            path = next((path for path in sorted(scope.paths(call.func)) if path in BLOCKING), None)
            if path is not None and not _waits_for_nothing(call, scope):
                yield Hit(
                    f"{name} is async and calls {path}(), which blocks: until it returns, the server answers nobody.",
                    f"Write {name} as a plain `def`, which runs in a thread; or {BLOCKING[path]}.",
                    code.at(call),
                    name,
                )


def _waits_for_nothing(call: ast.Call, scope: Scope) -> bool:
    """`time.sleep(0)` lets other threads run, and comes back."""
    return len(call.args) == 1 and scope.constant(call.args[0]) in (0, 0.0)


RULES = (Rule("RP104", "A blocking call in an async resolver", "warning", blocking_calls),)
