"""From what the command line names to a loaded module and its servers.

A module is loaded under the name that an import would give it: the wire keys of its resolvers contain that name.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from mcp.server.mcpserver import MCPServer

from resolver_runtime.host.problem import Problem, import_problem
from resolver_runtime.host.registration import Registry, watched

FACTORIES = ("build_server", "create_server", "make_server", "get_server")


@dataclass(frozen=True)
class Server:
    """A server of the module; `variable` is the global that holds it, or the factory that made it."""

    server: MCPServer
    variable: str | None


@dataclass
class Loaded:
    """What loading a module gave: its servers, and its problems."""

    servers: list[Server] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    registry: Registry = field(default_factory=Registry)


def load(target: str, directory: str) -> Loaded:
    """Load `path.py`, a package's directory or `package.module`, with `:variable` after it or without."""
    name, variable = split_target(target)
    with watched() as registry:
        loaded = Loaded(registry=registry)
        try:
            module = _imported(name, Path(directory))
            loaded.servers = list(_chosen(module, variable, registry))
        except BaseException as error:  # a module may raise anything, SystemExit included: it is its problem, not ours
            loaded.problems.append(import_problem(error))
            return loaded
    if not loaded.servers:
        loaded.problems.append(_no_server(module, name, variable))
    loaded.problems += [broken.problem for broken in registry.broken]
    return loaded


def split_target(target: str) -> tuple[str, str | None]:
    """`shop.py:mcp` → (`shop.py`, `mcp`). A drive letter is no module."""
    name, colon, variable = target.rpartition(":")
    return (name, variable) if colon and len(name) > 1 and variable.isidentifier() else (target, None)


def needed(target: str, directory: str) -> tuple[str, ...]:
    """The paths that must be readable for `load`: the module, and where its own imports begin."""
    path = _path(split_target(target)[0], Path(directory))
    return (directory,) if path is None else (str(path), str(_root(path)))


def _imported(name: str, directory: Path) -> ModuleType:
    path = _path(name, directory)
    if path is not None:
        return _from_path(path)
    _search(directory)
    return importlib.import_module(name)


def _path(name: str, directory: Path) -> Path | None:
    """Of a file or a package's directory; None where `name` is to be imported."""
    path = directory / name
    return path.resolve() if path.suffix == ".py" or path.is_dir() else None


def _root(path: Path) -> Path:
    """The directory that holds it, or its outermost package."""
    return next(parent for parent in path.parents if not (parent / "__init__.py").exists())


def _from_path(path: Path) -> ModuleType:
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    root = _root(path)
    parts = path.with_name(path.name if path.is_dir() else path.stem).relative_to(root).parts
    _search(root)
    if len(parts) > 1 or path.is_dir():
        return importlib.import_module(".".join(part for part in parts if part != "__init__"))
    return _from_file(path, parts[0])


def _from_file(path: Path, name: str) -> ModuleType:
    # A file that is called like a module in use (a user's `json.py`) must not take that module's place.
    name = f"{name}_" if name in sys.modules else name
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file.")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _search(directory: Path) -> None:
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))


def _chosen(module: ModuleType, variable: str | None, registry: Registry) -> Iterator[Server]:
    if variable is not None:
        found = getattr(module, variable, None)
        yield from _servers({variable: found() if callable(found) and not _is_server(found) else found})
        return
    held = list(_servers(vars(module)))
    if held:
        yield from held
    elif registry.ran:
        yield from (Server(server, None) for server in dict.fromkeys(registry.ran))
    else:
        made = {name: getattr(module, name) for name in FACTORIES if _needs_nothing(getattr(module, name, None))}
        yield from _servers({name: make() for name, make in made.items()})


def _servers(names: dict[str, Any]) -> Iterator[Server]:
    known: set[int] = set()
    for name, value in list(names.items()):
        if _is_server(value) and id(value) not in known:
            known.add(id(value))
            yield Server(value, name)


def _is_server(value: Any) -> bool:
    return issubclass(type(value), MCPServer)  # `isinstance` would run code of the value's


def _needs_nothing(factory: Any) -> bool:
    """Whether it can be called without arguments."""
    try:
        inspect.signature(factory).bind()
    except (TypeError, ValueError):
        return False
    return True


def _no_server(module: ModuleType, name: str, variable: str | None) -> Problem:
    if variable is not None:
        message = f"{name} has no server {variable!r}."
        hint = f"Name a global that holds an MCPServer, or a function without arguments that makes one: {name}:mcp."
    elif (other := _other_server(module)) is not None:
        message = f"{name} holds no MCPServer. Its {other[0]!r} is a server of another kind: {other[1]}."
        hint = "Resolvers come with the SDK's own MCPServer: from mcp.server.mcpserver import MCPServer."
    else:
        message = f"{name} holds no MCPServer."
        hint = (
            "Make one at the top of the module (mcp = MCPServer('shop')), or in a function that takes no arguments "
            f"and is called {', '.join(FACTORIES[:-1])} or {FACTORIES[-1]}. Another function can be named: "
            f"{name}:my_function."
        )
    return Problem("no_server", message, hint)


def _other_server(module: ModuleType) -> tuple[str, str] | None:
    """Name and class of a global that is a server without resolvers: of the package fastmcp, or a low-level one."""
    for name, value in vars(module).items():
        cls = type(value)
        if (cls.__module__.split(".")[0], cls.__name__) in (("fastmcp", "FastMCP"), ("mcp", "Server")):
            return name, f"{cls.__module__}.{cls.__name__}"
    return None
