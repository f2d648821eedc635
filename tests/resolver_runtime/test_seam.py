"""Our engine put in the SDK's place, and taken out again."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import InvalidSignature
from mcp.server.mcpserver.tools import base

import resolver_runtime
from resolver_runtime.events import ArgumentsValidated, Event
from tests.resolver_runtime.driving import ANA, YES, Confirm, Login, Mode, Person, by_hand, call, key_of, server, text

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
NAMES = ["find_resolved_parameters", "returns_input_required", "build_resolver_plans", "resolve_arguments"]


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


def confirm(who: Annotated[Login, Resolve(login)]) -> Elicit[Confirm]:
    return Elicit("Sure?", Confirm)


def tool(sure: Annotated[Confirm, Resolve(confirm)], who: Annotated[Login, Resolve(login)]) -> str:
    return f"{who.username} {sure.ok}"


PERSON = {"Who?": ANA, "Sure?": YES}


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """Whatever a test installs is gone after it."""
    before = _in_place()
    yield
    resolver_runtime.uninstall()
    assert _in_place() == before


def _in_place() -> list[Any]:
    return [*(vars(base)[name] for name in NAMES), vars(base.Tool)["run"], vars(base.Tool)["from_function"]]


def of_tool() -> MCPServer:
    mcp = server()
    mcp.add_tool(tool)
    return mcp


async def test_a_tool_registered_before_us_runs_on_ours(mode: Mode) -> None:
    mcp = of_tool()
    told: list[Event] = []
    resolver_runtime.install(told.append)
    assert text(await call(mcp, mode, Person(PERSON))) == "ana True"
    assert "resolver_started" in {event.type for event in told}


async def test_a_tool_registered_with_us_runs_on_the_sdks_when_we_are_gone(mode: Mode) -> None:
    told: list[Event] = []
    resolver_runtime.install(told.append)
    mcp = of_tool()
    resolver_runtime.uninstall()
    assert text(await call(mcp, mode, Person(PERSON))) == "ana True"
    assert told == []


async def test_a_call_begun_on_one_engine_ends_on_the_other() -> None:
    mcp = of_tool()
    async with by_hand(mcp) as hand:
        first = await hand.asks()
        resolver_runtime.install()
        second = await hand.asks({key_of(login): ANA}, first.request_state)
        resolver_runtime.uninstall()
        assert text(await hand.ends({key_of(confirm): YES}, second.request_state)) == "ana True"


async def test_both_may_be_called_twice() -> None:
    assert resolver_runtime.install() is None
    assert resolver_runtime.install() is None
    resolver_runtime.uninstall()
    resolver_runtime.uninstall()


async def test_a_second_install_tells_another_observer() -> None:
    first: list[Event] = []
    second: list[Event] = []
    resolver_runtime.install(first.append)
    resolver_runtime.install(second.append)
    mcp = server()

    @mcp.tool()
    def plain(a: int) -> str:
        return ""

    await call(mcp, "2026-07-28", a=1)
    assert first == []
    assert second[0] == ArgumentsValidated({"a": "1"})


async def test_without_an_observer_everything_runs_all_the_same(mode: Mode) -> None:
    resolver_runtime.install()
    assert text(await call(of_tool(), mode, Person(PERSON))) == "ana True"


@pytest.mark.parametrize("change", ["gone", "another signature", "run", "from_function"])
async def test_where_the_seam_does_not_hold_a_sentence_says_so_and_nothing_changes(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change == "gone":
        monkeypatch.delattr(base, "resolve_arguments")
    elif change == "another signature":
        monkeypatch.setattr(base, "resolve_arguments", lambda request: None)
    else:
        monkeypatch.delattr(base.Tool, change)
    reason = resolver_runtime.install()
    monkeypatch.undo()
    assert reason
    assert reason.startswith("The installed mcp has no ")
    assert reason.endswith(".")


async def test_a_broken_tool_is_named_by_the_name_it_was_to_have() -> None:
    def lost(nothing: int) -> int:
        return nothing

    def broken(value: Annotated[int, Resolve(lost)]) -> str:
        return ""

    resolver_runtime.install()
    with pytest.raises(InvalidSignature) as problem:
        server().add_tool(broken, name="public_name")
    assert vars(problem.value)["tool"] == "public_name"


async def test_importing_the_package_does_not_import_mcp() -> None:
    check = "import sys, resolver_runtime.events, resolver_runtime.graph; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT, timeout=60, check=False).returncode == 0
