"""The simulated client is the user's to shape: what it declares, refuses, allows and sends along."""

from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
from pydantic import Field

from app.client.call import Call
from app.client.settings import ClientSettings
from resolver_runtime import events as ev
from resolver_runtime.events import Era
from tests.app.calling import HANDSHAKE, YES, Agreement, answered_with, asking, both_eras, events, run, text, tool
from tests.app.serving import served

pytestmark = pytest.mark.anyio


@both_eras
async def test_a_refusal_by_the_client_ends_the_call_with_its_error(era: Era) -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        answered_with(call, lambda _: {"error": {"code": -1, "message": "User rejected"}})
        end = await run(call)
    assert end.status == "error"
    assert end.error is not None
    assert (end.error["code"], end.error["message"]) == (-1, "User rejected")


async def test_a_refusal_does_not_wait_for_the_other_questions_of_its_round() -> None:
    async with served(asking()) as worker:
        call = Call(worker, 0, tool(), {})
        refusal = {"error": {"code": -1, "message": "no"}}
        answered_with(call, lambda question: refusal if question.id == "q2" else None)
        end = await run(call)
    assert end.status == "error"


async def test_a_kind_that_is_not_declared_is_refused_as_the_sdks_client_does() -> None:
    server = MCPServer("body")

    @server.tool()
    async def decide(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Agreement)).action

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(HANDSHAKE, frozenset({"roots"})))
        end = await run(call)
    assert end.error is not None
    assert (end.error["code"], end.error["message"]) == (-32600, "Elicitation not supported")
    assert events(call, ev.QuestionAnswered)[0].answer["error"]["code"] == -32600


@pytest.mark.parametrize("limit", [0, 1, 3])
async def test_the_round_limit_counts_retries_and_ends_with_the_sdks_text(limit: int) -> None:
    server = MCPServer("endless")
    counter = iter(range(100))

    def ask() -> Elicit[Agreement]:
        return Elicit(f"Sure? {next(counter)}", Agreement)

    @server.tool()
    def decide(agreed: Annotated[Agreement, Resolve(ask)]) -> str:
        return str(agreed.yes)

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(max_rounds=limit))
        answered_with(call, lambda _: YES)
        end = await run(call)
    assert end.error is not None
    assert end.error["code"] is None
    assert end.error["message"].startswith(f"Server returned InputRequiredResult for more than {limit} rounds; ")
    assert len(events(call, ev.RoundStarted)) == limit + 1
    assert len(events(call, ev.QuestionAsked)) == limit


@both_eras
@pytest.mark.parametrize(
    ("capabilities", "declared"),
    [
        ({"elicitation.form"}, {"elicitation": {"form": {}}}),
        ({"elicitation.url"}, {"elicitation": {"url": {}}}),
        ({"elicitation.form", "elicitation.url"}, {"elicitation": {"form": {}, "url": {}}}),
        ({"sampling"}, {"sampling": {}}),
        ({"sampling.tools"}, {"sampling": {"tools": {}}}),
        ({"roots"}, {"roots": {"listChanged": True}}),
        (set(), {}),
    ],
)
async def test_the_capabilities_are_declared_as_they_were_chosen(
    era: Era, capabilities: set[str], declared: dict[str, Any]
) -> None:
    server = MCPServer("plain")

    @server.tool()
    def decide() -> str:
        return "done"

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era, frozenset(capabilities)))
        await run(call)
    first = events(call, ev.WireMessage)[0].message["params"]
    assert (
        first.get("capabilities", first.get("_meta", {}).get("io.modelcontextprotocol/clientCapabilities")) == declared
    )


@both_eras
async def test_headers_reach_the_server(era: Era) -> None:
    server = MCPServer("headers")

    @server.tool()
    def decide(ctx: Context) -> str:
        assert ctx.headers is not None
        return ctx.headers["x-user"]

    async with served(server) as worker:
        end = await run(Call(worker, 0, tool(), {}, ClientSettings(era, headers={"X-User": "ana"})))
    assert text(end) == "ana"


@both_eras
@pytest.mark.filterwarnings("ignore:The logging capability is deprecated")
async def test_progress_and_logs_of_the_server_are_recorded(era: Era) -> None:
    server = MCPServer("progress")

    @server.tool()
    async def decide(ctx: Context) -> str:
        await ctx.report_progress(1, 4, "begun")
        await ctx.log("info", "looking")
        return "done"

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(era))
        await run(call)
    assert events(call, ev.Progressed) == [ev.Progressed(1, 4, "begun")]
    assert [(event.level, event.data) for event in events(call, ev.ClientLogged)] == [("info", "looking")]


async def test_an_argument_that_travels_in_a_header_is_mirrored_there() -> None:
    server = MCPServer("headers")

    @server.tool()
    def decide(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
        return region

    schema = {"properties": {"region": {"x-mcp-header": "Region"}}}
    async with served(server) as worker:
        end = await run(Call(worker, 0, tool(schema=schema), {"region": "north"}))
    assert (end.status, text(end)) == ("done", "north")


async def test_a_kind_that_is_not_declared_is_refused_in_the_modern_era_too() -> None:
    server = MCPServer("body")

    @server.tool()
    def decide() -> str | InputRequiredResult:
        form = ElicitRequestFormParams(message="Sure?", requested_schema={"type": "object", "properties": {}})
        return InputRequiredResult(input_requests={"sure": ElicitRequest(params=form)})

    async with served(server) as worker:
        call = Call(worker, 0, tool(), {}, ClientSettings(capabilities=frozenset({"roots"})))
        end = await run(call)
    assert end.error == {"code": -32600, "message": "Elicitation not supported", "data": None}
    assert [question.key for question in events(call, ev.QuestionAsked)] == ["sure"]


@pytest.mark.parametrize(
    ("kind", "capability"),
    [
        ("elicit", "elicitation.form"),
        ("elicit_url", "elicitation.url"),
        ("sample", "sampling"),
        ("sample", "sampling.tools"),
        ("list_roots", "roots"),
    ],
)
def test_a_client_answers_the_kinds_it_declares(kind: ev.QuestionKind, capability: str) -> None:
    assert ClientSettings(capabilities=frozenset({capability})).can_answer(kind)
    assert not ClientSettings(capabilities=frozenset()).can_answer(kind)
