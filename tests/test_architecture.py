"""Which module may import which, and what must never be committed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MAY_IMPORT: dict[str, set[str]] = {
    "resolver_runtime": {"seam", "events"},
    "resolver_runtime.graph": set(),
    "resolver_runtime.events": set(),
    "resolver_runtime.patches": set(),
    "resolver_runtime.state": set(),
    "resolver_runtime.wire": {"events"},
    "resolver_runtime.describe": {"events"},
    "resolver_runtime.questions": {"events"},
    "resolver_runtime.plan": {"graph"},
    "resolver_runtime.errors": {"describe"},
    "resolver_runtime.annotations": {"describe", "graph"},
    "resolver_runtime.analysis": {"annotations", "describe", "errors", "graph", "plan"},
    "resolver_runtime.rules": {"analysis", "annotations", "describe", "errors", "graph", "plan"},
    "resolver_runtime.narration": {"describe", "events", "graph", "plan"},
    "resolver_runtime.executor": {"events", "graph", "narration", "plan", "questions", "state"},
    "resolver_runtime.observation": {"describe", "events"},
    "resolver_runtime.seam": {"analysis", "errors", "events", "executor", "observation", "patches", "plan"},
    "resolver_runtime.sdk": {
        "analysis",
        "describe",
        "events",
        "executor",
        "graph",
        "observation",
        "patches",
        "questions",
    },
}
"""Within the engine; `host` may import everything of it. docs/architecture.md draws the same table."""

APP_SEES = {f"resolver_runtime.{name}" for name in ("graph", "events", "wire")}
APP_PURE = {
    "app.assets": set[str](),
    "app.settings": set[str](),
    "app.passes": set[str](),
    "app.strangers": set[str](),
    "app.gate": {"app.passes", "app.settings", "app.strangers"},
    "app.access": {"app.gate"},
    "app.forms": {"app.forms"},
    "app.layout": {"app.layout"},
    "app.provenance": set[str](),
    "app.view": {"app.calls"},
    "app.workspaces": {"app.workspace"},
}
"""Modules of the web process that stay apart from the rest of it."""

ENGINE_BRINGS = {
    "mcp",
    "mcp_types",
    "pydantic",
    "pydantic_core",
    "anyio",
    "starlette",
    "uvicorn",
    "httpx2",
    "typing_extensions",
    "cryptography",
}
"""mcp, and what it brings: a foreign interpreter that runs the engine has nothing else."""


def modules(*packages: str) -> dict[str, Path]:
    """Every module of our packages, by dotted name."""
    found: dict[str, Path] = {}
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(module: str, path: Path, *, when_run: bool = False) -> Iterator[str]:
    """The dotted names a module imports anywhere in it; `when_run` leaves out what only type checkers read."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in walked(ast.parse(path.read_text()), when_run):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] + "." if node.level else ""
            base = f"{above}{node.module or ''}".rstrip(".")
            names = [f"{base}.{alias.name}" for alias in node.names]
            yield from (name if name in OURS else base for name in names)


def walked(node: ast.AST, when_run: bool) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if when_run and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from walked(child, when_run)


def within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


OURS = modules("app", "resolver_runtime")
ENGINE = {module: path for module, path in OURS.items() if within(module, {"resolver_runtime"})}
APP = {module: path for module, path in OURS.items() if within(module, {"app"})}


@pytest.mark.parametrize("module", sorted(ENGINE))
def test_the_engine_imports_only_mcp_and_what_mcp_brings(module: str) -> None:
    roots = {name.split(".")[0] for name in imported(module, ENGINE[module])}
    assert roots - set(sys.stdlib_module_names) - ENGINE_BRINGS <= {"resolver_runtime"}


@pytest.mark.parametrize("module", sorted(ENGINE))
def test_a_module_of_the_engine_imports_only_what_lies_below_it(module: str) -> None:
    if within(module, {"resolver_runtime.host"}):
        return
    # A module that has grown into a package keeps its place in the table, and may import its own parts.
    place = ".".join(module.split(".")[:2])
    allowed = {f"resolver_runtime.{name}" for name in MAY_IMPORT[place]} | {place} - {"resolver_runtime"}
    ours = {name for name in imported(module, ENGINE[module]) if within(name, {"resolver_runtime"})}
    assert {name for name in ours if not within(name, allowed)} == set()


@pytest.mark.parametrize("module", sorted(APP))
def test_the_web_process_sees_only_the_engines_values(module: str) -> None:
    ours = {name for name in imported(module, APP[module]) if within(name, {"resolver_runtime"})}
    assert {name for name in ours if not within(name, APP_SEES)} == set()


@pytest.mark.parametrize("module", sorted(APP))
def test_what_is_pure_in_the_web_process_stays_apart(module: str) -> None:
    place = ".".join(module.split(".")[:2])
    if place in APP_PURE:
        ours = {name for name in imported(module, APP[module]) if within(name, {"app"})}
        assert {name for name in ours if not within(name, APP_PURE[place] | {place})} == set()


def test_no_module_imports_itself_through_others() -> None:
    graph = {
        module: set(imported(module, path, when_run=True)) & OURS.keys() - {module} for module, path in OURS.items()
    }
    TopologicalSorter(graph).prepare()


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


TRACKED = tracked()


def test_no_file_of_others_is_committed() -> None:
    foreign = re.compile(r"^static/lib/|(^|/)node_modules/|\.min\.(js|css)$|\.(whl|tgz|woff2?)$")
    assert [name for name in TRACKED if foreign.search(name)] == []


# Put together from parts, so that this file does not hold them itself.
REGISTRIES = ["pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "npmjs" + ".com", "registry" + ".npm"]
MACHINE_PATHS = ["/" + "work/", "/" + "root/", "/" + "tmp/team"]


@pytest.mark.parametrize("name", TRACKED)
def test_no_file_names_a_registry_or_a_path_of_a_machine(name: str) -> None:
    text = (ROOT / name).read_bytes().decode("utf-8", "replace")
    assert [part for part in REGISTRIES + MACHINE_PATHS if part in text] == []


def test_every_locked_npm_package_is_held_by_its_hash_alone() -> None:
    lock = (ROOT / "package-lock.json").read_text()
    assert "integrity" in lock
    assert "resolved" not in lock


def test_every_tested_version_is_a_name_and_a_number() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+", line)] == []
