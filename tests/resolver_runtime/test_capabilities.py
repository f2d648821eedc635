"""Which questions a client must have declared itself able to answer (A66 to A68)."""

import warnings
from typing import Annotated, Any

import anyio
import pytest
from mcp.server.mcpserver import Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ClientCapabilities,
    CreateMessageResult,
    ListRootsResult,
    Tool,
    ToolChoice,
)

from tests.resolver_runtime.driving import (
    ANA,
    QUESTION,
    ROOTS,
    WAIT_SECONDS,
    Login,
    Mode,
    Person,
    by_hand,
    call,
    completion,
    key_of,
    server,
    text,
)
from tests.resolver_runtime.sessions import Session, context

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]

SEARCH = Tool(name="search", input_schema={"type": "object"})


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


def sample() -> Sample:
    return Sample(QUESTION, max_tokens=10)


def with_tools() -> Sample:
    return Sample(QUESTION, max_tokens=10, tools=[SEARCH])


def with_choice() -> Sample:
    return Sample(QUESTION, max_tokens=10, tool_choice=ToolChoice(mode="none"))


def roots() -> ListRoots:
    return ListRoots()


def tool_of(resolver: Any) -> MCPServer:
    def tool(value: Any) -> str:
        return "done"

    tool.__annotations__["value"] = Annotated[Any, Resolve(resolver)]
    mcp = server()
    mcp.add_tool(tool)
    return mcp


FORMS: dict[str, Any] = {"elicitation": {"form": {}}}


@pytest.mark.parametrize(
    ("resolver", "declared", "name", "required"),
    [
        (login, {}, "form elicitation", FORMS),
        (login, {"elicitation": {"url": {}}}, "form elicitation", FORMS),
        (login, {"sampling": {}, "roots": {}}, "form elicitation", FORMS),
        (sample, {"elicitation": {}}, "sampling", {"sampling": {}}),
        (with_tools, {}, "sampling.tools", {"sampling": {"tools": {}}}),
        (with_tools, {"sampling": {}}, "sampling.tools", {"sampling": {"tools": {}}}),
        (with_choice, {"sampling": {}}, "sampling.tools", {"sampling": {"tools": {}}}),
        (roots, {"elicitation": {}}, "roots", {"roots": {}}),
    ],
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_a66_a67_a_question_that_was_not_declared_is_refused_with_what_it_needs(
    version: str, resolver: Any, declared: dict[str, Any], name: str, required: dict[str, Any]
) -> None:
    session = Session()
    session.client_capabilities = ClientCapabilities.model_validate(declared)
    with pytest.raises(MCPError) as refusal:
        await tool_of(resolver).call_tool("tool", {}, context(session, version))
    error = refusal.value.error
    assert error.code == MISSING_REQUIRED_CLIENT_CAPABILITY == -32021
    assert error.message == f"Client did not declare the {name} capability required by resolver {key_of(resolver)!r}"
    assert error.data == {"requiredCapabilities": required}
    assert session.sent == []


@pytest.mark.parametrize(
    ("resolver", "declared"),
    [
        (login, {"elicitation": {}}),
        (login, {"elicitation": {"form": {}, "url": {}}}),
        (sample, {"sampling": {}}),
        (with_tools, {"sampling": {"tools": {}}}),
        (roots, {"roots": {}}),
    ],
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_a66_a67_a_question_that_was_declared_is_asked(
    version: str, resolver: Any, declared: dict[str, Any]
) -> None:
    session = Session()
    session.client_capabilities = ClientCapabilities.model_validate(declared)
    result: Any = await tool_of(resolver).call_tool("tool", {}, context(session, version))
    assert len(session.sent) + len(getattr(result, "input_requests", {})) == 1


async def test_a66_a_refusal_is_a_protocol_error_and_the_session_goes_on(mode: Mode) -> None:
    mcp = tool_of(login)
    with anyio.fail_after(WAIT_SECONDS):
        async with Person(forms=False).client(mcp, mode) as client:
            with pytest.raises(MCPError) as refusal:
                await client.call_tool("tool", {})
            assert refusal.value.error.code == MISSING_REQUIRED_CLIENT_CAPABILITY
            assert [tool.name for tool in (await client.list_tools()).tools] == ["tool"]


async def test_a66_what_need_not_be_asked_any_more_need_not_be_declared() -> None:
    mcp = tool_of(login)
    async with by_hand(mcp) as hand:
        first = await hand.asks()
    async with by_hand(mcp, Person(forms=False)) as hand:
        assert text(await hand.ends({key_of(login): ANA}, first.request_state)) == "done"


async def test_a67_a_client_that_declared_nothing_at_all_is_refused_too() -> None:
    session = Session()
    session.client_capabilities = None
    with pytest.raises(MCPError):
        await tool_of(login).call_tool("tool", {}, context(session, "2025-11-25"))


async def test_a68_sampling_and_roots_give_no_warning(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool(
        said: Annotated[CreateMessageResult, Resolve(sample)], dirs: Annotated[ListRootsResult, Resolve(roots)]
    ) -> str:
        return "done"

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert text(await call(mcp, mode, Person(completion=completion("so"), roots=ROOTS))) == "done"
