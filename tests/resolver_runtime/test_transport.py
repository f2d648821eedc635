"""How questions travel: in results and retries, or at once in the middle of the call (A33 to A42, B7, B8)."""

from typing import Annotated, Any

import anyio
import pytest
from mcp.client import InputRequiredRoundsExceededError
from mcp.server.mcpserver import Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    InputRequiredResult,
    InputResponse,
    ListRootsRequest,
    ListRootsResult,
)
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from tests.resolver_runtime.driving import (
    ANA,
    QUESTION,
    ROOTS,
    WAIT_SECONDS,
    YES,
    Confirm,
    Login,
    Mode,
    Person,
    accept,
    asked,
    by_hand,
    call,
    completion,
    key_of,
    remembered,
    server,
    text,
)
from tests.resolver_runtime.sessions import Session, context

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


def confirm() -> Elicit[Confirm]:
    return Elicit("Sure?", Confirm)


def sample() -> Sample:
    return Sample(QUESTION, max_tokens=10)


def roots() -> ListRoots:
    return ListRoots()


def whoami() -> MCPServer:
    mcp = server()

    @mcp.tool()
    def whoami(login: Annotated[Login, Resolve(login)]) -> str:
        return login.username

    return mcp


@pytest.mark.parametrize("version", KNOWN_PROTOCOL_VERSIONS)
async def test_a33_questions_travel_in_results_from_the_version_that_has_them(version: str) -> None:
    result = await whoami().call_tool("whoami", {}, context(Session(), version))
    assert isinstance(result, InputRequiredResult) == (version >= "2026-07-28")


async def test_a33_a_version_that_nobody_knows_counts_as_an_old_one() -> None:
    result = await whoami().call_tool("whoami", {}, context(Session(), "9999-nonsense"))
    assert isinstance(result, CallToolResult)
    assert text(result) == "ana"


async def test_a34_a_tool_that_asks_nothing_can_be_called_without_a_request() -> None:
    mcp = server()

    @mcp.tool()
    def tool(number: Annotated[int, Resolve(lambda: 7)]) -> str:
        return str(number)

    result = await mcp.call_tool("tool", {})
    assert isinstance(result, CallToolResult)
    assert text(result) == "7"


async def test_a34_a_question_without_a_request_is_an_error() -> None:
    with pytest.raises(ToolError) as failure:
        await whoami().call_tool("whoami", {})
    assert str(failure.value) == "Error executing tool whoami"


async def test_a35_the_first_round_returns_the_questions_and_a_state_and_does_not_run_the_body() -> None:
    mcp = server()

    @mcp.tool()
    def tool(login: Annotated[Login, Resolve(login)]) -> str:
        raise AssertionError

    async with by_hand(mcp) as hand:
        first = await hand.asks()
    [request] = (first.input_requests or {}).values()
    assert isinstance(request, ElicitRequest)
    assert request.params.message == "Who?"
    assert first.request_state


async def test_a36_independent_questions_share_a_round_and_dependent_ones_come_later() -> None:
    def deep(login: Annotated[Login, Resolve(login)], sure: Annotated[Confirm, Resolve(confirm)]) -> Elicit[Login]:
        return Elicit(f"{login.username}'s friend?", Login)

    def wide() -> Elicit[Confirm]:
        return Elicit("Wide?", Confirm)

    mcp = server()

    @mcp.tool()
    def tool(friend: Annotated[Login, Resolve(deep)], wide_: Annotated[Confirm, Resolve(wide)]) -> str:
        return friend.username

    async with by_hand(mcp) as hand:
        first = await hand.asks()
        assert asked(first) == [key_of(login), key_of(confirm), key_of(wide)]
        second = await hand.asks(
            dict.fromkeys([key_of(confirm), key_of(wide)], YES) | {key_of(login): ANA}, first.request_state
        )
        assert asked(second) == [key_of(deep)]
        assert text(await hand.ends({key_of(deep): accept(username="ben")}, second.request_state)) == "ben"


async def test_a39_all_kinds_of_questions_can_share_a_round() -> None:
    mcp = server()

    @mcp.tool()
    def tool(
        login: Annotated[Login, Resolve(login)],
        text: Annotated[CreateMessageResult, Resolve(sample)],
        dirs: Annotated[ListRootsResult, Resolve(roots)],
    ) -> str:
        return f"{login.username} {text.model} {dirs.roots[0].name}"

    async with by_hand(mcp) as hand:
        first = await hand.asks()
        kinds = [type(request) for request in (first.input_requests or {}).values()]
        assert kinds == [ElicitRequest, CreateMessageRequest, ListRootsRequest]
        answers: dict[str, InputResponse] = {
            key_of(login): ANA,
            key_of(sample): completion("so"),
            key_of(roots): ROOTS,
        }
        assert text(await hand.ends(answers, first.request_state)) == "ana a person home"


async def test_a40_early_answers_survive_a_chain_of_four_rounds() -> None:
    def second(one: Annotated[Login, Resolve(login)]) -> Elicit[Login]:
        return Elicit("Second?", Login)

    def third(two: Annotated[Login, Resolve(second)]) -> Elicit[Login]:
        return Elicit("Third?", Login)

    mcp = server()

    @mcp.tool()
    def tool(
        one: Annotated[Login, Resolve(login)],
        two: Annotated[Login, Resolve(second)],
        three: Annotated[Login, Resolve(third)],
    ) -> str:
        return f"{one.username} {two.username} {three.username}"

    async with by_hand(mcp) as hand:
        result = await hand.asks()
        for key, name in [(key_of(login), "ana"), (key_of(second), "ben")]:
            assert asked(result) == [key]
            result = await hand.asks({key: accept(username=name)}, result.request_state)
        assert sorted(remembered(result)["outcomes"]) == sorted([key_of(login), key_of(second)])
        last = await hand.ends({key_of(third): accept(username="eva")}, result.request_state)
    assert text(last) == "ana ben eva"


async def test_a41_the_sdks_client_gives_up_after_ten_retries() -> None:
    runs: list[str] = []

    def never_content() -> Elicit[Login]:
        runs.append("round")
        return Elicit(f"Who, for the {len(runs)}th time?", Login)

    class Agreeable(dict[str, Any]):
        def __missing__(self, message: str) -> Any:
            return ANA

    mcp = server()

    @mcp.tool()
    def tool(login: Annotated[Login, Resolve(never_content)]) -> str:
        raise AssertionError

    with anyio.fail_after(WAIT_SECONDS):
        async with Person(Agreeable()).client(mcp, "2026-07-28") as client:
            with pytest.raises(InputRequiredRoundsExceededError) as limit:
                await client.call_tool("tool", {})
    assert (limit.value.max_rounds, len(runs)) == (10, 11)


async def test_a42_both_eras_come_to_the_same_result(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def tool(
        login: Annotated[Login, Resolve(login)],
        sure: Annotated[Confirm, Resolve(confirm)],
        said: Annotated[CreateMessageResult, Resolve(sample)],
        dirs: Annotated[ListRootsResult, Resolve(roots)],
    ) -> str:
        return f"{login.username} {sure.ok} {said.content} {dirs.roots[0].uri}"

    person = Person({"Who?": ANA, "Sure?": YES}, completion=completion("so"), roots=ROOTS)
    result = await call(mcp, mode, person)
    assert text(result) == f"ana True {completion('so').content} file:///home/ana"
    assert sorted(person.asked) == ["Sure?", "Who?", "roots", "sampling"]


async def test_a42_the_handshake_era_asks_one_question_at_a_time() -> None:
    open_at_once: list[int] = []

    class Slow(Person):
        async def on_elicitation(self, context: Any, params: Any) -> Any:
            open_at_once.append(1)
            await anyio.lowlevel.checkpoint()
            assert sum(open_at_once) == 1
            open_at_once.pop()
            return await super().on_elicitation(context, params)

    mcp = server()

    @mcp.tool()
    def tool(login: Annotated[Login, Resolve(login)], sure: Annotated[Confirm, Resolve(confirm)]) -> str:
        return "done"

    person = Slow({"Who?": ANA, "Sure?": YES})
    assert text(await call(mcp, "legacy", person)) == "done"
    assert person.asked == ["Who?", "Sure?"]


@pytest.mark.parametrize(
    ("resolver", "method"),
    [(sample, "sampling/createMessage"), (roots, "roots/list"), (login, "elicitation/create")],
)
async def test_b7_a_question_of_the_handshake_era_names_the_call_it_belongs_to(resolver: Any, method: str) -> None:
    def tool(value: Any) -> str:
        return "done"

    tool.__annotations__["value"] = Annotated[Any, Resolve(resolver)]
    mcp = server()
    mcp.add_tool(tool)
    session = Session()
    session.client_capabilities = ClientCapabilities.model_validate({"elicitation": {}, "sampling": {}, "roots": {}})
    with anyio.fail_after(WAIT_SECONDS):
        await mcp.call_tool("tool", {}, context(session, "2025-11-25"))
    assert session.sent == [(method, "17")]


async def test_b8_where_nothing_can_be_sent_the_capabilities_do_not_matter() -> None:
    session = Session(can_send_request=False)
    session.client_capabilities = ClientCapabilities()
    result = await whoami().call_tool("whoami", {}, context(session, "2025-11-25"))
    assert isinstance(result, CallToolResult)
    assert session.sent == [("elicitation/create", "17")]


async def test_b8_where_something_can_be_sent_they_do() -> None:
    session = Session()
    session.client_capabilities = ClientCapabilities()
    with pytest.raises(MCPError):
        await whoami().call_tool("whoami", {}, context(session, "2025-11-25"))
    assert session.sent == []
