"""What a client and the log are told of an exception (A69, A70)."""

import logging
from typing import Annotated

import anyio
import pytest
from mcp.server.mcpserver import Resolve
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.shared.exceptions import MCPError

from tests.resolver_runtime.driving import WAIT_SECONDS, Mode, Person, call, server, text

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]


@pytest.mark.parametrize("kind", [ToolError, ResourceError])
async def test_a69_what_a_resolver_says_on_purpose_reaches_the_client(
    mode: Mode, kind: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> str:
        raise kind("The shelf fell over.")

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[str, Resolve(broken)]) -> str:
        return value

    caplog.set_level(logging.INFO)
    result = await call(mcp, mode)
    assert (result.is_error, text(result)) == (True, "Error executing tool tool: The shelf fell over.")
    [record] = [record for record in caplog.records if "fell over" in record.getMessage()]
    assert (record.levelno, record.exc_info) == (logging.INFO, None)


async def test_a70_any_other_exception_reaches_the_log_alone(mode: Mode, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> str:
        raise KeyError("secret")

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[str, Resolve(broken)]) -> str:
        return value

    result = await call(mcp, mode)
    assert (result.is_error, text(result)) == (True, "Error executing tool tool")
    [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info
    assert record.exc_info[1]
    assert repr(record.exc_info[1].__cause__) == "KeyError('secret')"


async def test_a_protocol_error_of_a_resolver_stays_one(mode: Mode) -> None:
    def broken() -> str:
        raise MCPError(code=-32042, message="Over there.", data={"where": "there"})

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[str, Resolve(broken)]) -> str:
        return value

    with anyio.fail_after(WAIT_SECONDS):
        async with Person().client(mcp, mode) as client:
            with pytest.raises(MCPError) as failure:
                await client.call_tool("tool", {})
    assert (failure.value.error.code, failure.value.error.data) == (-32042, {"where": "there"})


async def test_a_result_that_is_not_what_the_tool_declared_is_an_error(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[str, Resolve(lambda: "seven")]) -> int:
        return value  # type: ignore[return-value]

    result = await call(mcp, mode)
    assert (result.is_error, text(result)) == (True, "Error executing tool tool")
